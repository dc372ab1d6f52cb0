import Submit
import SubmitStore
import SubmitEngine
import SubmitJournal
import SystemPackage

/// Through the engine, with a submitter that has nothing to do: what is left is what every destination costs.
enum EnginePaths {
    /// Files are read, inspected and written down.
    @Sendable static func accept(_ count: Int, _ folder: FilePath) async throws {
        let engine = try Engine(folder)
        _ = try await engine.manager.accept(SubmitRequest(paths: engine.folders(count), destinations: ["next"]))
    }

    /// What was accepted is claimed, opened, handed to the submitter, and settled.
    @Sendable static func pay(_ count: Int, _ folder: FilePath) async throws {
        let engine = try Engine(folder)
        // All are accepted whatever the count is; those that are not to be counted wait for somebody else.
        let paid = engine.folders(count)
        let others = engine.folders(CountedPaths.most).dropFirst(paid.count)
        let batch = try await engine.manager.accept(SubmitRequest(paths: paid, destinations: ["next"])).batch
        if !others.isEmpty {
            _ = try await engine.manager.accept(SubmitRequest(paths: Array(others), destinations: ["later"]))
        }
        engine.manager.remove(destination: "later")
        let run = try await engine.manager.start([batch])
        try await run.finish()
        let summary = try await run.summary()
        precondition(summary.done == count)
    }

    /// An engine on a new journal, and two folders with half of the files each.
    private struct Engine {
        let manager: SubmitManager
        private let halves: [FilePath]

        init(_ folder: FilePath) throws {
            let files = try SampleFiles()
            halves = ["first", "second"].map { folder.appending($0) }
            for (index, half) in halves.enumerated() {
                _ = try files.make(CountedPaths.most / 2, in: half, seed: UInt64(index + 1))
            }
            let type = SubmitterType(
                name: "idle", summary: "does nothing", capabilities: IdleSubmitter.capabilities, settings: []
            ) { _ in IdleSubmitter() }
            manager = SubmitManager(
                store: try Journal(path: folder.appending("journal.sqlite")).store,
                registry: try SubmitterRegistry([type]))
            for name in ["next", "later"] { try manager.addDestination(name, type: "idle") }
        }

        func folders(_ count: Int) -> [FilePath] {
            let number = count * halves.count / CountedPaths.most
            precondition(number * CountedPaths.most / halves.count == count, "The count is a whole number of folders.")
            return Array(halves.prefix(number))
        }
    }
}

/// Takes everything at once, as an object storage would.
private struct IdleSubmitter: Submitter {
    static let capabilities = Capabilities(
        ordering: .concurrent(8), requiresNetwork: false, digests: [.sha256, .md5, .crc32c], usesCaptureTime: true)

    var capabilities: Capabilities { Self.capabilities }
    var facets: Facets { Facets() }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        Receipt(remoteID: item.name, evidence: .verified)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String { "It does nothing." }
}
