import Submit
import SubmitTesting
import TestServers

@testable import WebDAVSubmitter

/// A WebDAV server of drawn manners.
struct DAVWorld: DrawnWorld {
    var manners: Set<FakeDAV.Manner> = []
    var readsBack = false
    /// Items of more than a kilobyte go in parts where the server takes some.
    var isInParts = false
    var errand: WorldErrand
    /// Files of others, by path; each has bytes of its own.
    var theirs: [String] = []
    var troubles: [Int: WorldTrouble] = [:]

    /// Of these no server has two, or none at which anything could be kept.
    private static let excluding: [[FakeDAV.Manner]] = [
        [.weakETags, .noETags, .md5ETags, .coarseETags], [.movesNowhere204, .movesNowhere500, .movesNowhere404],
        [.takesContentRange, .keepsFragment], [.storesHalf, .storesOthers], [.demandsLocks, .demandsLocks428],
        [.normalises, .foldsCase], [.hasNoPropfind, .demandsLocks, .demandsLocks428],
    ]

    /// Manners by which a server makes other bytes of what it was given, and says yes.
    private static let lies: Set<FakeDAV.Manner> = [.storesHalf, .storesOthers, .emptiesExpected, .keepsFragment]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Salt & Pepper.jpg", "100%.jpg", "%41.jpg", "#1.jpg", "a b.jpg",
        "\u{e9}.jpg", "e\u{301}.jpg", "trailing.", ".hidden.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg",
        String(repeating: "x", count: 200) + ".jpg",
    ]

    static func drawn(_ seed: UInt64) -> DAVWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = DAVWorld(errand: .drawn(names, sizes: [1, 300, 5000, 200_000], &numbers))
        let all = FakeDAV.Manner.allCases.filter { $0 != .loginPage }.shuffled(using: &numbers)
        for manner in all.prefix(.random(in: 0...5, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(manner) && $0.contains(where: world.manners.contains) }
            if !isExcluded { world.manners.insert(manner) }
        }
        world.readsBack = .random(using: &numbers)
        world.isInParts = .random(using: &numbers)
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        if Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append("ocean/their.jpg") }
        world.troubles = WorldTrouble.drawn(in: 0..<400, &numbers)
        return world
    }

    var smaller: [DAVWorld] {
        var all = manners.sorted { $0.rawValue < $1.rawValue }.flatMap { manner in changed { $0.manners.remove(manner) } }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += errand.smaller.flatMap { errand in changed { $0.errand = errand } }
        return all + changed { $0.isInParts = false } + changed { $0.readsBack = false }
    }

    func run() async throws -> [String] {
        let server = FakeDAV(manners)
        for (index, path) in theirs.enumerated() {
            server.put(ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index)), path)
        }
        let before = server.tree
        var settings: [String: String] = readsBack ? ["verify": "readback"] : [:]
        if isInParts { settings.merge(["parts_above": "1KiB", "part_size": "64KiB"]) { $1 } }
        let (notes, wire) = (
            PassingNotes(), WorldWire(server, troubles, keepsWhatBrokeOff: manners.contains(.keepsWhatBrokeOff))
        )
        // A lock that someone lost comes to its end.
        let ends = try await errand.run(over: wire, later: { server.change { $0.locks = [] } }) { process in
            try server.submitter(settings, transport: ValidatingTransport(process), notes: notes)
        }
        let copies = server.tree.filter { !Self.isOfOurs(String(decoding: $0.key, as: UTF8.self)) }
        let isHonest = manners.isDisjoint(with: Self.lies)
        var complaints =
            errand.complaints(theirs: before, copies: copies, isHonest: isHonest) { server.content($0) }
            + errand.complaints(about: ends, copies: copies, isHonest: isHonest, over: wire) { server.content($0) }
        let remains = (Array(server.files.keys) + server.names).filter(Self.isOfOurs)
        if !remains.isEmpty, isHonest { complaints.append("left over: \(Set(remains).sorted())") }
        return complaints
    }

    private static func isOfOurs(_ path: String) -> Bool {
        path.split(separator: "/").contains { TemporaryName.isOne(String($0)) }
    }

    var description: String {
        let manners = manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        return "DAVWorld(manners: [\(manners)], readsBack: \(readsBack), isInParts: \(isInParts), errand: \(errand), "
            + "theirs: \(theirs), troubles: \(WorldTrouble.text(troubles)))"
    }
}
