import Submit
import SubmitTesting
import TestServers

@testable import ObjectStorageSubmitter

/// What only an object storage by S3's protocol does, at one request.
enum BucketTrouble: String, Sendable, CaseIterable {
    /// 503 `SlowDown`, 403 `RequestTimeTooSkewed`, 307, 409 `OperationAborted`: "List of error codes" in Amazon's reference.
    case slowDown, skewed, redirected, busy
    /// A page for people with the status 200, of a front.
    case page
    /// 507 to what stores something: MinIO (api-errors.go:1299).
    case quota
    /// All uploads are gone: gofakes3 keeps them in memory (uploader.go:150-178), lifecycle rules end them.
    case forgetsUploads
    /// Someone stores under the first name.
    case rival

    /// As Swift.
    static func text(_ troubles: [Int: BucketTrouble]) -> String {
        let all = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }
        return "[\(all.isEmpty ? ":" : all.joined(separator: ", "))]"
    }
}

/// An object storage of drawn manners.
struct StorageWorld: DrawnWorld {
    var manner = FakeStorage.Manner.s3
    var quirks: Set<FakeUploads.Quirk> = []
    var canReadBack = false
    /// What the server does was found out before.
    var isKnown = false
    /// How many items look first before it is tried out whether that is necessary; `nil` for more than there are.
    var triesAfter: Int?
    var errand: WorldErrand
    /// Objects of others, by key; each has bytes of its own.
    var theirs: [String] = []
    var troubles: [Int: WorldTrouble] = [:]
    /// By the number of the request that reaches the server.
    var serverTroubles: [Int: BucketTrouble] = [:]

    /// By which a server makes other bytes of what it was given, and says yes, or shows other bytes than it has.
    private static let lies: Set<FakeUploads.Quirk> = [.storesNothing, .storesLess, .otherRanges]

    /// Of these uploads nobody can say that they are over.
    private static let leaving: Set<FakeUploads.Quirk> = [
        .abortsNever, .keepsCompleted, .namesNoUpload, .listsNoUploads, .closesLate, .abortsTwice, .listsCompleted,
        .listsNoParts, .abortHollows, .uploadsWithoutTime, .completesUnknown,
    ]

    /// Of these no server has two.
    private static let excluding: [[FakeUploads.Quirk]] = [
        [
            .hidesWhileCompleting, .busyCompleting, .closesLate, .abortHollows, .storesAnd503, .headsLag, .errorIn200,
            .failedCompleteLosesParts, .quotaEndsUpload,
        ],
        [.etagsDifferOnHead, .emptyETagsOnHead],
        // Who is not let see what lags waits for those who let him.
        [.absentIs403, .headsLag], [.absentIs403, .storesAnd503], [.absentIs403, .busyCompleting],
        [.absentIs403, .hidesWhileCompleting],
        // Where it is not told what an upload has nobody can know what its end takes along.
        [.listsPartsEmpty, .closesLate], [.listsPartsEmpty, .abortHollows],
    ]

    /// By these conditions are not what they seem.
    static let fickle: [FakeUploads.Quirk] = [
        .heedsEveryOther, .heedsSmallOnly, .heedsLate, .keepsAndSays200, .replacesAndSays412,
    ]

    /// What is there shows late by these.
    private static let lagging: Set<FakeUploads.Quirk> = [
        .hidesWhileCompleting, .busyCompleting, .storesAnd503, .headsLag,
    ]

    /// By these items cannot be stored.
    private static let forbidding: Set<FakeUploads.Quirk> = [
        .absentIs403, .conflictsOverwrite, .namesNoUpload,
    ]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Salt & Pepper.jpg", "100%.jpg", "%41.jpg", "#1.jpg",
        "a b.jpg",
        "a+b.jpg", "\u{e9}.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg",
    ]

    static func drawn(_ seed: UInt64) -> StorageWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = StorageWorld(errand: .drawn(names, sizes: [1, 300, 5000, 100_000], &numbers))
        world.manner = FakeStorage.Manner.allCases.randomElement(using: &numbers) ?? .s3
        for quirk in FakeUploads.Quirk.allCases.shuffled(using: &numbers).prefix(.random(in: 0...4, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(quirk) && $0.contains(where: world.quirks.contains) }
            if !isExcluded { world.quirks.insert(quirk) }
        }
        world.canReadBack = .random(using: &numbers)
        world.isKnown = .random(using: &numbers)
        if .random(using: &numbers) { world.triesAfter = .random(in: 1...3, using: &numbers) }
        // What they come to shows only where they are tried out.
        if world.triesAfter != nil, .random(using: &numbers) {
            world.manner = .s3
            if let quirk = fickle.randomElement(using: &numbers) { world.quirks.insert(quirk) }
        }
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        // Nothing is locked by this protocol.
        world.troubles = WorldTrouble.drawn(in: 0..<60, &numbers).filter { $0.value != .status423 }
        for _ in 0..<Int.random(in: 0...2, using: &numbers) {
            let number = Int.random(in: 0..<60, using: &numbers)
            world.serverTroubles[number] = BucketTrouble.allCases.randomElement(using: &numbers)
        }
        // Where looks are stale and conditions ignored nobody can know what is replaced.
        if world.manner != .s3 || !world.quirks.isDisjoint(with: fickle) { world.quirks.subtract(lagging) }
        // A name that is another one there is replaced by its owner's leave.
        if world.errand.policy == .overwrite { world.quirks.remove(.foldsCase) }
        // Of no server that is known are ETags like that.
        if !world.quirks.isDisjoint(with: [.etagsDifferOnHead, .emptyETagsOnHead]) { world.isKnown = false }
        // Who comes in the moment between a look and a PUT is replaced where conditions are ignored, or not known of.
        if world.manner != .s3 || !world.isKnown || !world.quirks.isDisjoint(with: fickle) {
            world.serverTroubles = world.serverTroubles.filter { $0.value != .rival }
        }
        return world
    }

    var smaller: [StorageWorld] {
        var all = FakeUploads.Quirk.allCases.flatMap { quirk in changed { $0.quirks.remove(quirk) } }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += serverTroubles.keys.sorted().flatMap { number in changed { $0.serverTroubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += errand.smaller.flatMap { errand in changed { $0.errand = errand } }
        return all + changed { $0.canReadBack = false } + changed { $0.isKnown = false } + changed { $0.manner = .s3 }
            + changed { $0.triesAfter = nil }
    }

    func run() async throws -> [String] {
        let storage = FakeStorage(manner, quirks: quirks)
        for (index, key) in theirs.enumerated() {
            let bytes = ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index))
            storage.put(bytes, at: key)
            storage.change { $0.theirs[$0.uploads.name(key)] = bytes }
        }
        storage.change { state in
            (state.troubles, state.rivalKey) = (serverTroubles, errand.items.first?.name ?? "")
        }
        var settings = ["parts_above": "1KiB", "part_size": "32KiB"]
        if canReadBack { settings["verify"] = "readback" }
        var profile = S3Profile.smallParts
        if isKnown, manner == .s3 { (profile.putsConditionally, profile.completesConditionally) = (true, true) }
        let (wire, notes) = (WorldWire(storage, troubles), TransientNotes())
        let ends = try await errand.run(over: wire, later: storage.settle) { [settings, profile, triesAfter] process in
            try storage.submitter(
                settings, profile: profile, notes: notes, transport: process,
                triesAfter: triesAfter ?? PreflightPolicy.usualTrial)
        }
        storage.settle()
        var (copies, before) = (Self.tree(storage.objects.mapValues(\.bytes)), Self.tree(storage.theirs))
        // Of a trial that was broken off one may stay, which is found by its name.
        if !troubles.isEmpty || !serverTroubles.isEmpty {
            copies = copies.filter { !$0.key.starts(with: ScratchObject.mark.utf8) }
        }
        let isHonest = quirks.isDisjoint(with: Self.lies)
        func named(_ key: String) -> String { quirks.contains(.foldsCase) ? key.lowercased() : key }
        func content(_ key: String) -> [UInt8]? { copies[Array(named(key).utf8)] }
        var folded = errand
        for index in errand.items.indices { folded.items[index].name = named(errand.items[index].name) }
        var complaints =
            folded.complaints(theirs: before, copies: copies, isHonest: isHonest, content: content)
            + errand.complaints(about: ends, copies: copies, isHonest: isHonest, over: wire, content: content)
        guard isHonest else { return complaints }
        complaints += errand.complaints(aboutOthersIn: copies, before: before)
        if quirks.isDisjoint(with: Self.forbidding) { complaints += errand.complaints(aboutGivingUp: ends) }
        // An upload that may be what an object is made of stays where nobody knows what an abort takes along.
        let mayStay = !quirks.isDisjoint(with: Self.lagging) && !(troubles.isEmpty && serverTroubles.isEmpty)
        if !storage.openUploads.isEmpty, quirks.isDisjoint(with: Self.leaving), !mayStay {
            complaints.append("left over: \(storage.openUploads)")
        }
        storage.change { $0.troubles = [:] }
        let auditor = try storage.submitter(settings, profile: profile)
        return complaints + (await errand.complaints(auditing: ends, by: auditor, content: content))
    }

    private static func tree(_ objects: [String: [UInt8]]) -> [[UInt8]: [UInt8]] {
        Dictionary(objects.map { (Array($0.key.utf8), $0.value) }) { $1 }
    }

    var description: String {
        let quirks = quirks.map { ".\($0)" }.sorted().joined(separator: ", ")
        return
            "StorageWorld(manner: .\(manner.rawValue), quirks: [\(quirks)], canReadBack: \(canReadBack), isKnown: \(isKnown), "
            + "triesAfter: \(triesAfter.map(String.init) ?? "nil"), errand: \(errand), theirs: \(theirs), troubles: \(WorldTrouble.text(troubles)), "
            + "serverTroubles: \(BucketTrouble.text(serverTroubles)))"
    }
}
