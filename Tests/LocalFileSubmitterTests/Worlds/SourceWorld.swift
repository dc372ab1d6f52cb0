import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import TestServers

@testable import LocalFileSubmitter

/// Photos on a file system of drawn manners, accepted and sent by the engine: to a folder, which copies by descriptor, and
/// to memory, which asks for bytes.
struct SourceWorld: DrawnWorld {
    var manners: Set<SourceManner> = []
    /// Bytes of each photo.
    var sizes = [300]
    var takesAnyFile = false
    var troubles: [Int: SourceTrouble] = [:]

    static func drawn(_ seed: UInt64) -> SourceWorld {
        var numbers = SeededNumbers(seed: seed)
        var world = SourceWorld()
        world.sizes = (0..<Int.random(in: 1...3, using: &numbers)).map {
            ([300, 300, 5000, 300_000].randomElement(using: &numbers) ?? 300) + $0
        }
        world.takesAnyFile = .random(using: &numbers)
        for manner in SourceManner.allCases.shuffled(using: &numbers).prefix(.random(in: 0...3, using: &numbers)) {
            world.manners.insert(manner)
        }
        for _ in 0..<Int.random(in: 0...3, using: &numbers) {
            world.troubles[.random(in: 0..<25 * world.sizes.count, using: &numbers)] =
                SourceTrouble.allCases.randomElement(using: &numbers)
        }
        return world
    }

    var smaller: [SourceWorld] {
        var all = manners.sorted { $0.rawValue < $1.rawValue }.flatMap { manner in changed { $0.manners.remove(manner) }
        }
        all += troubles.keys.sorted().flatMap { number in changed { $0.troubles[number] = nil } }
        if sizes.count > 1 { all += sizes.indices.flatMap { index in changed { $0.sizes.remove(at: index) } } }
        all += sizes.indices.flatMap { index in changed { $0.sizes[index] = 300 } }
        return all + changed { $0.takesAnyFile = false }
    }

    private static let destinations = ["folder", "memory"]

    func run() async throws -> [String] {
        let (folder, home, place) = (DrawnFolder(), TemporaryFolder(), InMemoryPlace())
        let source = Locked(DrawnSource(manners: manners, troubles: troubles))
        let paths = sizes.indices.map { "\(folder.path)/\($0).jpg" }
        DrawnFolder.truly {
            source.withLock { source in
                for (index, path) in paths.enumerated() {
                    let head: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
                    source.put(head + ScriptedBytes.content(count: sizes[index] - 4, seed: UInt64(index + 1)), path)
                }
            }
        }
        folder.answer { call in source.withLock { $0.answer(&call) } }
        let root = try home.folder("root")
        let journal = try Journal(path: FilePath(home.path("journal.sqlite")))
        let manager = try Self.manager(journal, root, place)
        let batch = try await manager.accept(
            SubmitRequest(
                paths: paths.map { FilePath($0) }, destinations: Self.destinations, takesAnyFile: takesAnyFile)
        ).batch
        try await manager.start([batch]).finish(patience: .seconds(5))

        let truth = source.withLock { $0 }
        var complaints = truth.complaints
        var told: [String: Set<[UInt8]>] = [:]
        let accepted = Set(try await journal.submissions(SubmissionSelection(batch: batch)).map(\.item.source.string))
        for path in paths where !accepted.contains(path) {
            if sends(path, truth, besides: []) { complaints.append("\(path) was not accepted") }
        }
        for destination in Self.destinations {
            for record in try await journal.submissions(SubmissionSelection(batch: batch, destination: destination)) {
                let path = record.item.source.string
                let about = "\(record.item.name) at \(destination)"
                switch record.state {
                case .done:
                    let name = record.receipt?.remoteID ?? ""
                    let copy = destination == "memory" ? place.contents[name] : Self.content("\(root)/\(name)")
                    told[destination, default: []].insert(Array(name.utf8))
                    guard let copy else {
                        complaints.append("\(about) is told as \(name), where nothing is")
                        continue
                    }
                    if Self.digest(copy) != record.item.digests[.sha256] {
                        complaints.append("\(about) is not what was accepted")
                    }
                    if truth.versions[path]?.contains(copy) != true {
                        complaints.append("\(about) was never so at the source")
                    }
                    // Where each look tells another number, only times and sizes tell another file from this one.
                    let marks: Set<SourceTrouble> =
                        manners.contains(.numbersAnew) ? [.touched, .rewritten, .shrinks, .grows] : []
                    let wasThere = truth.befell[path, default: []].isDisjoint(
                        with: marks.union([.vanishes, .replaced]))
                    if wasThere, let note = record.receipt?.note { complaints.append("\(about) is noted: \(note)") }
                case .failed:
                    if sends(path, truth, besides: accepted) {
                        complaints.append("\(about) failed (\(record.code ?? "")): \(record.message ?? "")")
                    }
                default: complaints.append("\(about) is \(record.state.name): \(record.message ?? "")")
                }
            }
        }
        let there = ["folder": TestFolder.all(root).subtracting([TestFolder.mark]), "memory": Set(place.contents.keys)]
        for (destination, names) in there {
            let left = names.filter { told[destination]?.contains(Array($0.utf8)) != true }
            if !left.isEmpty { complaints.append("left over at \(destination): \(left.sorted())") }
        }
        return complaints
    }

    /// Nothing keeps a photo from being sent; where it was accepted, what passes does neither.
    private func sends(_ path: String, _ truth: DrawnSource, besides accepted: Set<String>) -> Bool {
        let befell = truth.befell[path, default: []]
        guard manners.isDisjoint(with: [.tellsNothing, .tellsLess, .tellsMore]) else { return false }
        // What was read with zeros at acceptance is never there again.
        return accepted.contains(path) ? befell.allSatisfy { $0.passes && $0 != .zeroedOnce } : befell.isEmpty
    }

    private static func manager(_ journal: Journal, _ root: String, _ place: InMemoryPlace) throws -> SubmitManager {
        let manager = SubmitManager(
            store: journal.store, registry: try SubmitterRegistry(),
            policy: RetryPolicy(base: .milliseconds(1), longest: .milliseconds(4), attempts: 5))
        let type = LocalFileSubmitter.submitterType()
        let folder = try type.make(DestinationSettings(destination: "folder", values: ["path": root]))
        manager.add(Destination(name: "folder", type: type, submitter: folder))
        manager.add(
            Destination(
                name: "memory", type: InMemorySubmitter.submitterType(place: place), submitter: InMemorySubmitter(place)
            ))
        return manager
    }

    private static func content(_ path: String) -> [UInt8]? { DrawnFolder.truly { DrawnDisk.bytes(path) } }

    private static func digest(_ content: [UInt8]) -> [UInt8]? {
        var pass = DigestPass([.sha256])
        content.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256]
    }

    var description: String {
        let manners = manners.map { ".\($0.rawValue)" }.sorted().joined(separator: ", ")
        let troubles = troubles.sorted { $0.key < $1.key }.map { "\($0.key): .\($0.value.rawValue)" }.joined(
            separator: ", ")
        return "SourceWorld(manners: [\(manners)], sizes: \(sizes), takesAnyFile: \(takesAnyFile), "
            + "troubles: [\(troubles.isEmpty ? ":" : troubles)])"
    }
}
