/// How much of a batch stands where, at one destination.
public struct Tally: Sendable, Hashable {
    /// The number of the batch.
    public let batch: BatchID
    /// The destination's name.
    public let destination: String
    /// Where those that are counted stand.
    public let state: SubmissionState
    /// Submissions, at least 1.
    public let count: Int
    /// Bytes of the items, or of the renditions that were made of them.
    public let bytes: Int64

    package init(batch: BatchID, destination: String, state: SubmissionState, count: Int, bytes: Int64) {
        self.batch = batch
        self.destination = destination
        self.state = state
        self.count = count
        self.bytes = bytes
    }
}
