internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// The lanes, from the first run's start to the last one's end.
final class Shift: Sendable {
    let shares = SmallShares()
    /// Who claims in it.
    let worker: any StoreWorker
    private let make: @Sendable (Destination, Shift) -> Lane
    private let state = Locked(State())
    /// Lanes that are yet to be run.
    private let begun = AsyncStream.makeStream(of: Lane.self)

    /// Up to where the worker has heard what others do; one at a time asks for more.
    private let heard = Locked<NewsMark?>(nil)
    private let hearing = Seats(1)

    private struct State {
        /// By name. One that is to end stays until it has.
        var lanes: [String: Lane] = [:]
        /// What replaces a destination as soon as its lane has ended; `nil` for one that was removed.
        var next: [String: Destination?] = [:]
        var isEnding = false
        var isOver = false
    }

    init(_ worker: any StoreWorker, make: @escaping @Sendable (Destination, Shift) -> Lane) {
        self.worker = worker
        self.make = make
    }

    /// What others have made of the batches that the worker attends since the last call.
    func news() async throws(SubmitFailure) -> [SubmissionRecord] {
        guard await hearing.take() else { return [] }
        defer { hearing.leave() }
        let (news, heard) = try await worker.news(after: heard.withLock { $0 })
        self.heard.withLock { $0 = heard }
        return news
    }

    var lanes: [Lane] { state.withLock { Array($0.lanes.values) } }

    /// A destination is being replaced or removed.
    var isChanging: Bool { state.withLock { !$0.next.isEmpty } }

    /// All lanes have ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Begins a destination's lane. Where it has one that is ended first: what goes out by the old settings goes out to its end.
    ///
    /// - Parameter isNew: false: a lane that it has is as good.
    func open(_ destination: Destination, isNew: Bool) {
        let new = make(destination, self)
        let old = state.withLock { state -> Lane? in
            if state.isEnding { return nil }
            if let old = state.lanes[destination.name] {
                guard isNew else { return nil }
                state.next[destination.name] = destination
                return old
            }
            state.lanes[destination.name] = new
            state.next[destination.name] = nil
            begun.continuation.yield(new)
            return nil
        }
        if let old { Task { await old.end(breakingOff: false) } }
    }

    /// Nothing more goes out to a destination.
    func close(_ name: String) {
        let old = state.withLock { state -> Lane? in
            guard let old = state.lanes[name] else { return nil }
            state.next[name] = .some(nil)
            return old
        }
        if let old { Task { await old.end(breakingOff: false) } }
    }

    /// Runs the lanes, and those that are opened meanwhile, until ``end(breakingOff:)``.
    ///
    /// - Parameter beside: done once for each destination, as far as it gets before the end.
    func run(
        beside: @escaping @Sendable (String) async -> Void, failed: @escaping @Sendable (SubmitFailure) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for await lane in begun.stream {
                let aside = Task { await beside(lane.destination.name) }
                group.addTask {
                    defer { aside.cancel() }
                    do throws(SubmitFailure) {
                        try await lane.run()
                        self.ended(lane)
                    } catch {
                        failed(error)
                    }
                }
            }
        }
        state.withLock { $0.isOver = true }
    }

    private func ended(_ lane: Lane) {
        let name = lane.destination.name
        let next = state.withLock { state -> Destination? in
            guard !state.isEnding, state.lanes[name] === lane else { return nil }
            state.lanes[name] = nil
            // Until its lane is there, one that replaces it counts as what is changing.
            guard let next = state.next[name] ?? nil else {
                state.next[name] = nil
                return nil
            }
            return next
        }
        // Whoever was added in between is newer.
        if let next { open(next, isNew: false) }
    }

    /// Ends it: nothing more is claimed.
    ///
    /// - Parameter breakingOff: what is under way is broken off, and stays owed.
    func end(breakingOff: Bool) async {
        let lanes = state.withLock { state in
            state.isEnding = true
            return Array(state.lanes.values)
        }
        begun.continuation.finish()
        for lane in lanes { await lane.end(breakingOff: breakingOff) }
    }
}
