internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// What has been accepted and not yet told: it is on disk, and a queue may have claimed it, before anyone has heard of it.
final class Announcements: Sendable {
    private struct Batch {
        /// How many acceptances are under way.
        var acceptances = 0
        /// One group of items is written down and told of after the other, whosever they are.
        let turn = AsyncSemaphore(1)
        /// The last submission that was told of.
        var told: SubmissionID = 0
        /// There may be more by now.
        var isAccepting = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        func isTold(_ submission: SubmissionID) -> Bool { !isAccepting || submission <= told }
    }

    private let batches = Locked<[BatchID: Batch]>([:])

    /// An acceptance into this batch begins, until ``leave(_:)``.
    func join(_ batch: BatchID) { batches.withLock { $0[batch, default: Batch()].acceptances += 1 } }

    /// One of its acceptances has ended.
    func leave(_ batch: BatchID) {
        batches.withLock { batches in
            batches[batch]?.acceptances -= 1
            if batches[batch]?.acceptances == 0 { batches[batch] = nil }
        }
    }

    /// Runs `body`, in which items of this batch come to be that nobody has been told of. It returns the last one's
    /// submission when all have been told of; `nil`: there was none.
    ///
    /// Returns without running it when the task is cancelled while another acceptance has its turn.
    func tell(
        _ batch: BatchID, _ body: () async throws(SubmitFailure) -> SubmissionID?
    ) async throws(SubmitFailure) {
        guard let turn = batches.withLock({ $0[batch]?.turn }), await turn.acquire() else { return }
        defer { turn.release() }
        batches.withLock { $0[batch]?.isAccepting = true }
        var last: SubmissionID?
        defer { end(batch, through: last) }
        last = try await body()
    }

    private func end(_ batch: BatchID, through last: SubmissionID?) {
        let waiting = batches.withLock { batches in
            batches[batch]?.isAccepting = false
            if let last { batches[batch]?.told = last }
            let waiting = batches[batch]?.waiting ?? []
            batches[batch]?.waiting = []
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Whether a submission's acceptance has been told, by whoever tells of it.
    func isTold(_ submission: SubmissionID, of batch: BatchID) -> Bool {
        batches.withLock { $0[batch]?.isTold(submission) ?? true }
    }

    /// Returns when a submission's acceptance has been told.
    func wait(for submission: SubmissionID, of batch: BatchID) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isTold = batches.withLock { batches -> Bool in
                if batches[batch]?.isTold(submission) ?? true { return true }
                batches[batch]?.waiting.append(continuation)
                return false
            }
            if isTold { continuation.resume() }
        }
    }
}
