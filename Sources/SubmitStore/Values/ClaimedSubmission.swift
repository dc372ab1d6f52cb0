package import Submit

/// A submission that this process works on.
@dynamicMemberLookup
package struct ClaimedSubmission: Sendable {
    package let id: SubmissionID
    package let itemID: ItemID
    package let batch: BatchID
    package let destination: String
    package let item: MediaItem
    package let identity: SourceIdentity
    package let options: SubmissionOptions
    /// Who claimed it.
    package let worker: WorkerID
    /// Which claim this is. Finishing is refused to anyone who holds an older one.
    package let fence: Int64
    /// How often it has been claimed, this time included.
    package let tries: Int
    /// How many of its attempts failed.
    package let failures: Int
    /// Bytes of the item that some attempt brought there for good.
    package let landed: Int64
    /// Whose fault it was the last time, if it failed.
    package let fault: StoreFault
    /// When its batch was accepted.
    package let accepted: Timestamp
    package let started: Timestamp
    package let checkpoint: Checkpoint?
    /// The remote id of a copy of it that an audit found to be something else.
    package let disproved: String?
    /// What is to be made of the item for the destination, in canonical text; `nil`: what is usual there when it is sent.
    package let recipe: String?
    /// By what the store tells whether anybody may have paused or cancelled anything since; its own.
    package let controls: Int64

    package init(
        id: SubmissionID, itemID: ItemID, batch: BatchID, destination: String, item: MediaItem,
        identity: SourceIdentity, options: SubmissionOptions, worker: WorkerID, fence: Int64, tries: Int, failures: Int,
        landed: Int64, fault: StoreFault,
        accepted: Timestamp,
        started: Timestamp, checkpoint: Checkpoint?, disproved: String?, recipe: String? = nil,
        controls: Int64 = -1
    ) {
        self.id = id
        self.itemID = itemID
        self.batch = batch
        self.destination = destination
        self.item = item
        self.identity = identity
        self.options = options
        self.worker = worker
        self.fence = fence
        self.tries = tries
        self.failures = failures
        self.landed = landed
        self.fault = fault
        self.accepted = accepted
        self.started = started
        self.checkpoint = checkpoint
        self.disproved = disproved
        self.recipe = recipe
        self.controls = controls
    }

    package subscript<Value>(dynamicMember option: KeyPath<SubmissionOptions, Value>) -> Value {
        options[keyPath: option]
    }
}

/// What someone did after a claim, against which it should not begin.
package enum ClaimObjection: Sendable, Hashable {
    case cancelled
    case paused
}
