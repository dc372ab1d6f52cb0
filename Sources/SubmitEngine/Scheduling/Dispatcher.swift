internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// Pays what is waiting, for as long as any run wants something paid: a queue for each destination, which all runs share.
///
/// It claims whatever is due at the destinations it has, whoever accepted it: first what its runs want, in the order of their
/// beginning, and then what else there is room for.
final class Dispatcher: Sendable {
    let destinations = Locked<[String: Destination]>([:])
    let activeRuns = ActiveRuns()
    let limits: LimitKeeper
    let store: any Store
    private let hub: EventHub
    private let policy: RetryPolicy
    private let addresses: AddressReservations
    let remains: CancelledCleanup
    private let wakeUp = AsyncEvent()
    private let state = Locked(State())

    private struct State {
        /// `nil` while nobody wants anything.
        var queueSet: QueueSet?
        /// That of the last shift, which has to end before another one begins: together they would be twice as wide.
        var work: Task<Void, Never>?
    }

    private var telemetry: Telemetry { hub.telemetry }

    init(_ store: any Store, _ hub: EventHub, _ policy: RetryPolicy) {
        self.store = store
        self.hub = hub
        self.policy = policy
        addresses = AddressReservations(store)
        limits = LimitKeeper(store, destinations)
        remains = CancelledCleanup(store: store, destinations: destinations, logger: hub.telemetry.logger)
    }

    // MARK: Destinations

    /// Adds a destination, or replaces the one of this name: what begins from now on goes by this one.
    func add(_ destination: Destination) {
        destinations.withLock { $0[destination.name] = destination }
        limits.apply()
        state.withLock { $0.queueSet }?.open(destination, isNew: true)
    }

    /// Removes a destination. What is waiting for it stays in the journal.
    func remove(_ name: String) {
        destinations.withLock { _ = $0.removeValue(forKey: name) }
        state.withLock { $0.queueSet }?.close(name)
    }

    // MARK: Runs

    /// From now on a run's batches are paid.
    ///
    /// - Parameter asked: of the destinations that wait for someone only these are looked at again; `nil`: all.
    func join(_ member: ActiveRuns.Entry, asked: Set<String>?) async throws(SubmitFailure) {
        try await sweep()
        for (destination, waiting) in try await store.waiting(member.batches) {
            member.meter(destination).add(count: waiting.count, bytes: waiting.bytes)
        }
        // Whoever starts a run may have mended what a destination waited for.
        let known = Set(destinations.withLock { Array($0.keys) }).union(asked ?? [])
        let onHold = try await store.destinationStates().filter { $0.hold != nil && known.contains($0.name) }.map(
            \.name)
        if !onHold.isEmpty { try await store.lookAgain(at: onHold, asked: asked) }
        let (queueSet, isNew) = queueSet(for: member, else: try await store.makeWorker())
        do throws(SubmitFailure) {
            // A new one has to wait for the last one's end, which would be told of twice.
            if !isNew { try await queueSet.worker.attend(member.batches ?? []) }
        } catch {
            await leave(member, breakingOff: true)
            throw error
        }
        wake()
    }

    /// The shift under way, or a new one, which works for a member from now on.
    private func queueSet(for member: ActiveRuns.Entry, else worker: any StoreWorker) -> (QueueSet, isNew: Bool) {
        state.withLock { state in
            activeRuns.add(member)
            if let queueSet = state.queueSet { return (queueSet, false) }
            let queueSet = QueueSet(worker) { [unowned self] in queue($0, $1) }
            state.queueSet = queueSet
            state.work = Task { [before = state.work] in
                await before?.value
                await work(queueSet)
            }
            return (queueSet, true)
        }
    }

    /// A run wants nothing any more. When it was the last one, what is under way has a moment to come to its end, and stays
    /// owed where that is not enough.
    ///
    /// - Parameter breakingOff: what is under way is broken off at once; cancelling the task does so, too.
    func leave(_ member: ActiveRuns.Entry, breakingOff: Bool) async {
        let (queueSet, work, others) = state.withLock { state -> (QueueSet?, Task<Void, Never>?, (any StoreWorker)?) in
            guard activeRuns.remove(member) else { return (nil, nil, state.queueSet?.worker) }
            defer { state.queueSet = nil }
            return (state.queueSet, state.work, nil)
        }
        if let others, let batches = member.batches {
            let wanted = Set(activeRuns.first)
            try? await others.leave(batches.filter { !wanted.contains($0) })
        }
        wake()
        await queueSet?.end(breakingOff: breakingOff)
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            await queueSet?.end(breakingOff: true)
        }
        await withTaskCancellationHandler {
            await work?.value
        } onCancel: {
            Task { await queueSet?.end(breakingOff: true) }
        }
        patience.cancel()
    }

    /// How long others' submissions that are under way may go on when the last run has ended.
    private static let patience = Duration.seconds(3)

    /// Tells what others have made of batches by now, before a run ends with it.
    func catchUp() async {
        guard let queueSet = state.withLock({ $0.queueSet }) else { return }
        try? await hear(queueSet)
    }

    /// Something the end of a run depends on has changed.
    func look() { wakeUp.signal() }

    /// New submissions may be there.
    func wake() {
        for queue in queues {
            queue.limit(to: activeRuns.jobs)
            queue.wake()
        }
        wakeUp.signal()
    }

    /// Breaks off what someone cancelled.
    func cancelClaims() async {
        guard let queueSet = state.withLock({ $0.queueSet }) else { return }
        await cancelClaims(queueSet)
    }

    private func cancelClaims(_ queueSet: QueueSet) async {
        guard let cancelled = try? await queueSet.worker.cancelledClaims(), !cancelled.isEmpty else { return }
        for queue in queueSet.queues { await queue.cancel(cancelled) }
    }

    /// How far each has come that is being sent, in no order.
    func underWay() async -> [SubmissionProgress] {
        var all: [SubmissionProgress] = []
        for queue in queues { all += await queue.beingSent }
        return all
    }

    /// How each destination is being sent to, in no order.
    func paces() async -> [DestinationPace] {
        var all: [DestinationPace] = []
        for queue in queues { all.append(await queue.pace) }
        return all
    }

    private var queues: [DestinationQueue] { state.withLock { $0.queueSet }?.queues ?? [] }

    // MARK: Work

    private func work(_ queueSet: QueueSet) async {
        do throws(SubmitFailure) {
            try await queueSet.worker.attend(activeRuns.first)
        } catch {
            fail(queueSet, error)
        }
        await limits.read()
        for destination in destinations.withLock({ Array($0.values) }) { queueSet.open(destination, isNew: false) }
        async let watching: Void = watch(queueSet)
        await queueSet.run(
            beside: { [remains] in _ = try? await remains.remove(at: $0) },
            failed: { [self] in fail(queueSet, $0) })
        wakeUp.signal()
        await watching
        try? await queueSet.worker.leave(nil)
    }

    private func queue(_ destination: Destination, _ queueSet: QueueSet) -> DestinationQueue {
        DestinationQueue(
            destination, store: store, worker: queueSet.worker, events: hub, policy: policy, activeRuns: activeRuns,
            addresses: addresses, shares: queueSet.shares, limits: limits,
            report: { [weak self, weak queueSet] in
                guard let self, let queueSet else { return }
                await endWhatIsOver(queueSet)
                wakeUp.signal()
            })
    }

    /// The journal failed: nothing more is paid, and every run ends with that.
    private func fail(_ queueSet: QueueSet, _ failure: SubmitFailure) {
        let members = state.withLock { state -> [ActiveRuns.Entry] in
            // Those that are there by now are another one's.
            guard state.queueSet === queueSet else { return [] }
            state.queueSet = nil
            return activeRuns.members
        }
        Task { await queueSet.end(breakingOff: true) }
        for member in members { member.end(.failure(failure)) }
    }

    /// Hears what other processes write, until all queues have ended.
    private func watch(_ queueSet: QueueSet) async {
        var mark: StoreMark?
        var (nextBeat, nextRecovery) = (ContinuousClock.now, ContinuousClock.now)
        while !queueSet.isOver {
            await endWhatIsOver(queueSet)
            await wakeUp.wait(milliseconds: 200)
            do throws(SubmitFailure) {
                let now = try await store.mark()
                if now != mark {
                    await limits.read()
                    await cancelClaims(queueSet)
                    try await hear(queueSet)
                    for queue in queueSet.queues { queue.wake() }
                }
                mark = now
                if .now >= nextRecovery {
                    limits.apply()
                    // Who was killed wrote nothing that would tell.
                    if try await sweep() > 0 { for queue in queueSet.queues { queue.wake() } }
                    if telemetry.metrics.areOn { telemetry.metrics.set(try await store.waiting(nil)) }
                    nextRecovery = .now + .seconds(1)
                }
                if .now >= nextBeat {
                    if queueSet.queues.contains(where: \.isAtWork) { try await queueSet.worker.beat() }
                    try await store.beatAcceptances()
                    nextBeat = .now + Self.beatInterval
                }
            } catch {
                return fail(queueSet, error)
            }
        }
    }

    /// Takes back what dead processes had claimed.
    @discardableResult
    private func sweep() async throws(SubmitFailure) -> Int {
        let count = try await store.sweep()
        if count > 0 {
            telemetry.logger.info(
                "claims swept", metadata: ["submissions": "\(count)", "reason": "the process that had them is dead"])
        }
        return count
    }

    /// Says why a run ends.
    func tellEnd(of member: ActiveRuns.Entry, _ outcome: Result<Void, SubmitFailure>, wasCancelled: Bool) {
        let batches: Logger.MetadataValue = member.batches.map { .array($0.map { "\($0)" }) } ?? "all"
        if case .failure(let failure) = outcome {
            telemetry.logger.error("run ends", metadata: ["batches": batches].adding(failure))
        } else {
            let meters = member.meters
            func sum(_ count: (DestinationProgress) -> Int) -> Int { meters.reduce(0) { $0 + count($1) } }
            let (done, failed) = (sum(\.done), sum(\.failed))
            let waiting = sum(\.total) - done - failed - sum(\.skipped) - sum(\.cancelled)
            let reason =
                wasCancelled
                ? "it was cancelled"
                : waiting == 0 ? "all of it has ended" : "what waits is due later than the run waits, or for someone"
            telemetry.logger.info(
                "run ends",
                metadata: [
                    "batches": batches, "done": "\(done)", "failed": "\(failed)", "waiting": "\(waiting)",
                    "reason": .string(reason),
                ])
        }
    }

    /// How often a worker that has claims says that it goes on.
    private static let beatInterval = Duration.seconds(5)

    /// Tells what others made of the batches that runs of this process wait for.
    private func hear(_ queueSet: QueueSet) async throws(SubmitFailure) {
        for record in try await queueSet.news() {
            let meters = activeRuns.meters(of: record.batch, at: record.destination)
            let note = SubmissionNote(record)
            switch record.state {
            case .done:
                guard let receipt = record.receipt else { continue }
                for meter in meters { meter.done(receipt, bytes: record.item.size) }
                hub.send(.done(note, receipt))
            case .failed:
                for meter in meters { meter.fail(bytes: record.item.size) }
                hub.send(.failed(note, SubmitFailure(.giveUp, code: record.code ?? "", message: record.message ?? "")))
            case .cancelled:
                for meter in meters { meter.cancel(bytes: record.item.size) }
                hub.send(.cancelled(note))
            case .waiting:
                guard let code = record.code, let sentence = record.message else { continue }
                let failure = SubmitFailure(.retry(after: nil), code: code, message: sentence)
                hub.send(.waiting(note, failure, until: record.notBefore))
            case .running: break
            }
        }
    }

    // MARK: The end of runs

    /// Each queue looks when it stands, and not the watch alone: who waits for milliseconds may never be seen standing.
    private func endWhatIsOver(_ queueSet: QueueSet) async {
        guard state.withLock({ $0.queueSet === queueSet }) else { return }
        for member in activeRuns.members {
            guard let terms = member.terms.withLock({ $0 }), let patience = terms.patience, !terms.accepting(),
                await isIdle(member, patience, queueSet)
            else { continue }
            member.end(.success(()))
        }
    }

    private func isIdle(_ member: ActiveRuns.Entry, _ patience: Duration, _ queueSet: QueueSet) async -> Bool {
        if queueSet.isChanging { return false }
        var standings: [(queue: DestinationQueue, DestinationQueue.Standing)] = []
        for queue in queueSet.queues {
            guard let standing = queue.standing(of: member) else { return false }
            standings.append((queue, standing))
            guard let due = standing.due else { continue }
            if standing.quietSince.advanced(by: patience) >= max(.now, due) { return false }
        }
        // A journal that fails ends the run by what it fails at next.
        guard
            let outlook = try? await queueSet.worker.outlook(
                member.known, at: standings.map(\.queue.destination.name))
        else { return false }
        let now = ContinuousClock.now
        // What another worker had when a queue looked may have come back since, as that one was killed.
        let late = standings.filter { queue, standing in
            guard let due = outlook.due[queue.destination.name] else { return false }
            // The same time is never told quite the same.
            return standing.waiting.map { now + due < $0 - .milliseconds(100) } ?? true
        }
        for (queue, _) in late { queue.wake() }
        // One that has claimed in between stands no longer.
        return outlook.elsewhere == 0 && late.isEmpty
            && standings.allSatisfy { queue, _ in queue.standing(of: member) != nil }
    }
}
