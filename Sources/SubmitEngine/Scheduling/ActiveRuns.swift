internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// What the runs under way want paid: whose submissions go first, and who waits for which of them.
final class ActiveRuns: Sendable {
    /// One run's part of it.
    final class Entry: Sendable {
        /// In the order of their urgency; `nil`: everything.
        let batches: [BatchID]?
        let known: Set<BatchID>?
        /// An upper bound for the submissions at once at each destination.
        let jobs: Int?
        /// Nothing that happened before counts for its patience.
        let joined = ContinuousClock.now
        let terms = Locked<Terms?>(nil)
        /// A request of its own is still being accepted.
        let isAccepting = Locked(false)
        private let queues = Locked<[String: DestinationProgress]>([:])
        private let ending = Locked(Ending())

        /// What the run waits for.
        struct Terms: Sendable {
            /// How long, after the last thing that happened, for what waits for a time; `nil`: without an end.
            var patience: Duration?
            /// Whether more is still being accepted.
            var accepting: @Sendable () -> Bool
        }

        private struct Ending {
            var outcome: Result<Void, SubmitFailure>?
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        init(_ batches: [BatchID]?, jobs: Int?) {
            self.batches = batches
            self.jobs = jobs
            known = batches.map(Set.init)
        }

        func wants(_ batch: BatchID) -> Bool { known?.contains(batch) ?? true }

        /// Something of what it wants is yet to end, as far as is known. As long as that is so, others' work is done beside it;
        /// not before there is anything: who can accept nothing was not asked for theirs.
        var isOpen: Bool {
            if known == nil { return true }
            let progress = queues.withLock { Array($0.values) }
            if progress.contains(where: \.isOpen) { return true }
            let accepts = isAccepting.withLock { $0 } || terms.withLock { $0 }?.accepting() ?? false
            return accepts && progress.contains { $0.total > 0 }
        }

        /// Sorted by destination.
        var meters: [DestinationProgress] { queues.withLock { $0.values.sorted { $0.destination < $1.destination } } }

        /// Its meter of a destination, which is there from now on.
        func meter(_ destination: String) -> DestinationProgress {
            queues.withLock { queues in
                if let meter = queues[destination] { return meter }
                let meter = DestinationProgress(destination: destination)
                queues[destination] = meter
                return meter
            }
        }

        /// It ends; the first reason counts.
        func end(_ result: Result<Void, SubmitFailure>) {
            let waiting = ending.withLock { ending in
                ending.outcome = ending.outcome ?? result
                defer { ending.waiting = [] }
                return ending.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        /// Waits for its end.
        func ended() async -> Result<Void, SubmitFailure> {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let isOver = ending.withLock { ending in
                    if ending.outcome == nil { ending.waiting.append(continuation) }
                    return ending.outcome != nil
                }
                if isOver { continuation.resume() }
            }
            return ending.withLock { $0.outcome } ?? .success(())
        }
    }

    private let list = Locked<[Entry]>([])

    var members: [Entry] { list.withLock { $0 } }

    /// The batches that go first, in their order.
    var first: [BatchID] {
        let members = members
        if members.count == 1 { return members[0].batches ?? [] }
        var seen: Set<BatchID> = []
        return members.flatMap { $0.batches ?? [] }.filter { seen.insert($0).inserted }
    }

    /// The least that any of them bounds the submissions at once by.
    var jobs: Int? { members.compactMap(\.jobs).min() }

    func add(_ member: Entry) { list.withLock { $0.append(member) } }

    /// - Returns: whether it was there, and was the last one.
    func remove(_ member: Entry) -> Bool {
        list.withLock { list in
            guard let index = list.firstIndex(where: { $0 === member }) else { return false }
            list.remove(at: index)
            return list.isEmpty
        }
    }

    /// The meters of those who want a batch, at one destination.
    func meters(of batch: BatchID, at destination: String) -> [DestinationProgress] {
        members.filter { $0.wants(batch) }.map { $0.meter(destination) }
    }
}
