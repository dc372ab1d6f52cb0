public import Submit
internal import SubmitConcurrency
public import SubmitStore
public import SystemPackage

/// Something that happened. Each comes after it was written to the journal, never before.
///
/// As JSON it is one object, whose shape is in <doc:Events>.
public enum SubmitEvent: Sendable, Hashable {
    /// An item is accepted: it is on disk what is waiting of it, and for whom.
    case accepted(MediaItem, batch: BatchID, [AcceptedSubmission])
    /// A path was not accepted.
    case refused(FilePath, batch: BatchID, SubmitFailure)
    /// Something below a named folder was not taken.
    case leftBehind(LeftBehind, batch: BatchID)
    /// All that was asked for is accepted or refused.
    case batchComplete(BatchID, items: Int)
    /// An attempt begins, by this manager.
    case started(SubmissionNote)
    /// It has arrived, and this is what the destination gave back.
    case done(SubmissionNote, Receipt)
    /// It will not be tried again.
    case failed(SubmissionNote, SubmitFailure)
    /// It will be tried again, not before `until`; `nil`: when someone has acted.
    case waiting(SubmissionNote, SubmitFailure, until: Timestamp?)
    /// Somebody cancelled it: nothing more of it is sent.
    case cancelled(SubmissionNote)
    /// Nothing goes out to a destination for now.
    case onHold(DestinationState)
    /// A destination on hold works again.
    case holdEnded(destination: String)
    /// Nothing more goes out to a destination, as was asked of this manager, until somebody resumes it.
    case paused(destination: String)
    /// A pause ended, as was asked of this manager.
    case resumed(destination: String)
    /// Enough copies of an item are proven, and its source is gone from its place: into the trash at `to`, or for good.
    case sourceRemoved(MediaItem, batch: BatchID, to: FilePath?)
    /// A source that was to be removed is where it was; `isForGood`: no later run tries it again.
    case sourceKept(MediaItem, batch: BatchID, SubmitFailure, isForGood: Bool)
}

/// What is waiting of an item from its acceptance on, to one destination.
public struct AcceptedSubmission: Sendable, Hashable {
    /// Its number.
    public let id: SubmissionID
    /// Whom it is waiting for.
    public let destination: String
    /// Why it is known beforehand that the destination will not take it; `nil`: it will be tried.
    public let refusal: SubmitFailure?
}

/// Which submission an event speaks of.
public struct SubmissionNote: Sendable, Hashable {
    /// Its number.
    public let id: SubmissionID
    /// What it was accepted as a part of.
    public let batch: BatchID
    /// The name of the destination that it is waiting for.
    public let destination: String
    /// What is sent, as it was accepted.
    public let item: MediaItem
    /// 1 for the first.
    public let attempt: Int
    /// What is made of it for the destination, in canonical text; `nil`: it gets the original.
    public let recipe: String?

    init(
        id: SubmissionID, batch: BatchID, destination: String, item: MediaItem, attempt: Int, recipe: String? = nil
    ) {
        self.recipe = recipe
        self.id = id
        self.batch = batch
        self.destination = destination
        self.item = item
        self.attempt = attempt
    }

    init(_ claim: ClaimedSubmission) { self.init(claim, recipe: claim.recipe) }

    /// - Parameter recipe: what was sent. The claim has none if the destination became public after acceptance.
    init(_ claim: ClaimedSubmission, recipe: String?) {
        id = claim.id
        batch = claim.batch
        destination = claim.destination
        item = claim.item
        attempt = claim.tries
        self.recipe = recipe
    }

    init(_ record: SubmissionRecord) {
        id = record.id
        batch = record.batch
        destination = record.destination
        item = record.item
        attempt = record.tries
        recipe = record.recipe
    }

    /// Another submission of the same item, at another destination.
    init(_ claim: ClaimedSubmission, as id: SubmissionID, at destination: String) {
        self.id = id
        batch = claim.batch
        self.destination = destination
        item = claim.item
        attempt = 0
        recipe = nil
    }
}
