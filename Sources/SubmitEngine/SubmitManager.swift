public import CoreMetrics
public import Logging
public import Submit
internal import SubmitConcurrency
@_exported public import SubmitStore
public import SystemPackage

/// The manager: destinations by name, what is waiting to them, and the queues that pay it.
///
/// Everything it is told is in the journal before it has any effect. One manager may accept and run at the same time;
/// several processes may share one journal, and each submission is worked on by one of them.
///
/// What fails throws a `SubmitFailure` with a sentence for people, a code that stays the same in later versions, and a
/// remedy. Where the journal fails, which is said as “when the journal fails (`journal…`)”, the code begins with `journal`
/// (`SubmitFailure.isOfJournal`) and the remedy is to try again: what was written down by then stays, and nothing else is
/// there. What fails of one submission is thrown by nobody: it is in the journal, and told by events.
///
/// Verbs that say nothing of cancelling come to their end though their task is cancelled: they are short.
public final class SubmitManager: Sendable {
    package let store: any Store
    /// The types that destinations are made of.
    public let registry: SubmitterRegistry
    let hub: EventHub
    var logger: Logger { hub.telemetry.logger }
    let dispatcher: Dispatcher
    let spool: Spool
    let renditions: RenditionFolder

    var known: Locked<[String: Destination]> { dispatcher.destinations }
    var remains: CancelledCleanup { dispatcher.remains }

    /// Whose the pictures are that are published from now on; by default the account's that this process runs under.
    public var owner: String {
        get { store.owner }
        set { store.owner = newValue }
    }

    /// What was accepted, what is waiting and what came of it.
    public var records: any StoreReadings & RemovalReadings { store }

    /// A manager of the submissions in a store.
    ///
    /// - Parameters:
    ///   - store: a value for this manager alone. Open the journal again for each other manager, also in the same process: a
    ///     manager is only notified of changes that were written through another value.
    ///   - registry: the types there are.
    ///   - policy: what comes after failures.
    ///   - logger: hears of each decision, with `batch`, `submission`, `destination` and `attempt` as metadata; <doc:LogAndMetrics>
    ///     has the levels. What transports and submitters log during an attempt goes there, too. The usual one says nothing.
    ///   - metrics: makes the counters, timers and gauges of <doc:LogAndMetrics>.
    public convenience init(
        store: AnyStore, registry: SubmitterRegistry, policy: RetryPolicy = RetryPolicy(),
        logger: Logger = Logger(label: "submit") { _ in SwiftLogNoOpLogHandler() },
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.init(store: store.store, registry: registry, policy: policy, logger: logger, metrics: metrics)
        guard let former = store.migratedFrom else { return }
        logger.notice(
            "journal migrated",
            metadata: [
                "path": .string(store.store.ownFiles.first?.string ?? ""),
                "reason": .string("it was of version \(former)"),
            ])
    }

    /// - Parameters:
    ///   - store: this manager's own value: each hears only what is written through another one.
    ///   - registry: the types there are.
    ///   - policy: what comes after failures.
    ///   - logger: hears of its decisions.
    ///   - metrics: makes what counts.
    package init(
        store: any Store, registry: SubmitterRegistry, policy: RetryPolicy = RetryPolicy(), logger: Logger = .silent,
        metrics: any MetricsFactory = MetricsSystem.factory
    ) {
        self.store = store
        hub = EventHub(Telemetry(logger: logger, metrics: EngineMetrics(metrics)))
        dispatcher = Dispatcher(store, hub, policy)
        self.registry = registry
        spool = Spool(store)
        renditions = RenditionFolder(store)
        _ = hub.listen(EventFilter()) { [spool, renditions, known = dispatcher.destinations] event in
            spool.hear(event)
            renditions.hear(event, at: known)
        }
    }

    /// Everything that happens from now on and that `filter` lets pass. Each caller gets every such event; what nobody has
    /// taken from the stream yet is kept in memory, as none is dropped.
    ///
    /// Cancelling the task that iterates, and letting go of the stream, ends it.
    public func events(_ filter: EventFilter = EventFilter()) -> AsyncStream<SubmitEvent> {
        hub.stream(filter)
    }

    /// Hands everything that happens from now on and that `filter` lets pass to `listener`, there where it happens, which
    /// costs less than a stream. The listener has to be quick.
    ///
    /// - Returns: what ends that. Who listens as long as the manager lives need not keep it.
    @discardableResult
    public func listen(
        to filter: EventFilter = EventFilter(), _ listener: @escaping @Sendable (SubmitEvent) -> Void
    ) -> EventSubscription {
        hub.listen(filter, listener)
    }

    /// Ends every stream of events, after those that are on their way.
    public func endEvents() {
        hub.finish()
    }

    // MARK: Destinations

    /// The destinations, sorted by name.
    public var destinations: [Destination] {
        known.withLock { $0.values.sorted { $0.name < $1.name } }
    }

    /// Makes a destination and adds it, or replaces the one of this name. What it finds out about its place, such as which disk
    /// a folder is on, is kept in the journal: an empty folder where that disk was is not taken for it in a later process.
    ///
    /// - Parameters:
    ///   - name: what requests call it.
    ///   - type: by any of its names; see ``SubmitterRegistry/type(named:)``.
    ///   - values: what the type's `SubmitterType.settings` name, but secrets.
    ///   - secrets: what they name of the kind `secret`.
    ///   - secretStore: where secrets are kept that change while it is used, such as tokens; `nil` for the life of the process.
    /// - Throws: an unknown type, with the nearest names; with the code `configuration` a setting that is missing, unknown or
    ///   wrong. Nothing is added then.
    @discardableResult
    public func addDestination(
        _ name: String, type: String, values: [String: String] = [:], secrets: [String: String] = [:],
        secretStore: (any SecretStore)? = nil
    ) throws(SubmitFailure) -> Destination {
        let type = try registry.type(named: type)
        let settings = DestinationSettings(
            destination: name, values: values, secrets: secrets, notes: notes(of: name), secretStore: secretStore)
        let destination = Destination(
            name: name, type: try type.refined(by: settings), submitter: try type.make(settings), settings: settings)
        add(destination)
        return destination
    }

    /// What submitters remember of a destination, in the journal. Whoever makes a submitter gives it these, by
    /// `DestinationSettings.notes`: without them it knows nothing of what it found out in an earlier process.
    public func notes(of destination: String) -> any DestinationNotes {
        StoredNotes(destination: destination, in: { [store] in store })
    }

    /// Adds a destination, or replaces the one of this name. Its submitter should have been made with ``notes(of:)``. A run that is under way pays it, too: what begins from now on
    /// goes by the new one's settings and secrets.
    public func add(_ destination: Destination) {
        dispatcher.add(destination)
    }

    /// Removes the destination of this name. What is waiting for it stays in the journal, and what is under way ends.
    public func remove(destination name: String) {
        dispatcher.remove(name)
    }

    /// The destination of this name.
    ///
    /// - Throws: `unknown-destination`, to give up with, when there is none, with the nearest names.
    public func destination(named name: String) throws(SubmitFailure) -> Destination {
        let all = known.withLock { $0 }
        if let destination = all[name] { return destination }
        throw SubmitFailure(
            .giveUp, code: "unknown-destination",
            message: "There is no destination “\(name)”\(NearestNames.hint(for: name, among: Array(all.keys))).")
    }

    // MARK: Work

    /// Accepts a request and sends its items at the same time.
    ///
    /// Both continue after this returns. ``SubmitRun/finish(patience:while:)`` waits for the end, and ``SubmitRun/acceptance``
    /// lists the refusals. Keep the run until then: without it, both are broken off, and the rest stays in the journal.
    ///
    /// - Parameter jobs: see ``start(_:jobs:asked:)``.
    /// - Throws: as ``begin(_:into:)``.
    public func send(_ request: SubmitRequest, jobs: Int? = nil) async throws(SubmitFailure) -> SubmitRun {
        try await send(try await begin(request), jobs: jobs)
    }

    /// Accepts a request that was begun and sends its items; see ``send(_:jobs:)-(SubmitRequest,_)``.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func send(_ begun: BegunRequest, jobs: Int? = nil) async throws(SubmitFailure) -> SubmitRun {
        let run = try await start([begun.batch], jobs: jobs, asked: Set(begun.request.destinations))
        run.accept(begun)
        return run
    }

    /// Accepts what `request` asks for: looks at every file, and writes down what is waiting, and for whom.
    ///
    /// Each item is accepted when its ``SubmitEvent/accepted(_:batch:_:)`` comes; what is accepted is on disk. A run
    /// that is under way takes it up at once. Cancelling the task ends the acceptance; what was accepted stays, and
    /// ``completeAcceptance(of:)`` accepts the rest, in this process or in another: of items that are bytes those that were
    /// copied by then, as the others are gone with whoever had them. Who gives each a key may ask for all of it again.
    ///
    /// - Parameter batch: what it becomes a part of; `nil` for a batch of its own. Any number may be accepted into one, one
    ///   after the other or at once.
    /// - Returns: what was accepted, refused, left behind and known from before. A file that cannot be accepted is among the refusals, and no
    ///   error.
    /// - Throws: as ``begin(_:into:)``. What was accepted by then stays.
    public func accept(
        _ request: SubmitRequest, into batch: BatchID? = nil
    ) async throws(SubmitFailure) -> Acceptance {
        try await begin(request, into: batch).accept()
    }

    /// Checks a request and stores it. Only ``BegunRequest/accept()`` looks at the files.
    ///
    /// If you never accept it, the acceptance counts as interrupted when this process has ended.
    ///
    /// - Parameter batch: see ``accept(_:into:)``.
    /// - Throws: as ``check(_:)``, before anything is written; when the journal fails (`journal…`, to be tried again).
    public func begin(
        _ request: SubmitRequest, into batch: BatchID? = nil
    ) async throws(SubmitFailure) -> BegunRequest {
        try request.checkWords()
        let acceptor = try acceptor(for: request)
        let open = try await store.beginAcceptance(request.text, in: batch, key: IdempotencyKey())
        if request.priority != .normal { try await store.prioritise(open.batch, request.priority) }
        return BegunRequest(manager: self, acceptor: acceptor, open: open)
    }

    /// Accepts what is missing of a batch whose acceptance was cut off, by a kill or an interruption. Cancelling the task
    /// ends it as that of ``accept(_:into:)``.
    ///
    /// - Returns: `nil` for a batch that is complete, or that somebody is accepting into.
    /// - Throws: as ``accept(_:into:)``. The batch stays open then.
    public func completeAcceptance(of batch: BatchID) async throws(SubmitFailure) -> Acceptance? {
        try await store.sweep()
        var all: Acceptance?
        for acceptance in try await store.openAcceptances(of: batch) {
            guard let request = SubmitRequest(text: acceptance.request) else { continue }
            // Who lacks a destination leaves it to somebody else.
            var acceptor = try acceptor(for: request)
            guard try await store.takeUp(acceptance, key: IdempotencyKey()) else { continue }
            acceptor.accepted = try await store.sources(of: acceptance)
            let more = try await accept(acceptor, acceptance)
            all = all.map { $0 + more } ?? more
        }
        return all
    }

    /// What a batch was asked for that is not accepted to its end; without what another version wrote in words that this one
    /// does not know.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func openRequests(of batch: BatchID) async throws(SubmitFailure) -> [SubmitRequest] {
        try await store.openAcceptances(of: batch).compactMap { SubmitRequest(text: $0.request) }
    }

    func accept(_ acceptor: Acceptor, _ open: OpenAcceptance) async throws(SubmitFailure) -> Acceptance {
        var acceptor = acceptor
        hub.announcements.join(open.batch)
        defer { hub.announcements.leave(open.batch) }
        var acceptance = Acceptance(batch: open.batch)
        do throws(SubmitFailure) {
            try await gather(&acceptor, for: open, &acceptance)
            var portion = 0
            try await acceptor.run { [acceptor] (findings) async throws(SubmitFailure) in
                try await self.accept(findings, acceptor, open, &portion, &acceptance)
            }
        } catch {
            try? await store.release(open)
            throw error
        }
        if Task.isCancelled {
            try await store.release(open)
        } else {
            try await store.complete(open)
            hub.send(.batchComplete(open.batch, items: acceptance.accepted))
            // Those that were refused, and those that are settled by now.
            for item in acceptor.request.items { await spool.tidyOwn(item.label) }
        }
        return acceptance
    }

    private func accept(
        _ findings: [Acceptor.Finding], _ acceptor: Acceptor, _ open: OpenAcceptance, _ portion: inout Int,
        _ acceptance: inout Acceptance
    ) async throws(SubmitFailure) -> Bool {
        let batch = open.batch
        var new: [NewItem] = []
        for finding in findings {
            switch finding {
            case .inspected(let file, let known):
                new.append(acceptor.newItem(file, besides: known))
                if let end = file.missingEnd { acceptance.incomplete.add(end, file.item.source) }
                acceptance.unchanged.add(known, size: file.item.size, isWhole: false)
            case .unchanged(_, let identity, let known):
                acceptance.unchanged.add(known, size: identity.size, isWhole: true)
            case .refused(let path, let failure):
                acceptance.refusals.append(Acceptance.Refusal(path: path, failure: failure))
                hub.send(.refused(path, batch: batch, failure))
            case .leftBehind(let left), .untaken(_, _, let left):
                acceptance.leftBehind.add(left)
                if left.reason == .beingWritten { acceptance.unfinished.append(left.path) }
                hub.send(.leftBehind(left, batch: batch))
            }
        }
        if new.isEmpty { return true }
        var isWanted = true
        try await hub.announcements.tell(batch) { () async throws(SubmitFailure) in
            guard let outcomes = try await store.accept(new, for: open, portion: portion) else {
                isWanted = false
                return nil
            }
            portion += 1
            var last: SubmissionID?
            for (item, outcome) in zip(new, outcomes) {
                switch outcome {
                case .accepted(let ids):
                    acceptance.add(item, acceptor.destinations)
                    tell(item, ids, batch)
                    last = ids.last ?? last
                case .acceptedUnlessKnown(let ids, let known):
                    // Another process accepted those at this moment.
                    if !known.isEmpty {
                        let copies = KnownCopies(known)
                        acceptance.unchanged.add(copies, size: item.item.size, isWhole: ids.isEmpty)
                    }
                    if ids.isEmpty { continue }
                    var item = item
                    item.submissions.removeAll { ids[$0.destination] == nil }
                    acceptance.add(item, acceptor.destinations)
                    let told = item.submissions.compactMap { ids[$0.destination] }
                    tell(item, told, batch)
                    last = told.max() ?? last
                case .known(let known): acceptance.known.append(known)
                }
            }
            return last
        }
        dispatcher.wake()
        return isWanted
    }

    private func tell(_ item: NewItem, _ ids: [SubmissionID], _ batch: BatchID) {
        let waiting = zip(item.submissions, ids).map {
            AcceptedSubmission(id: $1, destination: $0.destination, refusal: $0.refusal)
        }
        for submission in waiting {
            for meter in dispatcher.activeRuns.meters(of: batch, at: submission.destination) {
                meter.add(count: 1, bytes: item.item.size)
                if submission.refusal != nil { meter.fail(bytes: item.item.size) }
            }
        }
        hub.send(.accepted(item.item, batch: batch, waiting))
    }

    /// What an acceptance would make of a path.
    public enum Preview: Sendable {
        /// What would be owed, with the reasons why a destination would not take it.
        case item(MediaItem, [(destination: String, refusal: SubmitFailure?)])
        /// The path would be refused, and why.
        case refused(FilePath, SubmitFailure)
        /// It lies below a named folder, and would not be taken.
        case leftBehind(LeftBehind)
        /// It was accepted before and has not changed: nothing would be sent again.
        case unchanged(FilePath, size: Int64)
    }

    /// Looks at every file as ``accept(_:into:)`` does, and writes nothing. Cancelling the task ends it early.
    ///
    /// - Parameter show: gets one path after the other, in the order in which they are found.
    /// - Throws: as ``check(_:)``.
    public func preview(
        _ request: SubmitRequest, _ show: (Preview) async -> Void
    ) async throws(SubmitFailure) {
        var acceptor = try acceptor(for: request)
        acceptor.isPreview = true
        await acceptor.run { [acceptor] (findings) async in
            for finding in findings {
                switch finding {
                case .inspected(let file, let known):
                    let waiting = acceptor.newItem(file, besides: known).submissions.map {
                        (destination: $0.destination, refusal: $0.refusal)
                    }
                    await show(.item(file.item, waiting))
                case .refused(let path, let failure): await show(.refused(path, failure))
                case .unchanged(let path, let identity, _): await show(.unchanged(path, size: identity.size))
                case .leftBehind(let left), .untaken(_, _, let left): await show(.leftBehind(left))
                }
            }
            return true
        }
    }

    /// Looks whether a request makes sense, before anything is read or written.
    ///
    /// - Throws: to give up with: `no-destination`, `unknown-destination`, `album` where that is no plain relative path,
    ///   `twice` where two items are one file or have one key, `words` where a caption is longer than 64 KiB or a tag is no line of 1
    ///   to 1,000 bytes that says something; `remove-source`, `remove-source-copies` or
    ///   `remove-source-readback` where so many verified copies can never be.
    public func check(_ request: SubmitRequest) throws(SubmitFailure) {
        try request.checkWords()
        _ = try destinations(of: request)
    }

    /// The destinations of a request that makes sense.
    private func destinations(of request: SubmitRequest) throws(SubmitFailure) -> [Destination] {
        try request.validate()
        var destinations: [Destination] = []
        for name in request.destinations where !destinations.contains(where: { $0.name == name }) {
            destinations.append(try destination(named: name))
        }
        if let removal = request.removal { try removal.check(destinations, request.verification, request.rendition) }
        return destinations
    }

    func acceptor(for request: SubmitRequest) throws(SubmitFailure) -> Acceptor {
        Acceptor(request, try destinations(of: request), store, spool)
    }

    /// Begins to pay what is waiting of these batches. It is being paid when this returns, until the run's end.
    ///
    /// Whoever is free takes whatever is due at the destinations it has: these batches first, and what else is waiting, by
    /// whomever it was accepted, as far as there is room beside them. What another process sends of these batches counts as
    /// sent by this run, in its events and its meters, too.
    ///
    /// - Parameters:
    ///   - batches: in the order of their urgency; `nil`: all there are, and all that come.
    ///   - jobs: an upper bound for the submissions at once at each destination, as long as the run goes on; `nil`: as many as
    ///     each takes.
    ///   - asked: of the destinations that wait for someone, such as for other credentials, only these are looked at
    ///     again; `nil`: all.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func start(
        _ batches: [BatchID]?, jobs: Int? = nil, asked: Set<String>? = nil
    ) async throws(SubmitFailure) -> SubmitRun {
        await spool.tidy()
        await renditions.tidy()
        logger.info(
            "run begins",
            metadata: [
                "batches": batches.map { .array($0.map { "\($0)" }) } ?? "all", "jobs": jobs.map { "\($0)" } ?? "any",
            ])
        let member = ActiveRuns.Entry(batches, jobs: jobs)
        try await dispatcher.join(member, asked: asked)
        return SubmitRun(member, dispatcher)
    }

    /// Pays everything that is waiting and that comes to be owed, until the task is cancelled: for a service.
    ///
    /// Destinations may be added, replaced and removed meanwhile, and anything may be accepted, here or in other processes.
    ///
    /// What earlier acceptances were cut off from is accepted first, where its destinations are there.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again). What was under way goes on waiting.
    public func run() async throws(SubmitFailure) {
        let run = try await start(nil)
        let cutOff = try await store.unfinishedBatches()
        let acceptances = Task {
            for batch in cutOff where !Task.isCancelled { _ = try? await completeAcceptance(of: batch) }
        }
        // What a process left in the spool that was killed in the midst of an acceptance.
        let tidying = Task { [spool] in
            while (try? await Task.sleep(for: .seconds(60))) != nil { await spool.tidy() }
        }
        let telling = Task { await keepTelling() }
        defer {
            acceptances.cancel()
            tidying.cancel()
            telling.cancel()
        }
        try await run.finish(patience: nil)
    }

    // MARK: Control, from any process

    /// Nothing more goes out to these destinations, in any process, until they are resumed; what is being sent is sent to its
    /// end.
    ///
    /// - Parameter names: they need not be this manager's.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func pause(_ names: [String]) async throws(SubmitFailure) {
        try await store.setPaused(true, names)
        for name in names { hub.send(.paused(destination: name)) }
    }

    /// Ends a pause, looks again at destinations on hold, tries now what waits for a time, and owes again what failed by
    /// the way there.
    ///
    /// - Parameters:
    ///   - names: they need not be this manager's.
    ///   - batches: what failed waits again of these; of all where there are none.
    /// - Returns: how many failed submissions are waiting again.
    /// - Throws: when the journal fails (`journal…`, to be tried again). Asking again does what is left to do.
    @discardableResult
    public func resume(_ names: [String], batches: [BatchID] = []) async throws(SubmitFailure) -> Int {
        let count = try await store.takeUp(batches, at: names)
        try await store.setPaused(false, names)
        try await store.lookAgain(at: names, asked: nil)
        try await store.hurry(names)
        for name in names { hub.send(.resumed(destination: name)) }
        dispatcher.wake()
        return count
    }

    /// Looks again at destinations that are on hold, as something may have changed with the way there.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func lookAgain(at names: [String]) async throws(SubmitFailure) {
        try await store.lookAgain(at: names, asked: nil)
        try await store.hurry(names)
        dispatcher.wake()
    }

    /// Owes failed submissions again, with all their attempts.
    ///
    /// Those that may have arrived all the same (`SubmitFailure.outcomeUnknownCode`) are left as they are, unless one is
    /// named by its number: sent again they might be there twice.
    ///
    /// - Returns: how many.
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public func retry(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        let count = try await store.retry(selection)
        dispatcher.wake()
        return count
    }

    /// Cancels what is waiting, and removes from the destinations what broken attempts left there.
    ///
    /// What a living process is sending is broken off by that process, and what one is accepting of a whole batch is not
    /// accepted any further. What cannot be removed now, as its destination is not this manager's or cannot be reached, is by
    /// ``discardCancelled(at:)``.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again). Asking again does what is left to do.
    public func cancel(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Cancellation {
        let cancellation = try await store.cancel(selection)
        await dispatcher.cancelClaims()
        for id in cancellation.tried { try await remains.remove(of: id) }
        await spool.tidy()
        return cancellation
    }
}
