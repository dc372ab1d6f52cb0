internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// The queues, from the first run's start to the last one's end.
final class QueueSet: Sendable {
    let shares = ConcurrencyShares()
    /// Who claims in it.
    let worker: any StoreWorker
    private let make: @Sendable (Destination, QueueSet) -> DestinationQueue
    private let state = Locked(State())
    /// Queues that are yet to be run.
    private let begun = AsyncStream.makeStream(of: DestinationQueue.self)

    /// Up to where the worker has heard what others do; one at a time asks for more.
    private let heard = Locked<NewsMark?>(nil)
    private let hearing = AsyncSemaphore(1)

    private struct State {
        /// By name. One that is to end stays until it has.
        var queues: [String: DestinationQueue] = [:]
        /// What replaces a destination as soon as its queue has ended; `nil` for one that was removed.
        var next: [String: Destination?] = [:]
        var isEnding = false
        var isOver = false
    }

    init(_ worker: any StoreWorker, make: @escaping @Sendable (Destination, QueueSet) -> DestinationQueue) {
        self.worker = worker
        self.make = make
    }

    /// What others have made of the batches that the worker attends since the last call.
    func news() async throws(SubmitFailure) -> [SubmissionRecord] {
        guard await hearing.acquire() else { return [] }
        defer { hearing.release() }
        let (news, heard) = try await worker.news(after: heard.withLock { $0 })
        self.heard.withLock { $0 = heard }
        return news
    }

    var queues: [DestinationQueue] { state.withLock { Array($0.queues.values) } }

    /// A destination is being replaced or removed.
    var isChanging: Bool { state.withLock { !$0.next.isEmpty } }

    /// All queues have ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Begins a destination's queue. Where it has one that is ended first: what goes out by the old settings goes out to its end.
    ///
    /// - Parameter isNew: false: a queue that it has is as good.
    func open(_ destination: Destination, isNew: Bool) {
        let new = make(destination, self)
        let old = state.withLock { state -> DestinationQueue? in
            if state.isEnding { return nil }
            if let old = state.queues[destination.name] {
                guard isNew else { return nil }
                state.next[destination.name] = destination
                return old
            }
            state.queues[destination.name] = new
            state.next[destination.name] = nil
            begun.continuation.yield(new)
            return nil
        }
        if let old { Task { await old.end(breakingOff: false) } }
    }

    /// Nothing more goes out to a destination.
    func close(_ name: String) {
        let old = state.withLock { state -> DestinationQueue? in
            guard let old = state.queues[name] else { return nil }
            state.next[name] = .some(nil)
            return old
        }
        if let old { Task { await old.end(breakingOff: false) } }
    }

    /// Runs the queues, and those that are opened meanwhile, until ``end(breakingOff:)``.
    ///
    /// - Parameter beside: done once for each destination, as far as it gets before the end.
    func run(
        beside: @escaping @Sendable (String) async -> Void, failed: @escaping @Sendable (SubmitFailure) -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for await queue in begun.stream {
                let aside = Task { await beside(queue.destination.name) }
                group.addTask {
                    defer { aside.cancel() }
                    do throws(SubmitFailure) {
                        try await queue.run()
                        self.ended(queue)
                    } catch {
                        failed(error)
                    }
                }
            }
        }
        state.withLock { $0.isOver = true }
    }

    private func ended(_ queue: DestinationQueue) {
        let name = queue.destination.name
        let next = state.withLock { state -> Destination? in
            guard !state.isEnding, state.queues[name] === queue else { return nil }
            state.queues[name] = nil
            // Until its queue is there, one that replaces it counts as what is changing.
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
    /// - Parameter breakingOff: what is under way is broken off, and stays waiting.
    func end(breakingOff: Bool) async {
        let queues = state.withLock { state in
            state.isEnding = true
            return Array(state.queues.values)
        }
        begun.continuation.finish()
        for queue in queues { await queue.end(breakingOff: breakingOff) }
    }
}
