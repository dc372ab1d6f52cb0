internal import Logging
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// What cancelled submissions left at their destinations, and how it is removed.
struct CancelledCleanup: Sendable {
    let store: any Store
    let destinations: Locked<[String: Destination]>
    let logger: Logger

    /// Removes what is left at a destination, where that could not be done at once.
    ///
    /// - Returns: how many submissions left something that is gone now.
    @discardableResult
    func remove(at name: String) async throws(SubmitFailure) -> Int {
        var count = 0
        for kept in try await store.checkpoints(destination: name, of: nil) where kept.state == .cancelled {
            if Task.isCancelled { return count }
            if try await remove(of: kept.submission) { count += 1 }
        }
        return count
    }

    /// Removes what a submission that is over left. What cannot be reached keeps it, and the journal its checkpoint: the next
    /// look tries again.
    ///
    /// - Parameter name: those of other destinations are left alone; `nil`: of none.
    /// - Returns: whether nothing is left.
    @discardableResult
    func remove(of id: SubmissionID, at name: String? = nil) async throws(SubmitFailure) -> Bool {
        guard
            let record = try await store.submissions(SubmissionSelection(destination: name, submission: id)).first,
            let destination = destinations.withLock({ $0[record.destination] })
        else { return false }
        let checkpoint = try await store.checkpoints(destination: destination.name, of: id).first?.checkpoint
        do throws(SubmitFailure) {
            var context = SubmissionContext(
                submission: "\(store.identity)-\(id)", attempt: record.tries, options: record.options,
                checkpoint: checkpoint)
            context.disproved = record.disproved
            context.logger = logger.doing("discard", at: destination.name)
            try await withLogger(context.logger) { [context] _ async throws(SubmitFailure) in
                try await destination.submitter.discard(record.item, context: context)
            }
        } catch {
            return false
        }
        try await store.discarded(id)
        return true
    }
}
