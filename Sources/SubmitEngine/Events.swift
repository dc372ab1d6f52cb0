public import Submit
internal import SubmitConcurrency
public import SubmitJournal
public import SystemPackage

/// Something that happened. Each comes after it was written to the journal, never before.
public enum SubmitEvent: Sendable {
    /// An item is accepted: it is on disk what is owed of it to whom.
    case accepted(MediaItem, batch: BatchID, [(id: SubmissionID, destination: String, refusal: SubmitFailure?)])
    /// A path was not accepted.
    case refused(FilePath, SubmitFailure)
    /// A file below a named folder is neither photo nor video and was passed over.
    case passedOver(FilePath)
    /// All that was asked for is accepted or refused.
    case sealed(BatchID, items: Int)
    case started(SubmissionNote)
    case done(SubmissionNote, Receipt)
    /// It will not be tried again.
    case failed(SubmissionNote, SubmitFailure)
    /// It will be tried again, not before `until`; `nil`: when someone has acted.
    case waits(SubmissionNote, SubmitFailure, until: Timestamp?)
    case cancelled(SubmissionNote)
    /// Nothing goes out to a destination for now.
    case parked(DestinationState)
    /// A parked destination works again.
    case unparked(destination: String)
    case paused(destination: String)
    case resumed(destination: String)
    /// Enough copies of an item are proven, and its source is gone from its place: into the trash at `to`, or for good.
    case sourceRemoved(MediaItem, batch: BatchID, to: FilePath?)
    /// A source that was to be removed is where it was; `isForGood`: no later run tries it again.
    case sourceKept(MediaItem, batch: BatchID, SubmitFailure, isForGood: Bool)
}

/// Which submission an event speaks of.
public struct SubmissionNote: Sendable {
    public let id: SubmissionID
    public let batch: BatchID
    public let destination: String
    public let item: MediaItem
    /// 1 for the first.
    public let attempt: Int

    init(_ claim: ClaimedSubmission) {
        id = claim.id
        batch = claim.batch
        destination = claim.destination
        item = claim.item
        attempt = claim.tries
    }

    init(_ record: SubmissionRecord) {
        id = record.id
        batch = record.batch
        destination = record.destination
        item = record.item
        attempt = record.tries
    }

    /// Another submission of the same item, at another destination.
    init(_ claim: ClaimedSubmission, as id: SubmissionID, at destination: String) {
        self.id = id
        batch = claim.batch
        self.destination = destination
        item = claim.item
        attempt = 0
    }
}

/// Hands every event to everyone who listens.
final class EventHub: Sendable {
    /// What has to be told first.
    let announcements = Announcements()
    private let listeners = Locked<[@Sendable (SubmitEvent) -> Void]>([])
    private let streams = Locked<[Int: AsyncStream<SubmitEvent>.Continuation]>([:])
    private let next = Locked(0)

    /// Hands all events from now on to `listener`.
    func listen(_ listener: @escaping @Sendable (SubmitEvent) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// All events from now on. Unbounded: a bounded buffer would lose some.
    func stream() -> AsyncStream<SubmitEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SubmitEvent.self, bufferingPolicy: .unbounded)
        let key = next.withLock { next -> Int in
            next += 1
            return next
        }
        streams.withLock { $0[key] = continuation }
        continuation.onTermination = { [weak self] _ in
            self?.streams.withLock { _ = $0.removeValue(forKey: key) }
        }
        return stream
    }

    func send(_ event: SubmitEvent) {
        for listener in listeners.withLock({ $0 }) { listener(event) }
        for continuation in streams.withLock({ Array($0.values) }) { continuation.yield(event) }
    }

    func finish() {
        for continuation in streams.withLock({ Array($0.values) }) { continuation.finish() }
    }
}
