package import Submit
package import SystemPackage

/// Accepting, and settling what is waiting.
package protocol SubmissionLedger: Sendable {
    // MARK: Accepting

    /// Writes down what is to be accepted, so that an acceptance which is cut off can be completed by anyone.
    ///
    /// - Parameters:
    ///   - request: what is asked for, in words of the caller's own.
    ///   - batch: `nil` for a new one. One that was complete is no longer.
    ///   - key: the caller's own, by which it is known again when the answer was lost.
    func beginAcceptance(
        _ request: String, in batch: BatchID?, key: IdempotencyKey
    ) async throws(SubmitFailure) -> OpenAcceptance

    /// What is asked for and is not accepted to its end, of one batch or of all, be it that somebody is at it.
    func openAcceptances(of batch: BatchID?) async throws(SubmitFailure) -> [OpenAcceptance]

    /// Takes on an acceptance that was cut off.
    ///
    /// - Parameter key: the caller's own, by which it is known again when the answer was lost.
    /// - Returns: whether it is the caller's now; false where somebody is at it, or it has come to its end.
    func takeUp(_ acceptance: OpenAcceptance, key: IdempotencyKey) async throws(SubmitFailure) -> Bool

    /// Writes down anew what an acceptance is asked for, in words that can be read by whoever completes it.
    ///
    /// - Returns: false where it is not this value's, or was cancelled.
    func amend(_ acceptance: OpenAcceptance, to request: String) async throws(SubmitFailure) -> Bool

    /// Leaves an acceptance that was not complete for others to take up.
    func release(_ acceptance: OpenAcceptance) async throws(SubmitFailure)

    /// The sources of the items that may have been accepted for an acceptance.
    func sources(of acceptance: OpenAcceptance) async throws(SubmitFailure) -> Set<FilePath>

    /// Writes down items and what is waiting of them. On return they are accepted.
    ///
    /// - Parameter portion: how many times something was accepted for it before, by whoever is at it now. The last one may be
    ///   asked for again; then items that have a key are known by it.
    /// - Returns: what became of each, in the given order; `nil`, with nothing written, when somebody cancelled the acceptance.
    func accept(
        _ items: [NewItem], for acceptance: OpenAcceptance, portion: Int
    ) async throws(SubmitFailure) -> [AcceptedItem]?

    /// Those of these keys that something was accepted under.
    func known(keys: [String]) async throws(SubmitFailure) -> [String: KnownItem]

    /// What was accepted before from the paths of these files, in their order; of each the latest few dozen submissions.
    func known(sources: [SourceQuery]) async throws(SubmitFailure) -> [KnownSource]

    /// Those of some bytes, by their SHA-256, whose originals were sent to every one of these destinations before, to where each
    /// puts things now, and are proven to be there.
    ///
    /// - Parameter places: of the destinations, by their names.
    func proven(_ digests: [[UInt8]], at places: [String: Int64]) async throws(SubmitFailure) -> Set<[UInt8]>

    /// Whether anything has arrived at a destination.
    func holdsCopies(_ destination: String) async throws(SubmitFailure) -> Bool

    /// The copies that a destination has got by now lie in another place than the next ones: they do not count as sent before.
    func forgetPlaces(at destination: String) async throws(SubmitFailure)

    /// Whether a file that nobody else has is of use yet: something is waiting of it, or an acceptance names it, or somebody may
    /// ask again for what failed of it.
    ///
    /// - Parameter toRetry: false: nobody will.
    func needs(_ source: FilePath, toRetry: Bool) async throws(SubmitFailure) -> Bool

    /// Notes that everything that was asked for has been accepted or refused. The batch is complete when nothing else of it is
    /// being accepted; it is forgotten where nothing was accepted into it.
    func complete(_ acceptance: OpenAcceptance) async throws(SubmitFailure)

    /// Somebody goes on accepting through this value, where somebody does.
    func beatAcceptances() async throws(SubmitFailure)

    // MARK: Settling

    /// Whether anything speaks against beginning what was claimed a while ago.
    func objection(to claim: ClaimedSubmission) async throws(SubmitFailure) -> ClaimObjection?

    /// Ends a claim and writes down the attempt.
    ///
    /// What was cancelled meanwhile ends as that, unless it is done or failed.
    ///
    /// A checkpoint stays, unless the submission is done: what is left at the destination can be gone on from, or has to
    /// be removed; see ``discarded(_:)``.
    ///
    /// - Parameters:
    ///   - landed: bytes of the item that the attempt brought there for good.
    ///   - fault: whose it is that it failed.
    /// - Returns: where it stands now; `nil`, with nothing written, when the submission is no longer this claim's.
    @discardableResult
    func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64, fault: StoreFault
    ) async throws(SubmitFailure) -> Settled?

    /// Ends claims whose items have arrived, as ``settle(_:_:landed:fault:)`` ends each.
    ///
    /// - Parameter arrivals: gives those there are when they are written down; on any thread, and more than once where that
    ///   has to be begun anew: then those that it gave before come first again.
    /// - Returns: where each of those stands now, as that one does.
    func settle(
        arrivals: @escaping @Sendable () -> [Arrival]
    ) async throws(SubmitFailure) -> [Settled?]

    /// Keeps a submitter's checkpoint, or forgets it.
    ///
    /// - Returns: false when the submission is no longer this claim's.
    func keep(_ checkpoint: Checkpoint?, for claim: ClaimedSubmission) async throws(SubmitFailure) -> Bool

    /// Whether a copy of another photo has an address: one that is done, from another file and with other bytes.
    ///
    /// An earlier version of the claim's own file is no other photo, unless its source was removed after it was sent.
    func isCopyOfAnother(_ address: CopyAddress, than claim: ClaimedSubmission) async throws(SubmitFailure) -> Bool

    /// Holds a name for this process, against all others that use the store, until ``unlockAddress(_:)`` or the process's end.
    ///
    /// - Returns: false if another process holds it.
    func lockAddress(_ name: String) -> Bool

    /// Ends ``lockAddress(_:)``.
    func unlockAddress(_ name: String)

    /// What was made of the item for a submission; `nil` where nothing was yet.
    func rendition(of submission: SubmissionID) async throws(SubmitFailure) -> Rendition?

    /// Keeps what was made of the item for a submission, in place of what was made before. What is kept of its checkpoint is
    /// forgotten where these are other bytes.
    ///
    /// - Parameter recipe: by which it was made: that of the submission from now on, where that had none.
    /// - Returns: false when the submission is no longer this claim's.
    func keep(
        _ rendition: Rendition, by recipe: String, for claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool

    /// The checkpoints of a destination's submissions, of one of them, or of all.
    ///
    /// A submission that failed keeps its own for a retry; one that was cancelled, until what it left is removed.
    func checkpoints(
        destination: String, of submission: SubmissionID?
    ) async throws(SubmitFailure) -> [KeptCheckpoint]

    /// Forgets the checkpoint of a submission that is over: nothing of it is left at its destination.
    func discarded(_ id: SubmissionID) async throws(SubmitFailure)

    /// Fails every submission of an item that nobody works on: its source is no longer what was accepted.
    ///
    /// - Parameter key: the caller's own, by which it is known again when the answer was lost.
    /// - Returns: those that are failed by this, with their destinations.
    func condemn(
        item: ItemID, _ failure: SubmitFailure, key: IdempotencyKey
    ) async throws(SubmitFailure) -> [(id: SubmissionID, destination: String)]

    /// Writes down that sources have other identities than on acceptance, though the same bytes.
    func reidentify(_ items: [ItemID: SourceIdentity]) async throws(SubmitFailure)

    /// Writes down that copies were read back and are what was sent: `verified` is their evidence from now on.
    ///
    /// Those that are no longer done, or whose copy is another by now, are left as they are.
    func prove(_ copies: [SubmissionRecord]) async throws(SubmitFailure)

    /// Owes copies again that were done and are lost, with all their attempts. What was found is one attempt more in
    /// their history.
    ///
    /// Those that are no longer done are left as they are: someone else is at them.
    ///
    /// - Returns: those that are waiting now for what was found.
    func sendAgain(_ copies: [LostCopy]) async throws(SubmitFailure) -> [SubmissionID]
}

extension SubmissionLedger {
    @discardableResult
    package func settle(_ claim: ClaimedSubmission, _ settlement: Settlement) async throws(SubmitFailure) -> Settled? {
        try await settle(claim, settlement, landed: 0, fault: .none)
    }

    package func settle(
        arrivals: @escaping @Sendable () -> [Arrival]
    ) async throws(SubmitFailure) -> [Settled?] {
        var settled: [Settled?] = []
        for arrival in arrivals() { settled.append(try await settle(arrival.claim, arrival.settlement)) }
        return settled
    }
}
