package import Submit

/// Letting go of what is long over and proves nothing.
///
/// There stay in any case: what is waiting or running, and all that a source which is to be removed waits for; of each source
/// and each copy of it the last proof, and the best; of each source at each destination the last word, unless that is a
/// cancellation; checkpoints; what was accepted under a key of its sender's, so that the key goes on being known; and whatever
/// belongs to a batch that is still being accepted.
package protocol HistoryStore: Sendable {
    /// Forgets of some submissions those that nothing needs, with their attempts, and items of which nothing is left. Of those
    /// that stay and ended as long ago only the last attempt is kept.
    ///
    /// A short step: whoever means all of them goes on after the last one that was looked at.
    ///
    /// - Parameters:
    ///   - age: those that ended longer ago.
    ///   - after: those accepted after this one.
    ///   - limit: how many are looked at.
    ///   - isDryRun: nothing is forgotten.
    /// - Returns: what was forgotten now. Repeated, what there was left to forget.
    func forget(
        endedBefore age: Duration, after: SubmissionID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> ForgottenHistory

    /// Forgets of some batches those that are complete and of which nothing is left, unless it is the last one.
    ///
    /// - Parameters:
    ///   - age: those that were begun longer ago.
    ///   - after: those begun after this one.
    ///   - limit: how many are looked at.
    ///   - isDryRun: nothing is forgotten; those count of which nothing would be left.
    /// - Returns: how many, and after which to go on; `nil` where there are no more. Repeated, what there was left to forget.
    func forgetBatches(
        begunBefore age: Duration, after: BatchID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> (count: Int, next: BatchID?)
}
