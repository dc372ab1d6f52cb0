/// Which submissions a command speaks of. All conditions hold together; none speaks of all.
public struct SubmissionSelection: Sendable, Hashable {
    public var batch: BatchID?
    public var destination: String?
    public var submission: SubmissionID?

    public init(batch: BatchID? = nil, destination: String? = nil, submission: SubmissionID? = nil) {
        self.batch = batch
        self.destination = destination
        self.submission = submission
    }
}
