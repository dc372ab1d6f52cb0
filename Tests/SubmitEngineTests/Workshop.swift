import CoreMetrics
import Foundation
import Logging
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

/// A manager with in-memory destinations, a journal and a folder of photos, all removed at the end.
final class Workshop: Sendable {
    let folder: FilePath
    let journal: Journal
    let manager: SubmitManager
    let places: [String: InMemoryPlace]

    /// Waits are short: what is tried again is tried at once.
    static let policy = RetryPolicy(base: .milliseconds(1), longest: .milliseconds(4), attempts: 5)

    init(
        _ destinations: [String: Capabilities] = [
            "a": InMemorySubmitter.capabilities, "b": InMemorySubmitter.capabilities,
        ],
        policy: RetryPolicy = Workshop.policy, logger: Logger? = nil, metrics: (any MetricsFactory)? = nil
    ) throws {
        folder = FilePath(NSTemporaryDirectory()).appending("submit-workshop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: folder.appending("photos").string, withIntermediateDirectories: true)
        journal = try Journal(path: folder.appending("journal.sqlite"))
        places = destinations.mapValues { _ in InMemoryPlace() }
        manager = try Self.manager(journal, destinations, places, policy, logger, metrics)
        self.destinations = destinations
    }

    private let destinations: [String: Capabilities]

    deinit {
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    private static func manager(
        _ journal: Journal, _ destinations: [String: Capabilities], _ places: [String: InMemoryPlace],
        _ policy: RetryPolicy, _ logger: Logger? = nil, _ metrics: (any MetricsFactory)? = nil
    ) throws -> SubmitManager {
        let manager = SubmitManager(
            store: journal.store, registry: try SubmitterRegistry(), policy: policy,
            logger: logger ?? Logger(label: "none") { _ in SwiftLogNoOpLogHandler() },
            metrics: metrics ?? NOOPMetricsHandler.instance)
        for (name, facts) in destinations {
            guard let place = places[name] else { continue }
            manager.add(
                Destination(
                    name: name, type: InMemorySubmitter.submitterType(capabilities: facts),
                    submitter: InMemorySubmitter(place, capabilities: facts),
                    settings: DestinationSettings(destination: name)))
        }
        return manager
    }

    /// Another manager on the same journal and the same places, as another process has it.
    func otherManager() throws -> SubmitManager {
        try Self.manager(
            Journal(path: folder.appending("journal.sqlite")), destinations, places, Workshop.policy)
    }

    subscript(place: String) -> InMemoryPlace { places[place]! }

    /// A gate that what is sent to these places waits at, before its first byte.
    func gate(at places: String...) -> Gate {
        let gate = Gate()
        for place in places {
            self[place].script = { moment, _, _ in
                if moment == .beforeSending { await gate.pass() }
                return .success(())
            }
        }
        return gate
    }

    /// Writes a small JPEG, different for each name.
    @discardableResult
    func photo(_ name: String, bytes count: Int = 300) throws -> FilePath {
        let path = folder.appending("photos").appending(name)
        try Data(Self.jpeg(count, seed: UInt64(truncatingIfNeeded: name.hashValue)))
            .write(to: URL(fileURLWithPath: path.string))
        return path
    }

    static func jpeg(_ count: Int, seed: UInt64) -> [UInt8] {
        [0xff, 0xd8, 0xff, 0xe0] + ScriptedBytes.content(count: max(0, count - 4), seed: seed)
    }

    func photos(_ count: Int) throws -> [FilePath] {
        try (0..<count).map { try photo(String(format: "IMG_%04d.jpg", $0)) }
    }

    /// Accepts, without sending anything.
    func accept(_ paths: [FilePath], to names: [String]? = nil) async throws -> BatchID {
        try await manager.accept(SubmitRequest(paths: paths, destinations: names ?? places.keys.sorted())).batch
    }

    /// Sends until nothing can go out any more.
    func run(_ batch: BatchID, patience: Duration = .seconds(20)) async throws {
        try await manager.start([batch]).finish(patience: patience)
    }

    /// Where a batch stands after ``run(_:patience:)``.
    func summary(_ batch: BatchID, patience: Duration = .seconds(20)) async throws -> RunSummary {
        let run = try await manager.start([batch])
        try await run.finish(patience: patience)
        return try await run.summary()
    }

    func states(_ batch: BatchID, at destination: String) async throws -> [SubmissionState: Int] {
        try await journal.tallies(SubmissionSelection(batch: batch, destination: destination))
            .reduce(into: [:]) { $0[$1.state] = $1.count }
    }

    func record(_ batch: BatchID, at destination: String, named name: String) async throws -> SubmissionRecord {
        let records = try await journal.submissions(SubmissionSelection(batch: batch, destination: destination))
        return try #require(records.first { $0.item.name == name })
    }
}

/// A gate that tasks wait at until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrivals = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let released = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.arrivals += 1
                let arrivals = state.arrivals
                var released = state.watchers.filter { $0.count <= arrivals }.map(\.continuation)
                state.watchers.removeAll { $0.count <= arrivals }
                if state.isOpen { released.append(continuation) } else { state.waiting.append(continuation) }
                return released
            }
            for continuation in released { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when `count` have arrived.
    func arrivals(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state -> Bool in
                if state.arrivals >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}

extension Workshop {
    /// Parks a destination by what a claim of it finds out.
    func hold(_ name: String, _ reason: HoldReason?, _ why: SubmitFailure) async throws {
        let request = SubmitRequest(paths: [try photo("for-\(name).jpg")], destinations: ["a"])
        _ = try await manager.accept(request)
        let worker = try await journal.makeWorker()
        let claim = try #require(
            try await worker.claim("a", first: [], others: true, limit: 1, inOrder: false).first)
        _ = try await journal.hold(name, reason, why, by: claim, isProbe: false, looks: nil)
        try await journal.settle(claim, .untried)
    }
}

extension BatchID {
    /// One that comes later.
    static func + (batch: BatchID, count: Int64) -> BatchID { BatchID(rawValue: batch.rawValue + count) }
}
