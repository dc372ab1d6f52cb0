internal import Submit
internal import SubmitJournal

/// What has been accepted and not yet told: it is on disk, and a lane may have claimed it, before anyone has heard of it.
final class Announcements: Sendable {
    private struct Batch {
        /// The last submission that was told of.
        var told: SubmissionID = 0
        /// There may be more by now.
        var isAccepting = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let batches = Locked<[BatchID: Batch]>([:])

    /// From now on items of this batch may be there that nobody has been told of, until ``end(_:through:)``.
    func begin(_ batch: BatchID) { batches.withLock { $0[batch, default: Batch()].isAccepting = true } }

    /// All have been told of, up to this submission; `nil`: there was none.
    func end(_ batch: BatchID, through last: SubmissionID?) {
        let waiting = batches.withLock { batches in
            let waiting = batches[batch]?.waiting ?? []
            batches[batch] = Batch(told: last ?? batches[batch]?.told ?? 0)
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Nothing more is accepted into this batch.
    func forget(_ batch: BatchID) { batches.withLock { _ = $0.removeValue(forKey: batch) } }

    /// Returns when a submission's acceptance has been told.
    func wait(for submission: SubmissionID, of batch: BatchID) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isTold = batches.withLock { batches -> Bool in
                guard let known = batches[batch], known.isAccepting, submission > known.told else { return true }
                batches[batch]?.waiting.append(continuation)
                return false
            }
            if isTold { continuation.resume() }
        }
    }
}
