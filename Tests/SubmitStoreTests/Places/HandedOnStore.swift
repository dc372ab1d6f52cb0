import Submit
import SubmitStore
import SystemPackage

/// A store that hands each verb on to another, in one of three ways.
protocol HandedOnStore: Store {
    /// Hands on what only reads.
    func reading<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer

    /// Hands on what writes, through whatever value.
    func writing<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer

    /// Hands on what writes and belongs to the value: acceptances, and sources that it removes.
    func own<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer
}

// MARK: Ledger

extension HandedOnStore {
    func beginAcceptance(
        _ request: String, in batch: BatchID?, key: IdempotencyKey
    ) async throws(SubmitFailure) -> OpenAcceptance {
        try await own { (store) throws(SubmitFailure) in try await store.beginAcceptance(request, in: batch, key: key) }
    }

    func openAcceptances(of batch: BatchID?) async throws(SubmitFailure) -> [OpenAcceptance] {
        try await reading { (store) throws(SubmitFailure) in try await store.openAcceptances(of: batch) }
    }

    func takeUp(_ acceptance: OpenAcceptance, key: IdempotencyKey) async throws(SubmitFailure) -> Bool {
        try await own { (store) throws(SubmitFailure) in try await store.takeUp(acceptance, key: key) }
    }

    func amend(_ acceptance: OpenAcceptance, to request: String) async throws(SubmitFailure) -> Bool {
        try await own { (store) throws(SubmitFailure) in try await store.amend(acceptance, to: request) }
    }

    func release(_ acceptance: OpenAcceptance) async throws(SubmitFailure) {
        try await own { (store) throws(SubmitFailure) in try await store.release(acceptance) }
    }

    func sources(of acceptance: OpenAcceptance) async throws(SubmitFailure) -> Set<FilePath> {
        try await reading { (store) throws(SubmitFailure) in try await store.sources(of: acceptance) }
    }

    func accept(
        _ items: [NewItem], for acceptance: OpenAcceptance, portion: Int
    ) async throws(SubmitFailure) -> [AcceptedItem]? {
        try await own { (store) throws(SubmitFailure) in
            try await store.accept(items, for: acceptance, portion: portion)
        }
    }

    func known(sources: [SourceQuery]) async throws(SubmitFailure) -> [KnownSource] {
        try await reading { (store) throws(SubmitFailure) in try await store.known(sources: sources) }
    }

    func forgetPlaces(at destination: String) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.forgetPlaces(at: destination) }
    }

    func known(keys: [String]) async throws(SubmitFailure) -> [String: KnownItem] {
        try await reading { (store) throws(SubmitFailure) in try await store.known(keys: keys) }
    }

    func needs(_ source: FilePath, toRetry: Bool) async throws(SubmitFailure) -> Bool {
        try await reading { (store) throws(SubmitFailure) in try await store.needs(source, toRetry: toRetry) }
    }

    func complete(_ acceptance: OpenAcceptance) async throws(SubmitFailure) {
        try await own { (store) throws(SubmitFailure) in try await store.complete(acceptance) }
    }

    func beatAcceptances() async throws(SubmitFailure) {
        try await own { (store) throws(SubmitFailure) in try await store.beatAcceptances() }
    }

    func objection(to claim: ClaimedSubmission) async throws(SubmitFailure) -> ClaimObjection? {
        try await reading { (store) throws(SubmitFailure) in try await store.objection(to: claim) }
    }

    func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64, fault: StoreFault
    ) async throws(SubmitFailure) -> Settled? {
        try await writing { (store) throws(SubmitFailure) in
            try await store.settle(claim, settlement, landed: landed, fault: fault)
        }
    }

    func keep(_ checkpoint: Checkpoint?, for claim: ClaimedSubmission) async throws(SubmitFailure) -> Bool {
        try await writing { (store) throws(SubmitFailure) in try await store.keep(checkpoint, for: claim) }
    }

    func checkpoints(
        destination: String, of submission: SubmissionID?
    ) async throws(SubmitFailure) -> [KeptCheckpoint] {
        try await reading { (store) throws(SubmitFailure) in
            try await store.checkpoints(destination: destination, of: submission)
        }
    }

    func discarded(_ id: SubmissionID) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.discarded(id) }
    }

    func condemn(
        item: ItemID, _ failure: SubmitFailure, key: IdempotencyKey
    ) async throws(SubmitFailure) -> [(id: SubmissionID, destination: String)] {
        try await writing { (store) throws(SubmitFailure) in try await store.condemn(item: item, failure, key: key) }
    }

    func prove(_ copies: [SubmissionRecord]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.prove(copies) }
    }

    func want(_ removal: SourceRemoval, of items: [ItemID]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.want(removal, of: items) }
    }

    func reidentify(_ items: [ItemID: SourceIdentity]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.reidentify(items) }
    }

    func isCopyOfAnother(
        _ address: CopyAddress, than claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool {
        try await reading { (store) throws(SubmitFailure) in try await store.isCopyOfAnother(address, than: claim) }
    }

    // A lock belongs to a process, and all of these are one.
    func lockAddress(_ name: String) -> Bool { true }

    func unlockAddress(_ name: String) {}

    func rendition(of submission: SubmissionID) async throws(SubmitFailure) -> Rendition? {
        try await reading { (store) throws(SubmitFailure) in try await store.rendition(of: submission) }
    }

    func keep(
        _ rendition: Rendition, by recipe: String, for claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool {
        try await own { (store) throws(SubmitFailure) in
            try await store.keep(rendition, by: recipe, for: claim)
        }
    }

    func sendAgain(_ copies: [LostCopy]) async throws(SubmitFailure) -> [SubmissionID] {
        try await writing { (store) throws(SubmitFailure) in try await store.sendAgain(copies) }
    }
}

// MARK: Control

extension HandedOnStore {
    func sweep() async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.sweep() }
    }

    func setPaused(_ isPaused: Bool, _ destinations: [String]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.setPaused(isPaused, destinations) }
    }

    func opening(
        of destination: String
    ) async throws(SubmitFailure) -> (state: DestinationState, wait: Duration?) {
        try await reading { (store) throws(SubmitFailure) in try await store.opening(of: destination) }
    }

    func hold(
        _ destination: String, _ reason: HoldReason?, _ failure: SubmitFailure, by claim: ClaimedSubmission,
        isProbe: Bool, looks: [Duration]?
    ) async throws(SubmitFailure) -> DestinationState {
        try await writing { (store) throws(SubmitFailure) in
            try await store.hold(destination, reason, failure, by: claim, isProbe: isProbe, looks: looks)
        }
    }

    func endHold(_ destination: String) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.endHold(destination) }
    }

    func lookAgain(at destinations: [String], asked: Set<String>?) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.lookAgain(at: destinations, asked: asked) }
    }

    func giveBackLook(at destination: String) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.giveBackLook(at: destination) }
    }

    func hurry(_ destinations: [String]) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.hurry(destinations) }
    }

    func prioritise(_ batch: BatchID, _ priority: SendingPriority) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.prioritise(batch, priority) }
    }

    func cancel(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Cancellation {
        try await writing { (store) throws(SubmitFailure) in try await store.cancel(selection) }
    }

    func retry(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.retry(selection) }
    }

    func takeUp(_ batches: [BatchID], at destinations: [String]) async throws(SubmitFailure) -> Int {
        try await writing { (store) throws(SubmitFailure) in try await store.takeUp(batches, at: destinations) }
    }
}

// MARK: Removals, notes, feed

extension HandedOnStore {
    func claimRemovals(
        batches: [BatchID]?, after: ItemID, limit: Int
    ) async throws(SubmitFailure) -> [RemovableSource] {
        try await own { (store) throws(SubmitFailure) in
            try await store.claimRemovals(batches: batches, after: after, limit: limit)
        }
    }

    func beginRemoval(
        of source: RemovableSource, to aside: FilePath, besides others: Set<AcceptanceID>
    ) async throws(SubmitFailure) -> SourceNeed? {
        try await own { (store) throws(SubmitFailure) in
            try await store.beginRemoval(of: source, to: aside, besides: others)
        }
    }

    func need(
        of source: RemovableSource, besides others: Set<AcceptanceID>
    ) async throws(SubmitFailure) -> SourceNeed? {
        try await reading { (store) throws(SubmitFailure) in try await store.need(of: source, besides: others) }
    }

    func settleRemoval(of source: RemovableSource, _ end: RemovalEnd) async throws(SubmitFailure) {
        try await own { (store) throws(SubmitFailure) in try await store.settleRemoval(of: source, end) }
    }

    func forget(
        endedBefore age: Duration, after: SubmissionID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> ForgottenHistory {
        try await writing { (store) throws(SubmitFailure) in
            try await store.forget(endedBefore: age, after: after, limit: limit, isDryRun: isDryRun)
        }
    }

    func forgetBatches(
        begunBefore age: Duration, after: BatchID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> (count: Int, next: BatchID?) {
        try await writing { (store) throws(SubmitFailure) in
            try await store.forgetBatches(begunBefore: age, after: after, limit: limit, isDryRun: isDryRun)
        }
    }

    func note(_ topic: String, of destination: String) async throws(SubmitFailure) -> [UInt8]? {
        try await reading { (store) throws(SubmitFailure) in try await store.note(topic, of: destination) }
    }

    func setNote(_ topic: String, of destination: String, to note: [UInt8]?) async throws(SubmitFailure) {
        try await writing { (store) throws(SubmitFailure) in try await store.setNote(topic, of: destination, to: note) }
    }

    func holdsCopies(_ destination: String) async throws(SubmitFailure) -> Bool {
        try await reading { (store) throws(SubmitFailure) in try await store.holdsCopies(destination) }
    }
}
