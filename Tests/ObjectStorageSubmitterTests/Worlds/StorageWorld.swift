import Submit
import SubmitTesting
import TestServers

@testable import ObjectStorageSubmitter

/// An object storage of drawn manners.
struct StorageWorld: DrawnWorld {
    var manner = FakeStorage.Manner.s3
    var quirks: Set<FakeUploads.Quirk> = []
    var readsBack = false
    /// What the server does was found out before.
    var isKnown = false
    var errand: WorldErrand
    /// Objects of others, by key; each has bytes of its own.
    var theirs: [String] = []
    var troubles: [Int: WorldTrouble] = [:]

    /// By which a server makes other bytes of what it was given, and says yes, or shows other bytes than it has.
    private static let lies: Set<FakeUploads.Quirk> = [.storesNothing, .storesLess, .otherRanges]

    /// Of these uploads nobody can say that they are over.
    private static let leaving: Set<FakeUploads.Quirk> = [
        .abortsNever, .keepsCompleted, .namesNoUpload, .listsNoUploads, .closesLate, .abortsTwice, .listsCompleted,
        .listsNoParts,
    ]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Salt & Pepper.jpg", "100%.jpg", "%41.jpg", "#1.jpg", "a b.jpg",
        "a+b.jpg", "\u{e9}.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg",
    ]

    static func drawn(_ seed: UInt64) -> StorageWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = StorageWorld(errand: .drawn(names, sizes: [1, 300, 5000, 100_000], &numbers))
        world.manner = FakeStorage.Manner.allCases.randomElement(using: &numbers) ?? .s3
        for quirk in FakeUploads.Quirk.allCases.shuffled(using: &numbers).prefix(.random(in: 0...3, using: &numbers)) {
            world.quirks.insert(quirk)
        }
        // Its fake takes whatever has the key along, and nobody knows what a server does that lies besides.
        if !world.quirks.isDisjoint(with: lies) { world.quirks.remove(.closesLate) }
        world.readsBack = .random(using: &numbers)
        world.isKnown = .random(using: &numbers)
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        // Nothing is locked by this protocol.
        world.troubles = WorldTrouble.drawn(in: 0..<60, &numbers).filter { $0.value != .status423 }
        return world
    }

    var smaller: [StorageWorld] {
        var all = FakeUploads.Quirk.allCases.flatMap { quirk in changed { $0.quirks.remove(quirk) } }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += errand.smaller.flatMap { errand in changed { $0.errand = errand } }
        return all + changed { $0.readsBack = false } + changed { $0.isKnown = false } + changed { $0.manner = .s3 }
    }

    func run() async throws -> [String] {
        let storage = FakeStorage(manner, quirks: quirks)
        for (index, key) in theirs.enumerated() {
            storage.put(ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index)), at: key)
        }
        let before = Self.tree(storage)
        var settings = ["parts_above": "1KiB", "part_size": "32KiB"]
        if readsBack { settings["verify"] = "readback" }
        var profile = S3Profile.smallParts
        if isKnown, manner == .s3 { (profile.putsConditionally, profile.completesConditionally) = (true, true) }
        let wire = WorldWire(storage, troubles)
        let ends = try await errand.run(over: wire) { [settings, profile] process in
            try storage.submitter(settings, profile: profile, transport: process)
        }
        let copies = Self.tree(storage)
        let isHonest = quirks.isDisjoint(with: Self.lies)
        var complaints =
            errand.complaints(theirs: before, copies: copies, isHonest: isHonest) { copies[Array($0.utf8)] }
            + errand.complaints(about: ends, copies: copies, isHonest: isHonest, over: wire) { copies[Array($0.utf8)] }
        if !storage.openUploads.isEmpty, isHonest, quirks.isDisjoint(with: Self.leaving) {
            complaints.append("left over: \(storage.openUploads)")
        }
        return complaints
    }

    private static func tree(_ storage: FakeStorage) -> [[UInt8]: [UInt8]] {
        Dictionary(storage.objects.map { (Array($0.key.utf8), $0.value.bytes) }) { $1 }
    }

    var description: String {
        let quirks = quirks.map { ".\($0)" }.sorted().joined(separator: ", ")
        return "StorageWorld(manner: .\(manner.rawValue), quirks: [\(quirks)], readsBack: \(readsBack), isKnown: \(isKnown), "
            + "errand: \(errand), theirs: \(theirs), troubles: \(WorldTrouble.text(troubles)))"
    }
}
