package import Submit

/// A media item to accept, with what is waiting of it, and for whom.
package struct NewItem: Sendable {
    package var item: MediaItem
    package var identity: SourceIdentity
    /// One for each destination.
    package var submissions: [NewSubmission]
    /// When the source is to be removed; `nil`: never.
    package var removal: SourceRemoval?
    /// An item with the same one is accepted once; `nil`: as often as it comes.
    package var idempotencyKey: String?
    /// What is waiting or done of a file of the same path and bytes by the time it is written down is left out.
    package var isUnlessKnown = false

    package init(
        item: MediaItem, identity: SourceIdentity, submissions: [NewSubmission], removal: SourceRemoval? = nil,
        idempotencyKey: String? = nil
    ) {
        self.idempotencyKey = idempotencyKey
        self.item = item
        self.identity = identity
        self.submissions = submissions
        self.removal = removal
    }
}

/// What is waiting of an item to one destination.
@dynamicMemberLookup
package struct NewSubmission: Sendable {
    package var destination: String
    package var options: SubmissionOptions
    /// Where the destination puts things now; see ``Settlement/done(_:place:facts:)``.
    package var place: Int64?
    /// What is to be made of the item for it, in canonical text; `nil`: what is usual there when it is sent, which is the original
    /// as of now.
    package var recipe: String?
    /// Nobody asked for the recipe by name: what was sent as the original before counts as well, so that nothing is published
    /// twice that was before there were recipes.
    package var isRecipeUsual = false
    /// Why it is known beforehand that the destination will not take it. It is written down as failed.
    package var refusal: SubmitFailure?

    package init(
        destination: String, options: SubmissionOptions = SubmissionOptions(), place: Int64? = nil,
        recipe: String? = nil, refusal: SubmitFailure? = nil
    ) {
        self.place = place
        self.recipe = recipe
        self.destination = destination
        self.options = options
        self.refusal = refusal
    }

    package subscript<Value>(dynamicMember option: WritableKeyPath<SubmissionOptions, Value>) -> Value {
        get { options[keyPath: option] }
        set { options[keyPath: option] = newValue }
    }
}
