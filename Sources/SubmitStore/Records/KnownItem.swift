/// An item that was accepted before under the key it comes with.
public struct KnownItem: Sendable, Hashable {
    /// The key.
    public let idempotencyKey: String
    /// What it became a part of.
    public let batch: BatchID
    /// What was waiting of it, in the order of acceptance.
    public let submissions: [SubmissionID]

    package init(idempotencyKey: String, batch: BatchID, submissions: [SubmissionID]) {
        self.idempotencyKey = idempotencyKey
        self.batch = batch
        self.submissions = submissions
    }
}
