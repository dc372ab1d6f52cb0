import Submit
import SubmitConcurrency
import SubmitTesting
import TestServers

@testable import LocalFileSubmitter

/// A folder on a file system of drawn manners.
struct FileWorld: DrawnWorld {
    var manners: Set<FileManner> = []
    var refusals: [FileRefusal: FileError] = [:]
    var errand: WorldErrand
    /// Where items go, as a template says it.
    var album: String?
    /// Files of others, by path; each has bytes of its own.
    var theirs: [String] = []
    var troubles: [Int: FileTrouble] = [:]

    /// Of these no file system has two.
    private static let excluding: [[FileManner]] = [
        [.foldsCase, .hidesFoldedNames], [.refusesCharacters, .knowsNoCharacters], [.numbersAnew, .numbersByPath],
        [.deafSyncAll, .isShare], [.coarseTimes, .numbersAnew],
    ]

    private static let names = [
        "a.jpg", "b.jpg", "A.JPG", "ocean?.jpg", "a:b.jpg", "end.", "end ", "con.jpg", "\u{e9}.jpg", "e\u{301}.jpg",
        "山.jpg", ".hidden.jpg", "new\nline.jpg", "🌅.jpg", "a-1.jpg", String(repeating: "x", count: 150) + ".jpg",
    ]

    static func drawn(_ seed: UInt64) -> FileWorld {
        var numbers = SeededNumbers(seed: seed)
        let names = names.shuffled(using: &numbers)
        var world = FileWorld(errand: .drawn(names, sizes: [1, 300, 5000, 200_000], &numbers))
        world.errand.hasFiles = .random(using: &numbers)
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            // So many at once are synced together.
            for name in names[4..<8] {
                world.errand.items.append(.init(name: name, size: 300 + world.errand.items.count))
            }
            world.errand.width = 8
        }
        let all = FileManner.allCases.shuffled(using: &numbers)
        for manner in all.prefix(.random(in: 0...4, using: &numbers)) {
            let isExcluded = excluding.contains { $0.contains(manner) && $0.contains(where: world.manners.contains) }
            if !isExcluded { world.manners.insert(manner) }
        }
        for refusal in FileRefusal.allCases.shuffled(using: &numbers).prefix(.random(in: 0...4, using: &numbers)) {
            world.refusals[refusal] = refusal.errors.randomElement(using: &numbers)
        }
        if Int.random(in: 0..<3, using: &numbers) == 0 {
            world.album = ["Rome", "Rome: 2024?", "a/b"].randomElement(using: &numbers)
        }
        for name in names.prefix(4) where Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append(name) }
        if Int.random(in: 0..<3, using: &numbers) == 0 { world.theirs.append("ROME/their.jpg") }
        for _ in 0..<Int.random(in: 0...4, using: &numbers) {
            world.troubles[.random(in: 0..<150, using: &numbers)] = FileTrouble.allCases.randomElement(using: &numbers)
        }
        // The mark goes with all names that cannot be synced, and the number is another one: only people know that it is the same
        // folder, and are asked.
        if world.manners.contains(.numbersAnew), world.refusals[.folderSync] != nil {
            world.troubles = world.troubles.filter { $0.value != .readOnly }
        }
        return world
    }

    var smaller: [FileWorld] {
        var all = manners.sorted { $0.rawValue < $1.rawValue }.flatMap { manner in changed { $0.manners.remove(manner) }
        }
        all += refusals.keys.sorted { $0.rawValue < $1.rawValue }.flatMap { key in changed { $0.refusals[key] = nil } }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        all += theirs.indices.flatMap { index in changed { $0.theirs.remove(at: index) } }
        all += changed { $0.album = nil }
        return all + errand.smaller.flatMap { errand in changed { $0.errand = errand } }
    }

    func run() async throws -> [String] {
        let stranger = (name: errand.items[0].name, content: ScriptedBytes.content(count: 77, seed: 999))
        let disk = DrawnFileSystem(
            manners, refusals: refusals, troubles: troubles, sleeps: errand.width > 1, stranger: stranger)
        for (index, path) in theirs.enumerated() {
            disk.put(ScriptedBytes.content(count: 150 + index, seed: UInt64(1000 + index)), path)
        }
        let (before, notes) = (disk.tree, WorldNotes())
        var settings = ["path": disk.root]
        if let album { settings["template"] = "\(album)/{name}" }
        func submitter() throws -> any Submitter {
            try LocalFileSubmitter.submitterType().make(
                DestinationSettings(destination: "test", values: settings, notes: notes))
        }
        let ends = try await errand.run(
            waitsForPeople: true, later: { disk.later() }, process: { notes.isOf(disk.process()) }
        ) { _ in try submitter() }
        disk.mend()
        let copies = disk.tree.filter {
            !Self.isOfOurs($0.key) && $0.key != Array(Self.mark.utf8) && $0.value != stranger.content
        }
        var complaints =
            disk.complaints
            + errand.complaints(theirs: before, copies: copies, isHonest: true) { disk.content($0) }
            + errand.complaints(about: ends, copies: copies, isHonest: true) { disk.content($0) }
        // Who has a lock for ever is waited for, a little each time.
        if disk.slept > 1_900_000, errand.width == 1, !manners.contains(.locksHang) {
            complaints.append("\(disk.slept) microseconds of sleep")
        }
        let (presence, sources) = (try submitter().facets.presence, errand.sources)
        for (index, end) in ends.enumerated() {
            let item = errand.items[index]
            switch end {
            case .done(let receipt)
            where receipt.evidence != .unknown && disk.content(receipt.remoteID) == sources[index].content:
                let there = await presence?.presence(of: sources[index].item(named: item.name), receipt: receipt)
                if there != .present(.verified) { complaints.append("\(item.name) is told as \(there as Any)") }
                if isToldOfSync, !disk.isDurable(receipt.remoteID) {
                    complaints.append("\(item.name) is told as there, and not on disk")
                }
                if takesAllNames, !receipt.remoteID.hasSuffix(item.name) {
                    complaints.append("\(item.name) is called \(receipt.remoteID)")
                }
            case .failed(let failure) where !isToBeExpected(failure):
                complaints.append("\(item.name) failed (\(failure.code)): \(failure)")
            default: break
            }
        }
        let known = Set(before.values).union(errand.sources.map(\.content))
        for (path, content) in copies where !known.contains(content) {
            complaints.append("nobody's file is at \(String(decoding: path, as: UTF8.self)), of \(content.count) bytes")
        }
        var remains = disk.tree.keys.filter(Self.isOfOurs).map { String(decoding: $0, as: UTF8.self) }
        // What a killed process tried there and is not listed, the next trial finds.
        if manners.contains(.listsLate) { remains.removeAll { $0.hasPrefix(".submit-names/") } }
        if !remains.isEmpty { complaints.append("left over: \(remains.sorted())") }
        return complaints
    }

    /// The manners leave a way to know what is on the disk.
    private var isToldOfSync: Bool {
        refusals[.fileSync] == nil && refusals[.folderSync] == nil
    }

    /// Nothing is there that has a name of ours, and all can be stored.
    private var takesAllNames: Bool {
        manners.isDisjoint(with: [
            .foldsCase, .hidesFoldedNames, .refusesCharacters, .knowsNoCharacters, .dropsEnds, .decomposes, .shortNames,
        ]) && theirs.isEmpty && !troubles.values.contains(.stranger) && !hasTwins
    }

    /// Two of ours have one name.
    private var hasTwins: Bool { Set(errand.items.map(\.name)).count < errand.items.count }

    private func isToBeExpected(_ failure: SubmitFailure) -> Bool {
        switch failure.code {
        // They replace each other.
        case "taken-away": errand.policy == .overwrite && hasTwins
        case "name-taken": errand.policy == .fail || manners.contains(.hidesFoldedNames)
        case "too-large": manners.contains(.smallFiles)
        default: false
        }
    }

    /// By which the folder is known.
    private static let mark = ".submit-folder"

    /// Hidden files that a file system makes are gone when the last has closed them.
    private static func isOfOurs(_ path: [UInt8]) -> Bool {
        String(decoding: path, as: UTF8.self).split(separator: "/").contains {
            $0 != mark && ($0.hasPrefix(".submit-") || $0.hasPrefix(".fuse_hidden"))
        }
    }

    var description: String {
        let manners = manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        let refusals = refusals.map { ".\($0.key.rawValue): .\($0.value)" }.sorted().joined(separator: ", ")
        let troubles = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }.joined(
            separator: ", ")
        return "FileWorld(manners: [\(manners)], refusals: [\(refusals.isEmpty ? ":" : refusals)], errand: \(errand), "
            + "album: \(album.map { String(reflecting: $0) } ?? "nil"), theirs: \(theirs), "
            + "troubles: [\(troubles.isEmpty ? ":" : troubles)])"
    }
}

/// What a destination notes down; that of a dead process nobody reads.
private final class WorldNotes: DestinationNotes {
    private let notes = TransientNotes()
    private let process = Locked<(any MortalProcess)?>(nil)

    func isOf<Process: MortalProcess>(_ process: Process) -> Process {
        self.process.withLock { $0 = process }
        return process
    }

    var holdsCopies: Bool { get async { await notes.holdsCopies } }
    func read(_ topic: String) async -> [UInt8]? { await notes.read(topic) }
    func write(_ topic: String, _ note: [UInt8]?) async {
        if process.withLock({ $0?.isDead }) != true { await notes.write(topic, note) }
    }
}
