package import Submit

/// What came of an attempt.
package enum Settlement: Sendable {
    /// - Parameters:
    ///   - place: what tells the place of the copy from others that its destination may have had, or will;
    ///     `nil`: unknown, and it never counts as sent before.
    ///   - facts: what goes into the catalogue with the receipt.
    case done(Receipt, place: Int64? = nil, facts: PictureFacts = PictureFacts())
    /// It will not be tried again.
    case failed(SubmitFailure)
    /// It is tried again, after that time at the earliest. `counts`: the attempt uses up one of those it has, unless it got farther
    /// than any before it, which gives them all back.
    case waiting(SubmitFailure, after: Duration, counts: Bool)
    case cancelled
    /// The attempt was broken off from outside; the submission is waiting as before.
    case released
    /// Nothing was tried after all; the submission is waiting as before, and nothing tells of the claim.
    case untried
}

/// What has arrived by a claim.
package struct Arrival: Sendable {
    package let claim: ClaimedSubmission
    package let receipt: Receipt
    /// See ``Settlement/done(_:place:facts:)``.
    package let place: Int64?
    /// See ``Settlement/done(_:place:facts:)``.
    package let facts: PictureFacts

    package init(claim: ClaimedSubmission, receipt: Receipt, place: Int64? = nil, facts: PictureFacts = PictureFacts()) {
        self.claim = claim
        self.receipt = receipt
        self.place = place
        self.facts = facts
    }

    package var settlement: Settlement { .done(receipt, place: place, facts: facts) }
}

/// Where a submission stands after its claim has ended.
package struct Settled: Sendable, Hashable {
    package let state: SubmissionState
    /// When it is tried again, if it waits for a time.
    package let notBefore: Timestamp?

    package init(_ state: SubmissionState, notBefore: Timestamp? = nil) {
        self.state = state
        self.notBefore = notBefore
    }
}
