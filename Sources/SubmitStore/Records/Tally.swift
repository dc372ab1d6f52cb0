/// How much of a batch stands where, at one destination.
public struct Tally: Sendable, Hashable {
    public let batch: BatchID
    public let destination: String
    public let state: SubmissionState
    public let count: Int
    /// Bytes of the items.
    public let bytes: Int64

    package init(batch: BatchID, destination: String, state: SubmissionState, count: Int, bytes: Int64) {
        self.batch = batch
        self.destination = destination
        self.state = state
        self.count = count
        self.bytes = bytes
    }
}
