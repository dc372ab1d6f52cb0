internal import Foundation
public import Submit
public import SubmitJournal
public import SystemPackage

/// The manager: destinations by name, what is owed to them, and the queues that pay it.
///
/// Everything it is told is in the journal before it has any effect. One manager may accept and run at the same time;
/// several processes may share one journal, and each submission is worked on by one of them.
public final class SubmitManager: Sendable {
    public let journal: Journal
    private let policy: RetryPolicy
    let hub = EventHub()
    private let registered: Locked<SubmitterRegistry>
    let known = Locked<[String: Destination]>([:])
    private let begun = Locked<[BegunRun]>([])

    /// Weak, because a run holds its manager, and whoever began it holds it until it has ended.
    private struct BegunRun {
        weak var run: Run?
    }

    private var runs: [Run] { begun.withLock { $0.compactMap { $0.run } } }

    public init(journal: Journal, registry: SubmitterRegistry, policy: RetryPolicy = RetryPolicy()) {
        self.journal = journal
        self.policy = policy
        registered = Locked(registry)
    }

    /// Everything that happens from now on. Each caller gets every event.
    public func events() -> AsyncStream<SubmitEvent> {
        hub.stream()
    }

    /// Hands everything that happens from now on to `listener`, there where it happens, which costs less than a stream.
    /// The listener has to be quick.
    public func listen(_ listener: @escaping @Sendable (SubmitEvent) -> Void) {
        hub.listen(listener)
    }

    /// Ends every stream of events, after those that are on their way.
    public func endEvents() {
        hub.finish()
    }

    // MARK: Types

    /// The types that are registered, sorted by name.
    public var types: [SubmitterType] { registered.withLock { $0.types } }

    /// Adds a type; see ``SubmitterRegistry/register(_:)``.
    public func register(_ type: SubmitterType) throws(SubmitFailure) {
        try registered.withLock { (registry) throws(SubmitFailure) in try registry.register(type) }
    }

    /// Removes the type of this name, and no other. Destinations that were made of it stay.
    public func unregister(_ name: String) throws(SubmitFailure) {
        try registered.withLock { (registry) throws(SubmitFailure) in try registry.unregister(name) }
    }

    public func unregisterAll() {
        registered.withLock { $0.unregisterAll() }
    }

    /// The type of this name; see ``SubmitterRegistry/type(named:)``.
    public func type(named name: String) throws(SubmitFailure) -> SubmitterType {
        try registered.withLock { (registry) throws(SubmitFailure) in try registry.type(named: name) }
    }

    // MARK: Destinations

    /// The destinations, sorted by name.
    public var destinations: [Destination] {
        known.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    /// Adds a destination, or replaces the one of this name.
    public func add(_ destination: Destination) {
        known.withLock { $0[destination.name] = destination }
    }

    /// Removes the destination of this name. What it is owed stays in the journal.
    public func remove(destination name: String) {
        known.withLock { _ = $0.removeValue(forKey: name) }
    }

    /// The destination of this name.
    ///
    /// - Throws: when there is none, with the nearest names.
    public func destination(named name: String) throws(SubmitFailure) -> Destination {
        let all = known.withLock { $0 }
        if let destination = all[name] { return destination }
        throw SubmitFailure(
            .giveUp, code: "unknown-destination",
            "There is no destination “\(name)”\(NearestNames.hint(for: name, among: Array(all.keys))); "
                + "`submit destinations` lists them.")
    }

    // MARK: Work

    /// Accepts what `request` asks for: looks at every file, and writes down what is owed to whom.
    ///
    /// Each item is accepted when its ``SubmitEvent/accepted(_:batch:_:)`` comes; what is accepted is on disk. A run
    /// that is under way takes it up at once. Cancelling the task ends the acceptance; what was accepted stays.
    ///
    /// - Throws: ``SubmitError/failure(_:)`` when a destination is unknown or the album no album, before anything is
    ///   read; ``SubmitError/journal(_:)`` when the journal cannot be written.
    public func accept(
        _ request: SubmitRequest, into batch: BatchID? = nil
    ) async throws(SubmitError) -> (batch: BatchID, Acceptance) {
        try await accept(request, into: batch, except: [])
    }

    /// Begins a batch for a request, to be accepted into it; see ``accept(_:into:)``.
    public func begin(_ request: SubmitRequest) async throws(JournalFailure) -> BatchID {
        let text = try? JSONEncoder().encode(request)
        return try await journal.begin(request: text.map { String(decoding: $0, as: UTF8.self) })
    }

    /// Accepts what is missing of a batch whose acceptance was cut off, by a kill or an interruption.
    ///
    /// - Returns: `nil` for a batch that is complete.
    /// - Throws: as ``accept(_:into:)``. The batch stays open then.
    public func completeAcceptance(of batch: BatchID) async throws(SubmitError) -> Acceptance? {
        let request: SubmitRequest
        let accepted: Set<FilePath>
        do throws(JournalFailure) {
            guard let open = try openRequest(of: batch) else { return nil }
            request = open
            accepted = try journal.sources(of: batch)
        } catch {
            throw .journal(error)
        }
        return try await accept(request, into: batch, except: accepted).1
    }

    /// What a batch was asked for whose acceptance was cut off; `nil` for one that is complete.
    public func openRequest(of batch: BatchID) throws(JournalFailure) -> SubmitRequest? {
        guard let text = try journal.openRequest(of: batch) else { return nil }
        return try? JSONDecoder().decode(SubmitRequest.self, from: Data(text.utf8))
    }

    private func accept(
        _ request: SubmitRequest, into batch: BatchID?, except accepted: Set<FilePath>
    ) async throws(SubmitError) -> (batch: BatchID, Acceptance) {
        let acceptor: Acceptor
        do throws(SubmitFailure) {
            acceptor = try self.acceptor(request, except: accepted)
        } catch {
            throw .failure(error)
        }
        do throws(JournalFailure) {
            let batch = if let batch { batch } else { try await begin(request) }
            var acceptance = Acceptance()
            try await acceptor.run { (findings) async throws(JournalFailure) in
                try await self.accept(findings, acceptor, batch, &acceptance)
            }
            hub.announcements.forget(batch)
            if !Task.isCancelled {
                try await journal.seal(batch)
                hub.send(.sealed(batch, items: acceptance.accepted))
            }
            return (batch, acceptance)
        } catch {
            throw .journal(error)
        }
    }

    private func accept(
        _ findings: [Acceptor.Finding], _ acceptor: Acceptor, _ batch: BatchID, _ acceptance: inout Acceptance
    ) async throws(JournalFailure) {
        var new: [NewItem] = []
        for finding in findings {
            switch finding {
            case .inspected(let file):
                new.append(acceptor.newItem(file))
            case .refused(let path, let failure):
                acceptance.refused += 1
                hub.send(.refused(path, failure))
            case .passedOver(let path):
                acceptance.passedOver += 1
                hub.send(.passedOver(path))
            }
        }
        if new.isEmpty { return }
        hub.announcements.begin(batch)
        var last: SubmissionID?
        defer { hub.announcements.end(batch, through: last) }
        let ids = try await journal.accept(new, in: batch)
        last = ids.last?.last
        let runs = runs
        for (item, ids) in zip(new, ids) {
            acceptance.accepted += 1
            acceptance.bytes += item.item.size
            let owed = zip(item.submissions, ids).map { (id: $1, destination: $0.destination, refusal: $0.refusal) }
            for (_, destination, refusal) in owed {
                for run in runs {
                    run.owe(destination, in: batch, bytes: item.item.size, isRefused: refusal != nil)
                }
            }
            hub.send(.accepted(item.item, batch: batch, owed))
        }
        for run in runs { run.wake() }
    }

    /// What an acceptance would make of a path.
    public enum Preview: Sendable {
        /// What would be owed, with the reasons why a destination would not take it.
        case item(MediaItem, [(destination: String, refusal: SubmitFailure?)])
        case refused(FilePath, SubmitFailure)
        case passedOver(FilePath)
    }

    /// Looks at every file as ``accept(_:into:)`` does, and writes nothing.
    public func preview(
        _ request: SubmitRequest, _ show: (Preview) async -> Void
    ) async throws(SubmitFailure) {
        let acceptor = try acceptor(request)
        await acceptor.run { (findings) async in
            for finding in findings {
                switch finding {
                case .inspected(let file):
                    let owed = acceptor.newItem(file).submissions.map { (destination: $0.destination, refusal: $0.refusal) }
                    await show(.item(file.item, owed))
                case .refused(let path, let failure): await show(.refused(path, failure))
                case .passedOver(let path): await show(.passedOver(path))
                }
            }
        }
    }

    /// Looks whether a request makes sense, before anything is read or written.
    ///
    /// - Throws: ``SubmitError/failure(_:)``, as ``accept(_:into:)`` would.
    public func check(_ request: SubmitRequest) throws(SubmitError) {
        do throws(SubmitFailure) {
            _ = try acceptor(request)
        } catch {
            throw .failure(error)
        }
    }

    private func acceptor(
        _ request: SubmitRequest, except accepted: Set<FilePath> = []
    ) throws(SubmitFailure) -> Acceptor {
        try request.validate()
        var destinations: [Destination] = []
        for name in request.destinations where !destinations.contains(where: { $0.name == name }) {
            destinations.append(try destination(named: name))
        }
        if let removal = request.removal { try removal.check(destinations, request.verification) }
        return Acceptor(request, destinations, except: accepted)
    }

    /// Begins to pay what is owed of these batches, and of what they are joined by.
    ///
    /// - Parameters:
    ///   - batches: in the order of their urgency.
    ///   - own: those of them that are worth waiting for when they wait for a time; `nil` for all.
    ///   - jobs: an upper bound for the submissions at once at each destination.
    ///   - asked: of the destinations that wait for someone, such as for other credentials, only these are looked at
    ///     again; `nil`: all.
    /// - Throws: when the journal cannot be read or written.
    public func start(
        _ batches: [BatchID], own: [BatchID]? = nil, jobs: Int? = nil, asked: Set<String>? = nil
    ) async throws(JournalFailure) -> Run {
        let run = try await Run(
            batches: batches, own: own ?? batches, destinations: destinations, journal: journal, hub: hub,
            policy: policy, jobs: jobs, asked: asked,
            meanwhile: { [self] in _ = try? await discardCancelled(at: destinations.map(\.name)) })
        begun.withLock { begun in
            begun.removeAll { $0.run == nil }
            begun.append(BegunRun(run: run))
        }
        return run
    }

    /// Takes over what dead processes left and nobody works on.
    ///
    /// - Parameter only: these batches; `nil` for all.
    /// - Returns: the batches that are this process's now.
    public func adopt(only: [BatchID]? = nil) async throws(JournalFailure) -> [BatchID] {
        try await journal.recover()
        return try await journal.adopt(only: only)
    }

    // MARK: Control, from any process

    /// Nothing more goes out to these destinations until they are resumed; what is being sent is sent to its end.
    public func pause(_ names: [String]) async throws(JournalFailure) {
        try await journal.pause(destinations: names)
        for name in names { hub.send(.paused(destination: name)) }
    }

    /// Ends a pause, looks again at parked destinations, tries now what waits for a time, and owes again what failed by
    /// the way there.
    ///
    /// - Parameter batches: what failed is owed again of these; of all where there are none.
    /// - Returns: how many that are.
    @discardableResult
    public func resume(_ names: [String], batches: [BatchID] = []) async throws(JournalFailure) -> Int {
        let count = try await journal.takeUp(batches, at: names)
        try await journal.resume(destinations: names)
        try await journal.lookAgain(at: names)
        try await journal.hurry(names)
        for name in names { hub.send(.resumed(destination: name)) }
        wakeRuns()
        return count
    }

    /// Owes failed submissions again.
    ///
    /// - Returns: how many.
    public func retry(_ selection: SubmissionSelection) async throws(JournalFailure) -> Int {
        let count = try await journal.retry(selection)
        wakeRuns()
        return count
    }

    func wakeRuns() {
        for run in runs { run.wake() }
    }

    /// Cancels what is owed, and removes from the destinations what broken attempts left there.
    ///
    /// What a living process is sending is broken off by that process.
    public func cancel(_ selection: SubmissionSelection) async throws(JournalFailure) -> Cancellation {
        let cancellation = try await journal.cancel(selection)
        for run in runs { await run.cancelClaims() }
        for id in cancellation.tried { try await discard(id) }
        return cancellation
    }
}

/// Why the manager could not do what it was asked.
public enum SubmitError: Error, Sendable, Hashable {
    /// What was asked for cannot be done.
    case failure(SubmitFailure)
    /// The journal failed.
    case journal(JournalFailure)
}
