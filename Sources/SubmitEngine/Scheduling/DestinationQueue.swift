internal import Foundation
internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore
internal import Synchronization

/// One destination's queue, and the feeder that keeps it short and full.
///
/// The feeder claims about twice the width from the journal and goes for more when half is left, so that memory does
/// not grow with the batch. Waiting holds no place: what waits for a time is in the journal only.
actor DestinationQueue {
    /// Where a queue stands when it has nothing under way.
    struct Standing: Sendable {
        /// When something worth waiting for may go on by itself; `nil`: nothing is waiting, or someone has to act.
        var due: ContinuousClock.Instant?
        /// When something is due by what the journal says of the submissions alone.
        var waiting: ContinuousClock.Instant?
        /// When something last came to an end here, or the queue began.
        var quietSince: ContinuousClock.Instant
    }

    nonisolated let destination: Destination
    private let store: any Store
    private let worker: any StoreWorker
    private nonisolated let events: EventHub
    private let activeRuns: ActiveRuns
    private let limits: LimitKeeper
    nonisolated let width: ConcurrencyLimiter
    private let operations = OperationQueue()
    private nonisolated let wakeUp = AsyncEvent()
    private nonisolated let recorder: SettlementRecorder
    private nonisolated let hold: Locked<HoldTracker>
    private nonisolated let arrived = Arrivals()
    private nonisolated let addresses: AddressReservations
    private let report: @Sendable () async -> Void
    nonisolated var telemetry: Telemetry { events.telemetry }

    /// Claimed and not yet settled.
    private var running: [SubmissionID: SubmissionOperation] = [:]
    /// Of ``running`` those whose attempt has not ended: they hold the places.
    private(set) var attempting = 0
    /// How many of ``running`` are of which batch.
    private var underWay: [BatchID: Int] = [:]
    /// Nothing more begins.
    private nonisolated let isEnding = Locked(false)
    private var failure: SubmitFailure?
    private var quietSince = ContinuousClock.now
    /// What ended last found the destination unusable.
    private var isStuck = false
    private var nextStart = ContinuousClock.now
    /// The generation grows when something may have become due: a standing found before that no longer counts.
    private nonisolated let found = Locked<(generation: Int, standings: [ObjectIdentifier: Standing])>((0, [:]))
    private nonisolated let atWork = Locked(false)

    /// - Parameter report: called when the queue's standing has changed.
    init(
        _ destination: Destination, store: any Store, worker: any StoreWorker, events: EventHub, policy: RetryPolicy,
        activeRuns: ActiveRuns, addresses: AddressReservations, shares: ConcurrencyShares, limits: LimitKeeper,
        report: @escaping @Sendable () async -> Void
    ) {
        self.destination = destination
        self.store = store
        self.worker = worker
        self.events = events
        self.activeRuns = activeRuns
        self.addresses = addresses
        self.limits = limits
        self.report = report
        recorder = SettlementRecorder(
            destination: destination, store: store, events: events, policy: policy, activeRuns: activeRuns,
            wakeUp: wakeUp)
        hold = recorder.hold
        width = ConcurrencyLimiter(destination.submitter.capabilities, jobs: activeRuns.jobs, shares: shares)
        operations.name = destination.name
    }

    /// Feeds the operations until ``end(breakingOff:)``.
    func run() async throws(SubmitFailure) {
        defer { width.share(false) }
        do throws(SubmitFailure) {
            let before = try await store.arrivals(at: destination.name)
            recorder.deliveries.withLock { $0 = RecentDeliveries(inJournal: before) }
            while !isEnding.withLock({ $0 }), failure == nil { await wakeUp.wait(milliseconds: try await feed()) }
        } catch {
            failure = error
        }
        if failure != nil { end(breakingOff: true) }
        while !running.isEmpty { await wakeUp.wait(milliseconds: nil) }
        if let failure { throw failure }
    }

    /// Ends the queue: nothing more is claimed, and what has not begun stays waiting.
    ///
    /// - Parameter breakingOff: what is under way is broken off and goes on waiting, too.
    func end(breakingOff: Bool) {
        isEnding.withLock { $0 = true }
        if breakingOff { for operation in running.values { operation.interrupt(.released) } }
        wakeUp.signal()
    }

    /// At the most so many submissions are under way at once from now on; `nil`: as many as the destination takes.
    nonisolated func limit(to jobs: Int?) { width.limit(to: jobs) }

    /// Something may have become due.
    nonisolated func wake() {
        found.withLock { $0 = ($0.generation + 1, [:]) }
        wakeUp.signal()
    }

    /// Where the queue stands with what a run wants; `nil` while something of that is under way, waits for its turn or has
    /// yet to be looked at.
    nonisolated func standing(of member: ActiveRuns.Entry) -> Standing? {
        found.withLock { $0.standings[ObjectIdentifier(member)] }
    }

    /// Anything is under way here.
    nonisolated var isAtWork: Bool { atWork.withLock { $0 } }

    /// Breaks off those of these submissions that are under way here.
    func cancel(_ submissions: [SubmissionID]) {
        for id in submissions { running[id]?.interrupt(.cancelled) }
    }

    /// How far each has come that is being sent.
    var beingSent: [SubmissionProgress] {
        running.values.filter { $0.hasBegun.withLock { $0 } }.map { SubmissionProgress($0.claim, $0.progress) }
    }

    /// How the destination is being sent to.
    var pace: DestinationPace {
        let facts = destination.submitter.capabilities
        return DestinationPace(
            destination: destination.name, underWay: attempting, width: width.current, widest: width.widest,
            isInOrder: facts.ordering == .sequential, minimumGap: facts.minimumGap,
            bytesPerSecond: limits.rate(of: destination.name), quiet: quiet)
    }

    /// Claims what there is room for.
    ///
    /// - Returns: how long to wait before the next look, in milliseconds; `nil`: until it rings.
    private func feed() async throws(SubmitFailure) -> Int64? {
        let generation = found.withLock { $0.generation }
        let holds = hold.withLock { $0.count }
        let (state, opening) = try await store.opening(of: destination.name)
        let wait = opening.map { max($0, quiet ?? .zero) }
        let room = room(state, wait)
        let isInOrder = destination.submitter.capabilities.ordering == .sequential
        let (first, takesOthers) = (activeRuns.first, activeRuns.members.contains(where: \.isOpen))
        var pause: Duration?
        // What is due is not begun now, as others have the place: here, or in another process.
        var waitsForPlace = room == 0 && wait == .zero
        if room > 0 {
            let gap = nextStart - .now
            if gap > .zero {
                pause = gap
            } else {
                let claims = try await worker.claim(
                    destination.name, first: first, others: takesOthers, limit: room, inOrder: isInOrder)
                if !claims.isEmpty {
                    hold.withLock { if $0.count == holds { $0.state = state.hold == nil ? .none : .probing } }
                }
                if state.hold != nil, let claim = claims.first { tellLook(state, claim) }
                for claim in claims { start(claim, isProbe: state.hold != nil) }
                if claims.count == room, self.gap == .zero { return 0 }
                waitsForPlace = claims.isEmpty && isInOrder
            }
        }
        try await tellStanding(wait, generation, pause, waitsForPlace)
        // With a place free, what becomes due beside a long upload must not wait for its end.
        let hasPlace =
            attempting <= width.current && running.count <= mostUnsettled && gap == .zero && !waitsForPlace
            && hold.withLock { $0.state != .probing }
        if !running.isEmpty, !hasPlace { return pause?.milliseconds }
        let waiting = try await worker.nextDue(destination.name, of: takesOthers ? nil : Set(first))
        let due = Self.due(waiting, wait, pause)
        if running.isEmpty {
            width.share(false)
            guard let due else { return nil }
            return waitsForPlace && due <= .now ? Self.turnMilliseconds : Self.milliseconds(until: due)
        }
        return due.map(Self.milliseconds(until:))
    }

    /// How often to look whether another process has left a destination that takes one at a time.
    private static let turnMilliseconds: Int64 = 100

    private func tellStanding(
        _ wait: Duration?, _ generation: Int, _ pause: Duration?, _ waitsForPlace: Bool
    ) async throws(SubmitFailure) {
        var standings: [ObjectIdentifier: Standing] = [:]
        for member in activeRuns.members where !underWay.keys.contains(where: member.wants) {
            let waiting = try await worker.nextDue(destination.name, of: member.known)
            let due = Self.due(waiting, wait, pause)
            if waitsForPlace, let due, due <= .now { continue }
            // One that finds out whether the destination works decides over all.
            if waiting != nil, hold.withLock({ $0.state == .probing }) { continue }
            standings[ObjectIdentifier(member)] = Standing(
                due: due, waiting: waiting.map { .now + $0 }, quietSince: max(quietSince, member.joined))
        }
        if standings.isEmpty { return }
        found.withLock { if $0.generation == generation { $0.standings = standings } }
        await report()
    }

    private var gap: Duration { destination.submitter.capabilities.minimumGap }

    /// How long nothing begins here, as it is to be quiet; `nil` where it is not.
    private var quiet: Duration? {
        destination.limits.quiet.isEmpty ? nil : destination.limits.quiet.left(at: DailyHours.second())
    }

    /// When something may go on by itself; `nil`: nothing is waiting, or someone has to act.
    private static func due(_ waiting: Duration?, _ wait: Duration?, _ pause: Duration?) -> ContinuousClock.Instant? {
        guard let waiting, let wait else { return nil }
        return .now + max(waiting, wait, pause ?? .zero)
    }

    /// A place is free as soon as the bytes are there; the journal's next commit may take its time, not for ever.
    private var mostUnsettled: Int { 4 * width.current + 32 }

    private func room(_ state: DestinationState, _ wait: Duration?) -> Int {
        if isEnding.withLock({ $0 }) || wait != .zero { return 0 }
        // After a hold one submission finds out whether the destination works again.
        if state.hold != nil { return hold.withLock { $0.state == .probing } ? 0 : 1 }
        if gap > .zero { return running.isEmpty ? 1 : 0 }
        return attempting <= width.current && running.count <= mostUnsettled ? 2 * width.current - attempting : 0
    }

    private static func milliseconds(until due: ContinuousClock.Instant) -> Int64 { max(1, (due - .now).milliseconds) }

    private func start(_ claim: ClaimedSubmission, isProbe: Bool) {
        let operation = SubmissionOperation(claim, isProbe: isProbe) { [self] operation in
            await attempt(operation)
        }
        telemetry.logger.debug("claimed", metadata: .of(SubmissionNote(claim)))
        running[claim.id] = operation
        underWay[claim.batch, default: 0] += 1
        attempting += 1
        atWork.withLock { $0 = true }
        width.share(true)
        keepPace()
        found.withLock { $0.standings = [:] }
        nextStart = .now + gap
        tellNumbers()
        operations.addOperation(operation)
    }

    /// One attempt. What came of it is settled while the next one begins; what went wrong is settled first, since it
    /// may stop the next one.
    private nonisolated func attempt(_ operation: SubmissionOperation) async {
        let outcome: Result<Receipt, SubmitFailure>
        if !events.announcements.isTold(operation.claim.id, of: operation.claim.batch) {
            await events.announcements.wait(for: operation.claim.id, of: operation.claim.batch)
        }
        // Whoever is broken off while it waits takes none.
        let permit = await width.acquire(for: operation.claim.item.size)
        let begun = ContinuousClock.now
        var interruption = permit == nil ? operation.interrupted ?? .released : await objection(to: operation)
        if interruption != nil {
            outcome = .failure(.cancelled)
        } else {
            operation.hasBegun.withLock { $0 = true }
            events.send(.started(SubmissionNote(operation.claim)))
            let progress = operation.progress
            let meters = recorder.meters(of: operation.claim)
            let attempt = SubmissionAttempt(
                claim: operation.claim, destination: destination, store: store, addresses: addresses,
                progress: progress,
                sent: { bytes in
                    let before = progress.sent.max(bytes, ordering: .relaxed).oldValue
                    if bytes > before { for meter in meters { meter.sent(bytes - before) } }
                })
            let allowance = limits.scheduler.allowance(for: destination.name)
            let watch = BodyWatch(asksFirst: recorder.cuts.withLock { $0.asksFirst(operation.claim.id) })
            operation.bodyWatch.withLock { $0 = watch }
            outcome = await SendingAllowance.$ofTask.withValue(allowance) {
                await BodyWatch.$ofTask.withValue(watch) {
                    await withLogger(telemetry.logger.attempting(operation.claim)) { _ in await attempt.run() }
                }
            }
            telemetry.metrics[destination.name]?.attempted(
                outcome, sent: progress.sent.load(ordering: .relaxed), after: ContinuousClock.now - begun)
            interruption = operation.interrupted
        }
        if case .success = outcome { recorder.deliveries.withLock { $0.add() } }
        if let permit {
            let lesson = learned(from: outcome, of: operation, after: ContinuousClock.now - begun)
            tellWidth(width.release(permit, lesson), lesson)
        }
        switch outcome {
        case .failure:
            await conclude(operation, outcome, interruption)
            if operation.isProbe { hold.withLock { if $0.state == .probing { $0.state = .onHold } } }
        case .success where operation.isProbe:
            Task { [interruption] in await conclude(operation, outcome, interruption) }
        case .success(let receipt):
            if arrived.add(operation, receipt) { Task { await concludeArrivals() } }
        }
        await attemptEnded()
    }

    /// What an attempt says of how many to send at once: only one that went as the others do.
    private nonisolated func learned(
        from outcome: Result<Receipt, SubmitFailure>, of operation: SubmissionOperation, after time: Duration
    ) -> ConcurrencyController.Outcome {
        guard operation.claim.failures == 0, !operation.isProbe else { return .other }
        switch outcome {
        case .success(let receipt): return receipt.wasThere ? .other : .arrived(bytes: operation.claim.item.size, time)
        case .failure(let failure):
            switch failure.remedy {
            case .hold(.throttled, _): return .throttled
            case .retry, .tryAnother, .hold(.unreachable, _): return .failed
            default: return .other
            }
        }
    }

    private func attemptEnded() {
        attempting -= 1
        keepPace()
        tellNumbers()
        if attempting <= width.current { wakeUp.signal() }
    }

    private func keepPace() {
        let width = width.current
        if operations.maxConcurrentOperationCount != width { operations.maxConcurrentOperationCount = width }
    }

    private nonisolated func conclude(
        _ operation: SubmissionOperation, _ outcome: Result<Receipt, SubmitFailure>,
        _ interruption: SubmissionOperation.Interruption?
    ) async {
        var failure: SubmitFailure?
        var isStuck = false
        do throws(SubmitFailure) {
            isStuck = try await recorder.settle(operation, outcome, interruption)
        } catch {
            failure = error
        }
        await settled(operation, isStuck, failure)
    }

    /// Settles what has arrived by the time that it is written down: what comes while the disk is busy costs no task, and no turn
    /// at the journal, of its own.
    private nonisolated func concludeArrivals() async {
        let group = ArrivalGroup(of: arrived)
        var failure: SubmitFailure?
        do throws(SubmitFailure) {
            let place = destination.place
            let settled = try await store.settle(arrivals: { group.gathered(at: place) })
            for (arrival, settled) in zip(group.arrivals, settled) where settled != nil {
                recorder.tellDone(arrival.operation, arrival.receipt)
            }
        } catch {
            failure = error
            group.gather()
        }
        await settled(group.arrivals.map(\.operation), failure)
    }

    private func settled(_ operations: [SubmissionOperation], _ failure: SubmitFailure?) {
        for operation in operations { settled(operation, false, failure) }
    }

    private func settled(_ operation: SubmissionOperation, _ isStuck: Bool, _ failure: SubmitFailure?) {
        addresses.release(operation.claim)
        // Settled and claimed anew in one commit, the submission may be under way again before we hear of its end.
        let id = operation.claim.id
        if running[id] === operation { running[id] = nil }
        let batch = operation.claim.batch
        underWay[batch] = underWay[batch].flatMap { $0 > 1 ? $0 - 1 : nil }
        if underWay.isEmpty { atWork.withLock { $0 = false } }
        // That it is still unusable is nothing new.
        if !isStuck || !self.isStuck { quietSince = .now }
        self.isStuck = isStuck
        self.failure = self.failure ?? failure
        if underWay[batch] == nil || running.count == mostUnsettled || failure != nil { wakeUp.signal() }
    }

    /// Why a claim that has not begun need not begin any more.
    private nonisolated func objection(
        to operation: SubmissionOperation
    ) async -> SubmissionOperation.Interruption? {
        if let reason = operation.interrupted { return reason }
        if isEnding.withLock({ $0 }) || hold.withLock({ $0.state == .onHold }) { return .released }
        // It was stopped for so long that another one took its place.
        if destination.submitter.capabilities.ordering == .sequential,
            (try? await worker.isTakenByAnother(destination.name)) == true
        {
            return .released
        }
        // A journal that cannot be read ends the run when the attempt is settled.
        switch try? await store.objection(to: operation.claim) {
        case .cancelled: return .cancelled
        case .paused: return .released
        case nil: return nil
        }
    }
}
