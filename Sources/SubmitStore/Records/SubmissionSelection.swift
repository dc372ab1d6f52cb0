/// Which submissions a command speaks of. All conditions hold together; none speaks of all.
public struct SubmissionSelection: Sendable, Hashable {
    /// Those of this batch; `nil`: of any.
    public var batch: BatchID?
    /// Those at the destination of this name; `nil`: at any.
    public var destination: String?
    /// The one of this number; `nil`: any.
    public var submission: SubmissionID?

    /// All submissions, where nothing is given.
    public init(batch: BatchID? = nil, destination: String? = nil, submission: SubmissionID? = nil) {
        self.batch = batch
        self.destination = destination
        self.submission = submission
    }
}
