internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// Pays what is owed, for as long as any run wants something paid: a lane for each destination, which all runs share.
///
/// It claims whatever is due at the destinations it has, whoever accepted it: first what its runs want, in the order of their
/// beginning, and then what else there is room for.
final class Dispatcher: Sendable {
    let destinations = Locked<[String: Destination]>([:])
    let demand = Demand()
    private let store: any Store
    private let hub: EventHub
    private let policy: RetryPolicy
    let remains: CancelledRemains
    private let bell = Signal()
    private let state = Locked(State())

    private struct State {
        /// `nil` while nobody wants anything.
        var shift: Shift?
        /// That of the last shift, which has to end before another one begins: together they would be twice as wide.
        var work: Task<Void, Never>?
    }

    init(_ store: any Store, _ hub: EventHub, _ policy: RetryPolicy) {
        self.store = store
        self.hub = hub
        self.policy = policy
        remains = CancelledRemains(store: store, destinations: destinations)
    }

    // MARK: Destinations

    /// Adds a destination, or replaces the one of this name: what begins from now on goes by this one.
    func add(_ destination: Destination) {
        destinations.withLock { $0[destination.name] = destination }
        state.withLock { $0.shift }?.open(destination, isNew: true)
    }

    /// Removes a destination. What it is owed stays in the journal.
    func remove(_ name: String) {
        destinations.withLock { _ = $0.removeValue(forKey: name) }
        state.withLock { $0.shift }?.close(name)
    }

    // MARK: Runs

    /// From now on a run's batches are paid.
    ///
    /// - Parameter asked: of the destinations that wait for someone only these are looked at again; `nil`: all.
    func join(_ member: Demand.Member, asked: Set<String>?) async throws(SubmitFailure) {
        try await store.sweep()
        for (destination, owed) in try await store.owed(member.batches) {
            member.meter(destination).owe(count: owed.count, bytes: owed.bytes)
        }
        // Whoever starts a run may have mended what a destination waited for.
        let known = Set(destinations.withLock { Array($0.keys) }).union(asked ?? [])
        let onHold = try await store.destinationStates().filter { $0.parking != nil && known.contains($0.name) }.map(\.name)
        if !onHold.isEmpty { try await store.lookAgain(at: onHold, asked: asked) }
        let (shift, isNew) = shift(for: member, else: try await store.makeWorker())
        do throws(SubmitFailure) {
            // A new one has to wait for the last one's end, which would be told of twice.
            if !isNew { try await shift.worker.attend(member.batches ?? []) }
        } catch {
            await leave(member, breakingOff: true)
            throw error
        }
        wake()
    }

    /// The shift under way, or a new one, which works for a member from now on.
    private func shift(for member: Demand.Member, else worker: any StoreWorker) -> (Shift, isNew: Bool) {
        state.withLock { state in
            demand.add(member)
            if let shift = state.shift { return (shift, false) }
            let shift = Shift(worker) { [unowned self] in lane($0, $1) }
            state.shift = shift
            state.work = Task { [before = state.work] in
                await before?.value
                await work(shift)
            }
            return (shift, true)
        }
    }

    /// A run wants nothing any more. When it was the last one, what is under way has a moment to come to its end, and stays
    /// owed where that is not enough.
    ///
    /// - Parameter breakingOff: what is under way is broken off at once; cancelling the task does so, too.
    func leave(_ member: Demand.Member, breakingOff: Bool) async {
        let (shift, work, others) = state.withLock { state -> (Shift?, Task<Void, Never>?, (any StoreWorker)?) in
            guard demand.remove(member) else { return (nil, nil, state.shift?.worker) }
            defer { state.shift = nil }
            return (state.shift, state.work, nil)
        }
        if let others, let batches = member.batches {
            let wanted = Set(demand.first)
            try? await others.leave(batches.filter { !wanted.contains($0) })
        }
        wake()
        await shift?.end(breakingOff: breakingOff)
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            await shift?.end(breakingOff: true)
        }
        await withTaskCancellationHandler {
            await work?.value
        } onCancel: {
            Task { await shift?.end(breakingOff: true) }
        }
        patience.cancel()
    }

    /// How long others' submissions that are under way may go on when the last run has ended.
    private static let patience = Duration.seconds(3)

    /// Tells what others have made of batches by now, before a run ends with it.
    func catchUp() async {
        guard let shift = state.withLock({ $0.shift }) else { return }
        try? await hear(shift)
    }

    /// Something the end of a run depends on has changed.
    func look() { bell.ring() }

    /// New submissions may be there.
    func wake() {
        for lane in lanes {
            lane.limit(to: demand.jobs)
            lane.wake()
        }
        bell.ring()
    }

    /// Breaks off what someone cancelled.
    func cancelClaims() async {
        guard let shift = state.withLock({ $0.shift }) else { return }
        await cancelClaims(shift)
    }

    private func cancelClaims(_ shift: Shift) async {
        guard let cancelled = try? await shift.worker.cancelledClaims(), !cancelled.isEmpty else { return }
        for lane in shift.lanes { await lane.cancel(cancelled) }
    }

    /// How far each has come that is being sent, in no order.
    func underWay() async -> [SubmissionProgress] {
        var all: [SubmissionProgress] = []
        for lane in lanes { all += await lane.beingSent }
        return all
    }

    private var lanes: [Lane] { state.withLock { $0.shift }?.lanes ?? [] }

    // MARK: Work

    private func work(_ shift: Shift) async {
        do throws(SubmitFailure) {
            try await shift.worker.attend(demand.first)
        } catch {
            fail(shift, error)
        }
        for destination in destinations.withLock({ Array($0.values) }) { shift.open(destination, isNew: false) }
        async let watching: Void = watch(shift)
        await shift.run(
            beside: { [remains] in _ = try? await remains.remove(at: $0) },
            failed: { [self] in fail(shift, $0) })
        bell.ring()
        await watching
        try? await shift.worker.leave(nil)
    }

    private func lane(_ destination: Destination, _ shift: Shift) -> Lane {
        Lane(
            destination, store: store, worker: shift.worker, events: hub, policy: policy, demand: demand,
            shares: shift.shares,
            report: { [weak self, weak shift] in
                guard let self, let shift else { return }
                await endWhatIsOver(shift)
                bell.ring()
            })
    }

    /// The journal failed: nothing more is paid, and every run ends with that.
    private func fail(_ shift: Shift, _ failure: SubmitFailure) {
        let members = state.withLock { state -> [Demand.Member] in
            // Those that are there by now are another one's.
            guard state.shift === shift else { return [] }
            state.shift = nil
            return demand.members
        }
        Task { await shift.end(breakingOff: true) }
        for member in members { member.end(.failure(failure)) }
    }

    /// Hears what other processes write, until all lanes have ended.
    private func watch(_ shift: Shift) async {
        var mark: StoreMark?
        var (nextBeat, nextRecovery) = (ContinuousClock.now, ContinuousClock.now)
        while !shift.isOver {
            await endWhatIsOver(shift)
            await bell.wait(milliseconds: 200)
            do throws(SubmitFailure) {
                let now = try await store.mark()
                if now != mark {
                    await cancelClaims(shift)
                    try await hear(shift)
                    for lane in shift.lanes { lane.wake() }
                }
                mark = now
                if .now >= nextRecovery {
                    // Who was killed wrote nothing that would tell.
                    if try await store.sweep() > 0 { for lane in shift.lanes { lane.wake() } }
                    nextRecovery = .now + .seconds(1)
                }
                if .now >= nextBeat {
                    if shift.lanes.contains(where: \.isAtWork) { try await shift.worker.beat() }
                    try await store.beatAcceptances()
                    nextBeat = .now + Self.beatInterval
                }
            } catch {
                return fail(shift, error)
            }
        }
    }

    /// How often a worker that has claims says that it goes on.
    private static let beatInterval = Duration.seconds(5)

    /// Tells what others made of the batches that runs of this process wait for.
    private func hear(_ shift: Shift) async throws(SubmitFailure) {
        for record in try await shift.news() {
            let meters = demand.meters(of: record.batch, at: record.destination)
            let note = SubmissionNote(record)
            switch record.state {
            case .done:
                guard let receipt = record.receipt else { continue }
                for meter in meters { meter.done(receipt, bytes: record.item.size) }
                hub.send(.done(note, receipt))
            case .failed:
                for meter in meters { meter.fail() }
                hub.send(.failed(note, SubmitFailure(.giveUp, code: record.code ?? "", message: record.message ?? "")))
            case .cancelled:
                for meter in meters { meter.cancel() }
                hub.send(.cancelled(note))
            case .queued:
                guard let code = record.code, let sentence = record.message else { continue }
                let failure = SubmitFailure(.retry(after: nil), code: code, message: sentence)
                hub.send(.waits(note, failure, until: record.notBefore))
            case .running: break
            }
        }
    }

    // MARK: The end of runs

    /// Each lane looks when it stands, and not the watch alone: who waits for milliseconds may never be seen standing.
    private func endWhatIsOver(_ shift: Shift) async {
        guard state.withLock({ $0.shift === shift }) else { return }
        for member in demand.members {
            guard let terms = member.terms.withLock({ $0 }), let patience = terms.patience, !terms.accepting(),
                await isIdle(member, patience, shift)
            else { continue }
            member.end(.success(()))
        }
    }

    private func isIdle(_ member: Demand.Member, _ patience: Duration, _ shift: Shift) async -> Bool {
        if shift.isChanging { return false }
        var standings: [(lane: Lane, Lane.Standing)] = []
        for lane in shift.lanes {
            guard let standing = lane.standing(of: member) else { return false }
            standings.append((lane, standing))
            guard let due = standing.due else { continue }
            if standing.quietSince.advanced(by: patience) >= max(.now, due) { return false }
        }
        // A journal that fails ends the run by what it fails at next.
        guard let outlook = try? await shift.worker.outlook(
            member.known, at: standings.map(\.lane.destination.name))
        else { return false }
        let now = ContinuousClock.now
        // What another worker had when a lane looked may have come back since, as that one was killed.
        let late = standings.filter { lane, standing in
            guard let due = outlook.due[lane.destination.name] else { return false }
            // The same time is never told quite the same.
            return standing.owed.map { now + due < $0 - .milliseconds(100) } ?? true
        }
        for (lane, _) in late { lane.wake() }
        // One that has claimed in between stands no longer.
        return outlook.elsewhere == 0 && late.isEmpty
            && standings.allSatisfy { lane, _ in lane.standing(of: member) != nil }
    }
}
