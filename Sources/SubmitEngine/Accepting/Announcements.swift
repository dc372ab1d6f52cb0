internal import Submit
internal import SubmitJournal

/// What has been accepted and not yet told: it is on disk, and a lane may have claimed it, before anyone has heard of it.
final class Announcements: Sendable {
    private struct Pending {
        /// The last submission that was told of before.
        var told: SubmissionID
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let pending = Locked<[BatchID: Pending]>([:])
    private let told = Locked<[BatchID: SubmissionID]>([:])

    /// From now on items of this batch may be there that nobody has been told of, until ``end(_:through:)``.
    func begin(_ batch: BatchID) {
        let last = told.withLock { $0[batch] ?? 0 }
        pending.withLock { $0[batch] = Pending(told: last) }
    }

    /// All have been told of, up to this submission; `nil`: there was none.
    func end(_ batch: BatchID, through last: SubmissionID?) {
        if let last { told.withLock { $0[batch] = last } }
        let waiting = pending.withLock { $0.removeValue(forKey: batch)?.waiting ?? [] }
        for continuation in waiting { continuation.resume() }
    }

    /// Nothing more is accepted into this batch.
    func forget(_ batch: BatchID) { told.withLock { _ = $0.removeValue(forKey: batch) } }

    /// Returns when a submission's acceptance has been told.
    func wait(for submission: SubmissionID, of batch: BatchID) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isTold = pending.withLock { pending -> Bool in
                guard let round = pending[batch], submission > round.told else { return true }
                pending[batch]?.waiting.append(continuation)
                return false
            }
            if isTold { continuation.resume() }
        }
    }
}
