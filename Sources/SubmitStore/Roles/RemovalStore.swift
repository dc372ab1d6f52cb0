public import Submit
public import SystemPackage

/// Sources that are to be removed once enough copies are proven.
package protocol RemovalStore: RemovalReadings {
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

    /// Ends a claim. The store keeps the path to which the source may have been put aside.
    func settleRemoval(of source: RemovableSource, _ end: RemovalEnd) async throws(SubmitFailure)
}

/// What is known of sources that are to be removed from this machine.
public protocol RemovalReadings: Sendable {
    /// How far the removals of some batches have come.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func removals(of batches: [BatchID]) async throws(SubmitFailure) -> RemovalTally

    /// The batches with sources that are yet to be removed, oldest first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func removalBatches() async throws(SubmitFailure) -> [BatchID]

    /// Where this item's source was put when it was removed on purpose; `nil` where it was not.
    ///
    /// It may have been deleted there since, by us or by its owner.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func removedSource(of item: ItemID) async throws(SubmitFailure) -> FilePath?
}

extension RemovalReadings where Self: StoreReadings {
    /// The destinations of the batches with sources that are yet to be removed; empty where there are none.
    ///
    /// - Parameter batches: of these; `nil` for all.
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    public func removalDestinations(batches: [BatchID]?) async throws(SubmitFailure) -> [String] {
        var names: Set<String> = []
        for batch in try await removalBatches() where batches?.contains(batch) ?? true {
            names.formUnion(try await tallies(SubmissionSelection(batch: batch)).map(\.destination))
        }
        return names.sorted()
    }
}

/// How a claim of a source ends.
package enum RemovalEnd: Sendable {
    case removed
    /// The source stays, and why.
    case kept(SubmitFailure)
    /// The source is to be removed later, and why it is not removed yet.
    case wanted(SubmitFailure?)
    /// Others may claim it; all else stays as it is.
    case released
    /// The source, which lies at its place, is not to be removed any more.
    case takenBack
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
