internal import Submit
public import SubmitJournal

/// One process's work on some batches: a lane for each destination, until nothing is left that can go out.
public final class Run: Sendable {
    private let batches: [BatchID]
    private let own: [BatchID]
    private let journal: Journal
    private let hub: EventHub
    private let policy: RetryPolicy
    private let jobs: Int?
    private let shares = SmallShares()
    private let lanes = Locked<[String: Lane]>([:])
    private let asked: Set<String>?
    /// Lanes that are yet to be run.
    private let begun = AsyncStream.makeStream(of: Lane.self)
    private let bell = Signal()
    private let meanwhile: @Sendable () async -> Void

    /// How far each destination has come, sorted by name.
    public var meters: [LaneMeter] {
        lanes.withLock { $0.values.map(\.meter) }.sorted { $0.destination < $1.destination }
    }

    /// - Parameter meanwhile: done once beside the work, as far as it gets.
    init(
        batches: [BatchID], own: [BatchID], destinations: [Destination], journal: Journal, hub: EventHub,
        policy: RetryPolicy, jobs: Int?, asked: Set<String>?, meanwhile: @escaping @Sendable () async -> Void
    ) async throws(JournalFailure) {
        self.batches = batches
        self.own = own
        self.journal = journal
        self.hub = hub
        self.policy = policy
        self.jobs = jobs
        self.asked = asked
        self.meanwhile = meanwhile
        try await add(destinations)
    }

    private func lane(_ destination: Destination) -> Lane {
        Lane(
            destination, batches: batches, own: own, journal: journal, events: hub, policy: policy, jobs: jobs,
            shares: shares,
            report: { [weak self] in
                self?.lookWhetherOver()
                self?.bell.ring()
            })
    }

    /// Pays what is owed to these destinations too, be it that the run goes on already. Those that have a lane keep it.
    ///
    /// - Throws: when the journal cannot be read or written.
    public func add(_ destinations: [Destination]) async throws(JournalFailure) {
        let known = lanes.withLock { Set($0.keys) }
        let new = Dictionary(
            destinations.filter { !known.contains($0.name) }.map { ($0.name, lane($0)) }, uniquingKeysWith: { $1 })
        for batch in batches {
            for tally in try journal.tallies(SubmissionSelection(batch: batch))
            where tally.state == .queued || tally.state == .running {
                new[tally.destination]?.meter.owe(count: tally.count, bytes: tally.bytes)
            }
        }
        // Whoever starts a run may have mended what a destination waited for.
        try await journal.lookAgain(at: Array(new.keys), asked: asked)
        // From now on the run does not end before they have looked. Who was added meanwhile by someone else has a lane.
        let added = lanes.withLock { lanes in
            let added = new.filter { lanes[$0.key] == nil }
            lanes.merge(added) { $1 }
            return added
        }
        for lane in added.values { begun.continuation.yield(lane) }
    }

    /// Runs the lanes, and those that are added meanwhile, until the run is stopped.
    private func runLanes() async -> JournalFailure? {
        await withTaskGroup(of: JournalFailure?.self) { group in
            for await lane in begun.stream {
                group.addTask {
                    do throws(JournalFailure) {
                        try await lane.run()
                        return nil
                    } catch {
                        await self.stop()
                        return error
                    }
                }
            }
            return await group.first { $0 != nil } ?? nil
        }
    }

    /// Pays until nothing can go out any more.
    ///
    /// - Parameters:
    ///   - patience: how long to wait, after the last thing that happened, for destinations and submissions that wait
    ///     for a time.
    ///   - accepting: whether more is still being accepted.
    /// - Throws: when the journal fails. What was under way stays owed.
    ///
    /// Cancelling the task breaks off what is under way, which stays owed, and returns.
    public func finish(
        patience: Duration, while accepting: @escaping @Sendable () -> Bool = { false }
    ) async throws(JournalFailure) {
        terms.withLock { $0 = Terms(patience: patience, accepting: accepting) }
        let aside = Task { [meanwhile] in await meanwhile() }
        defer { aside.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withTaskGroup(of: JournalFailure?.self) { group in
                group.addTask { await self.runLanes() }
                group.addTask { await self.watch() }
                var failure: JournalFailure?
                // The first to end is the watch, unless a lane's journal failed: either way the others end too.
                for await ended in group {
                    failure = failure ?? ended
                    await stop()
                }
                return failure
            }
        } onCancel: {
            bell.ring()
        }
        if let outcome { throw outcome }
        try await journal.leave(batches)
    }

    /// Something the end of the run depends on has changed.
    public func look() {
        bell.ring()
    }

    /// New submissions may be there.
    func wake() {
        for lane in allLanes { lane.wake() }
    }

    func owe(_ destination: String, in batch: BatchID, bytes: Int64, isRefused: Bool) {
        guard batches.contains(batch), let meter = lanes.withLock({ $0[destination]?.meter }) else { return }
        meter.owe(count: 1, bytes: bytes)
        if isRefused { meter.fail() }
    }

    /// Breaks off what someone cancelled.
    func cancelClaims() async {
        guard let cancelled = try? journal.cancelledClaims(), !cancelled.isEmpty else { return }
        for lane in allLanes { await lane.cancel(cancelled) }
    }

    private func stop() async {
        isStopped.withLock { $0 = true }
        begun.continuation.finish()
        for lane in allLanes { await lane.stop() }
        bell.ring()
    }

    private let isStopped = Locked(false)

    private var allLanes: [Lane] { lanes.withLock { Array($0.values) } }

    /// What ``finish(patience:while:)`` was asked for.
    private struct Terms {
        var patience: Duration
        var accepting: @Sendable () -> Bool
    }

    private let terms = Locked<Terms?>(nil)
    private let isOver = Locked(false)

    /// Each lane looks when it stands, and not the watch alone: who waits for milliseconds may never be seen standing.
    private func lookWhetherOver() {
        guard let terms = terms.withLock({ $0 }), !terms.accepting(), isIdle(terms.patience) else { return }
        isOver.withLock { $0 = true }
    }

    /// Returns when all is done or waits too long. Meanwhile hears what other processes write.
    private func watch() async -> JournalFailure? {
        var version: Int64 = -1
        while !Task.isCancelled, !isStopped.withLock({ $0 }) {
            lookWhetherOver()
            if isOver.withLock({ $0 }) { return nil }
            await bell.wait(milliseconds: 200)
            do throws(JournalFailure) {
                let now = try await journal.version()
                if now != version {
                    await cancelClaims()
                    wake()
                }
                version = now
            } catch {
                return error
            }
        }
        return nil
    }

    private func isIdle(_ patience: Duration) -> Bool {
        for lane in allLanes {
            guard let standing = lane.standing else { return false }
            guard let due = standing.due else { continue }
            let wait = Duration.nanoseconds(max(0, due.nanoseconds - Timestamp.now.nanoseconds))
            if standing.quietSince.advanced(by: patience) >= .now + wait { return false }
        }
        return true
    }
}
