import Submit
import SubmitTesting
import TestServers

@testable import WebDAVSubmitter

/// A WebDAV server of drawn manners.
struct DAVWorld: DrawnWorld {
    var manners: Set<FakeDAV.Manner> = []
    var canReadBack = false
    /// Items of more than a kilobyte go in parts where the server takes some.
    var isInParts = false
    var errand: WorldErrand
    /// Files of others, by path; each has bytes of its own.
    var theirs: [String] = []
    var troubles: [Int: WorldTrouble] = [:]
    /// The server loses a copy afterwards, and it is brought again.
    var losesOne = false

    /// Of these no server has two, or none at which anything could be kept.
    private static let excluding: [[FakeDAV.Manner]] = [
        [.weakETags, .noETags, .md5ETags, .coarseETags, .ripensETags], [.ignoresConditions, .neverMatches],
        [.movesNowhere204, .movesNowhere500, .movesNowhere404, .movesMakingParents], [.hasNoMove, .refusesDestination],
        [.takesContentRange, .keepsFragment, .growsToTotal], [.storesHalf, .storesOthers],
        [.processesLater, .vanishesLater],
        [.demandsLocks, .demandsLocks428, .fakesLocks], [.normalises, .foldsCase], [.ocMtime, .claimsMtime],
        [.hasNoPropfind, .demandsLocks, .demandsLocks428], [.pagesListings, .cutsListings],
        [.cutsRanges, .ignoresRanges],
        // There nobody could tell how large anything is.
        [.headsNoLength, .listsNoLength, .hasNoPropfind],
        [.makesAgain, .thereSays301, .thereSays403, .thereSays406, .thereSays409, .thereSays423, .thereSays500],
        [.hasNoPropfind, .finds404In207, .findsStatus404In207, .findsErrorIn207],
        // Who stores beside what is there has no way to replace it but by MOVE.
        [.renamesUploads, .hasNoMove, .refusesDestination, .moveKeepsSource],
        [.renamesUploads, .demandsLocks, .demandsLocks428],
        // Nor any way to be rid of what broke off.
        [.renamesUploads, .deletesNothing200],
        // There nobody could tell what is a folder.
        [.hasNoPropfind, .headsFolders405, .headsFolders403, .headsFoldersAsFiles],
        [.redirectsFolders, .headsFolders405, .headsFolders403, .headsFoldersAsFiles],
    ]

    /// Those that may cost a photo come more often.
    private static let dangerous: [FakeDAV.Manner] = [
        .writesInPlace, .deletesWhatBrokeOff, .staleAfterBreak, .removesFirst, .movesIntoFolder, .movesNothing200,
        .failsAfterStoring, .failsAfterMoving, .finishesLater504, .renamesUploads, .processesLater, .vanishesLater,
        .appearsLater, .pagesListings, .cutsListings, .finds404In207, .moveKeepsSource, .movesInTwoSteps, .ripensETags,
        .tellsOldETag, .neverMatches, .headsFoldersAsFiles, .growsToTotal, .headsNoLength,
    ]

    /// Manners by which a server makes other bytes of what it was given, and says yes.
    private static let lies: Set<FakeDAV.Manner> = [.storesHalf, .storesOthers, .emptiesExpected, .keepsFragment]

    /// Manners by which something is left of whoever comes there, or has no way to be removed.
    private static let litters: Set<FakeDAV.Manner> = [.deletesNothing200, .renamesUploads]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "sea;1.jpg", "Salt & Pepper.jpg", "100%.jpg", "%41.jpg", "#1.jpg",
        "a b.jpg", "\u{e9}.jpg", "e\u{301}.jpg", "trailing.", ".hidden.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg",
        "_DSC1.jpg",
        String(repeating: "x", count: 200) + ".jpg",
    ]

    static func drawn(_ seed: UInt64) -> DAVWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = DAVWorld(errand: .drawn(names, sizes: [1, 300, 5000, 200_000], &numbers))
        // So many that they lie side by side in a folder of their own, and are looked at together.
        if Int.random(in: 0..<5, using: &numbers) == 0 {
            for name in names[4..<8] {
                world.errand.items.append(WorldErrand.Item(name: name, size: 300 + world.errand.items.count))
            }
            world.errand.width = 8
        }
        let all = (FakeDAV.Manner.allCases.filter { $0 != .loginPage } + dangerous).shuffled(using: &numbers)
        for manner in all.prefix(.random(in: 0...5, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(manner) && $0.contains(where: world.manners.contains) }
            if !isExcluded { world.manners.insert(manner) }
        }
        world.canReadBack = .random(using: &numbers)
        world.isInParts = .random(using: &numbers)
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        if Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append("ocean/their.jpg") }
        // A folder that is called as a photo of ours is.
        if Int.random(in: 0..<6, using: &numbers) == 0, !world.theirs.contains(names[0]) {
            world.theirs.append(names[0] + "/their.jpg")
        }
        world.troubles = WorldTrouble.drawn(in: 0..<400, &numbers)
        world.losesOne = Int.random(in: 0..<3, using: &numbers) == 0
        return world
    }

    var smaller: [DAVWorld] {
        var all = manners.sorted { $0.rawValue < $1.rawValue }.flatMap { manner in changed { $0.manners.remove(manner) }
        }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += errand.smaller.flatMap { errand in changed { $0.errand = errand } }
        all += changed { $0.losesOne = false }
        return all + changed { $0.isInParts = false } + changed { $0.canReadBack = false }
    }

    func run() async throws -> [String] {
        let server = FakeDAV(manners)
        for (index, path) in theirs.enumerated() {
            server.put(ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index)), path)
        }
        var before = server.tree
        var settings: [String: String] = canReadBack ? ["verify": "readback"] : [:]
        if isInParts { settings.merge(["parts_above": "1KiB", "part_size": "64KiB"]) { $1 } }
        let (notes, wire) = (TransientNotes(), WorldWire(server, troubles, torsos: server.torsos))
        let makeSubmitter = { @Sendable [settings] (process: WorldProcess) in
            try server.submitter(settings, transport: ValidatingTransport(process), notes: notes)
        }
        // A lock that someone lost comes to its end.
        let later = { @Sendable in server.change { $0.locks = [] } }
        var ends = try await errand.run(over: wire, later: later, makeSubmitter)
        var complaints = try await audit(ends, server, over: wire, makeSubmitter)
        if losesOne, let lost = ends.firstIndex(where: { $0?.copy != nil }), let copy = ends[lost]?.copy {
            server.lose(copy.remoteID)
            before[Array(copy.remoteID.utf8)] = nil
            // Where one of ours replaced another it is the copy of both, and both are brought again.
            let losers = ends.indices.filter { ends[$0]?.copy?.remoteID == copy.remoteID }
            complaints += try await audit(ends, server, over: wire, makeSubmitter)
            for loser in losers { ends[loser] = nil }
            ends = try await errand.run(over: wire, after: ends, later: later, makeSubmitter)
        }
        return complaints + self.complaints(about: ends, server, theirs: before, over: wire)
    }

    private func complaints(
        about ends: [WorldErrand.End?], _ server: FakeDAV, theirs before: [[UInt8]: [UInt8]], over wire: WorldWire
    ) -> [String] {
        let copies = server.tree.filter { !Self.isOfOurs(String(decoding: $0.key, as: UTF8.self)) }
        let isHonest = manners.isDisjoint(with: Self.lies)
        var complaints =
            errand.complaints(theirs: before, copies: copies, isHonest: isHonest) { server.content($0) }
            + errand.complaints(about: ends, copies: copies, isHonest: isHonest, over: wire) { server.content($0) }
        if !isHonest { return complaints }
        for case .failed(let failure)? in ends where failure.code != "name-taken" {
            complaints.append("given up (\(failure.code)): \(failure)")
        }
        let contents = errand.sources.map(\.content)
        for (path, content) in copies where before[path] != content && !contents.contains(content) {
            let name = String(reflecting: String(decoding: path, as: UTF8.self))
            complaints.append("\(name) holds \(content.count) bytes that nobody meant")
        }
        let remains = (Array(server.files.keys) + server.names).filter(Self.isOfOurs)
        if !remains.isEmpty, manners.isDisjoint(with: Self.litters) {
            complaints.append("left over: \(Set(remains).sorted())")
        }
        return complaints
    }

    /// Asks for each copy, over the same wire and while the server is away.
    private func audit(
        _ ends: [WorldErrand.End?], _ server: FakeDAV, over wire: WorldWire,
        _ makeSubmitter: (WorldProcess) throws -> WebDAVSubmitter
    ) async throws -> [String] {
        guard let presence = try makeSubmitter(WorldProcess(wire)).facets.presence else { return [] }
        let away = WorldWire(server, Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, .status503) }))
        guard let presenceAway = try makeSubmitter(WorldProcess(away)).facets.presence else { return [] }
        return await errand.complaints(auditing: ends, by: presence, whileAway: presenceAway) { server.content($0) }
    }

    private static func isOfOurs(_ path: String) -> Bool {
        path.split(separator: "/").contains { TemporaryName.isOne(String($0)) }
    }

    var description: String {
        let manners = manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        return
            "DAVWorld(manners: [\(manners)], canReadBack: \(canReadBack), isInParts: \(isInParts), errand: \(errand), "
            + "theirs: \(theirs), troubles: \(WorldTrouble.text(troubles)), losesOne: \(losesOne))"
    }
}
