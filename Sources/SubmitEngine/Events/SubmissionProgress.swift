internal import Submit
internal import SubmitConcurrency
public import SubmitStore
internal import Synchronization

/// How far a submission has come that is being sent.
public struct SubmissionProgress: Sendable, Hashable {
    /// Its number.
    public let submission: SubmissionID
    /// Its batch.
    public let batch: BatchID
    /// Where it goes.
    public let destination: String
    /// The item's name.
    public let name: String
    /// 1 for the first. Each begins anew, where the destination cannot go on from the last one.
    public let attempt: Int
    /// Bytes of the item that are at the destination or on their way.
    public let sent: Int64
    /// Bytes of the item.
    public let size: Int64

    init(_ claim: ClaimedSubmission, _ progress: Progress) {
        submission = claim.id
        batch = claim.batch
        destination = claim.destination
        name = claim.item.name
        attempt = claim.tries
        sent = min(progress.sent.load(ordering: .relaxed), claim.item.size)
        size = claim.item.size
    }
}

extension SubmitManager {
    /// How far each submission has come that this manager is sending now, in the order of their acceptance.
    ///
    /// For displays, which look some times a second: nothing is counted for whoever does not look, so that thousands of
    /// small files cost nothing. What other processes send is not among them.
    public func underWay(_ filter: EventFilter = EventFilter()) async -> [SubmissionProgress] {
        await dispatcher.underWay().filter(filter.passes).sorted { $0.submission < $1.submission }
    }

    /// How far one submission has come, whenever that has changed, and `interval` apart at the least. Ends when the
    /// submission has: ``SubmitEvent/done(_:_:)`` and its like tell how.
    ///
    /// While it waits, or another process sends it, nothing comes. Cancelling the task that iterates ends the stream, as
    /// does a journal that cannot be read.
    public func progress(
        of submission: SubmissionID, every interval: Duration = .milliseconds(250)
    ) -> AsyncStream<SubmissionProgress> {
        let last = Locked<SubmissionProgress?>(nil)
        let isFirst = Locked(true)
        return AsyncStream { [self] in
            while true {
                let waits = isFirst.withLock { first in
                    defer { first = false }
                    return !first
                }
                if waits, (try? await Task.sleep(for: interval)) == nil { return nil }
                if let now = await dispatcher.underWay().first(where: { $0.submission == submission }) {
                    let isNews = last.withLock { last in
                        defer { last = now }
                        return last != now
                    }
                    if isNews { return now }
                } else if await hasEnded(submission) {
                    return nil
                }
            }
        }
    }

    private func hasEnded(_ submission: SubmissionID) async -> Bool {
        switch (try? await store.submissions(SubmissionSelection(submission: submission)))?.first?.state {
        case .waiting, .running: false
        case .done, .failed, .cancelled, nil: true
        }
    }
}
