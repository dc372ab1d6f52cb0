public import Submit

/// A submission, as people see it.
///
/// The ``options`` can be read directly, as `record.album`.
@dynamicMemberLookup
public struct SubmissionRecord: Sendable {
    /// Its number, by which people name it.
    public let id: SubmissionID
    /// What it was accepted as a part of.
    public let batch: BatchID
    /// The name of the destination that it is waiting for.
    public let destination: String
    /// The number of its item, which the submissions of it to other destinations have too.
    public let itemID: ItemID
    /// What is to be sent, as it was accepted.
    public let item: MediaItem
    /// The source's marks as they were last seen to be those of the accepted bytes.
    public let identity: SourceIdentity
    /// What a person chose for it.
    public let options: SubmissionOptions
    /// What is to be made of the item for the destination, in canonical text; `nil`: what is usual there when it is sent, and of
    /// what is done the original.
    public let recipe: String?
    /// What was made of it; `nil` where that is the original, or nothing yet.
    public let rendition: Rendition?
    /// Where it stands.
    public let state: SubmissionState
    /// When it is due, if it waits for a time.
    public let notBefore: Timestamp?
    /// How often it was begun, attempts that were broken off included.
    public let tries: Int
    /// When it ended as done, failed or cancelled; `nil` while it is waiting.
    public let settled: Timestamp?
    /// What the destination gave back; `nil` unless it is done.
    public let receipt: Receipt?
    /// The ``Receipt/remoteID`` of a copy of it that an audit found to be something else, until another one is done.
    package let disproved: String?
    /// The last failure's code and sentence.
    public let code: String?
    /// That failure's sentence, which says what to do; `nil` where nothing went wrong.
    public let message: String?

    package init(
        id: SubmissionID, batch: BatchID, destination: String, itemID: ItemID, item: MediaItem,
        identity: SourceIdentity, options: SubmissionOptions, recipe: String?, rendition: Rendition?,
        state: SubmissionState, notBefore: Timestamp?, tries: Int,
        settled: Timestamp?, receipt: Receipt?, disproved: String?, code: String?, message: String?
    ) {
        self.id = id
        self.batch = batch
        self.destination = destination
        self.itemID = itemID
        self.item = item
        self.identity = identity
        self.options = options
        self.recipe = recipe
        self.rendition = rendition
        self.state = state
        self.notBefore = notBefore
        self.tries = tries
        self.settled = settled
        self.receipt = receipt
        self.disproved = disproved
        self.code = code
        self.message = message
    }
}

extension SubmissionRecord {
    /// One of the ``options``.
    public subscript<Value>(dynamicMember option: KeyPath<SubmissionOptions, Value>) -> Value {
        options[keyPath: option]
    }

    /// What the destination gets or got: the item itself, or what was made of it.
    public var content: MediaItem { rendition?.content(of: item) ?? item }

    /// What the destination gets or got is no copy of the item.
    public var isRendition: Bool { !recipe.isOriginal }
}
