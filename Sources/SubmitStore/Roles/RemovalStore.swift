package import Submit
package import SystemPackage

/// Sources that are to be removed once enough copies are proven.
package protocol RemovalStore: Sendable {
    /// The sources of these items are to be removed, as others of their batches may be; one that was kept, or removed and put
    /// back, is looked at again. Those that somebody is at are left as they are.
    func want(_ removal: SourceRemoval, of items: [ItemID]) async throws(SubmitFailure)

    /// Claims sources that are to be removed, after `after`, in the order of acceptance.
    ///
    /// - Parameter batches: those of these; `nil` for all.
    func claimRemovals(
        batches: [BatchID]?, after: ItemID, limit: Int
    ) async throws(SubmitFailure) -> [RemovableSource]

    /// Writes down that a source is about to be put aside, unless something still needs it.
    ///
    /// - Parameter others: open acceptances that are known not to mean the source.
    /// - Returns: why it is still needed; `nil` when it may go.
    func beginRemoval(
        of source: RemovableSource, to aside: FilePath, besides others: Set<AcceptanceID>
    ) async throws(SubmitFailure) -> SourceNeed?

    /// Why a source is still needed; `nil` when nothing in the store needs it.
    ///
    /// - Parameter others: open acceptances that are known not to mean the source.
    func need(of source: RemovableSource, besides others: Set<AcceptanceID>) async throws(SubmitFailure) -> SourceNeed?

    /// Ends a removal, or gives it back as wanted. Where it may have been put aside stays written down.
    ///
    /// - Parameter failure: why it was kept, or is not removed yet.
    func settleRemoval(
        of source: RemovableSource, _ state: RemovalState, _ failure: SubmitFailure?
    ) async throws(SubmitFailure)

    /// A source that was claimed, and lies at its place, is not to be removed any more.
    func takeBackRemoval(of source: RemovableSource) async throws(SubmitFailure)

    /// Lets others remove a source that was claimed, and leaves all else as it is.
    func releaseRemoval(of source: RemovableSource) async throws(SubmitFailure)
}

/// A source that this value may remove.
package struct RemovableSource: Sendable {
    package let itemID: ItemID
    package let batch: BatchID
    package let item: MediaItem
    package let identity: SourceIdentity
    package let removal: SourceRemoval
    package let state: RemovalState
    /// Where an earlier removal that was broken off may have put it.
    package let aside: FilePath?

    package init(
        itemID: ItemID, batch: BatchID, item: MediaItem, identity: SourceIdentity, removal: SourceRemoval,
        state: RemovalState, aside: FilePath?
    ) {
        self.itemID = itemID
        self.batch = batch
        self.item = item
        self.identity = identity
        self.removal = removal
        self.state = state
        self.aside = aside
    }
}

/// What still needs a source.
package enum SourceNeed: Sendable {
    case submission(SubmissionID, destination: String, isFailed: Bool)
    /// It may be one of the files of an acceptance that has not come to its end, by what that was asked for.
    case acceptance(OpenAcceptance)
    /// Another process is at it.
    case anotherProcess
}
