public import Submit

/// A submission, as people see it.
public struct SubmissionRecord: Sendable {
    public let id: SubmissionID
    public let batch: BatchID
    public let destination: String
    public let itemID: ItemID
    public let item: MediaItem
    /// The source's marks as they were last seen to be those of the accepted bytes.
    public let identity: SourceIdentity
    public let album: String?
    public let onConflict: ConflictPolicy
    /// How its copy was or is to be proven.
    public let verification: Verification
    public let state: SubmissionState
    /// When it is due, if it waits for a time.
    public let notBefore: Timestamp?
    public let tries: Int
    public let settled: Timestamp?
    public let receipt: Receipt?
    /// The last failure's code and sentence.
    public let code: String?
    public let message: String?

    package init(
        id: SubmissionID, batch: BatchID, destination: String, itemID: ItemID, item: MediaItem,
        identity: SourceIdentity, album: String?, onConflict: ConflictPolicy, verification: Verification,
        state: SubmissionState, notBefore: Timestamp?, tries: Int, settled: Timestamp?, receipt: Receipt?,
        code: String?, message: String?
    ) {
        self.id = id
        self.batch = batch
        self.destination = destination
        self.itemID = itemID
        self.item = item
        self.identity = identity
        self.album = album
        self.onConflict = onConflict
        self.verification = verification
        self.state = state
        self.notBefore = notBefore
        self.tries = tries
        self.settled = settled
        self.receipt = receipt
        self.code = code
        self.message = message
    }
}
