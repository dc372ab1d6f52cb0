import Submit
import SubmitConcurrency
import SubmitStore
import SystemPackage

/// A store whose answer to each verb that writes is lost on the way the first time, and which then asks again, once, with the
/// same arguments.
struct ForgetfulStore: HandedOnStore {
    private let store: any Store

    init(_ store: any Store) { self.store = store }

    var identity: String { store.identity }
    var ownFiles: [FilePath] { store.ownFiles }
    var spool: FilePath { store.spool }
    var renditions: FilePath { store.renditions }
    var locks: FilePath { store.locks }
    var owner: String {
        get { store.owner }
        nonmutating set { store.owner = newValue }
    }

    func reading<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        try await verb(store)
    }

    func writing<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        _ = try await verb(store)
        return try await verb(store)
    }

    func own<Answer>(
        _ verb: (any Store) async throws(SubmitFailure) -> Answer
    ) async throws(SubmitFailure) -> Answer {
        try await writing(verb)
    }

    func makeWorker() async throws(SubmitFailure) -> any StoreWorker {
        ForgetfulWorker(try await store.makeWorker())
    }

    func mark() async throws(SubmitFailure) -> StoreMark { try await store.mark() }
}

/// The worker of a ``ForgetfulStore``: what it claimed it learns from what it holds.
private struct ForgetfulWorker: StoreWorker {
    private let worker: any StoreWorker
    /// The claims that it has told of, by their fences.
    private let told = Locked<[SubmissionID: Int64]>([:])

    init(_ worker: any StoreWorker) { self.worker = worker }

    func claim(
        _ destination: String, first: [BatchID], others: Bool, limit: Int, inOrder: Bool
    ) async throws(SubmitFailure) -> [ClaimedSubmission] {
        _ = try await worker.claim(destination, first: first, others: others, limit: limit, inOrder: inOrder)
        let held = try await worker.held(at: destination)
        return told.withLock { told in
            held.filter { claim in told.updateValue(claim.fence, forKey: claim.id) != claim.fence }
        }
    }

    func held(at destination: String) async throws(SubmitFailure) -> [ClaimedSubmission] {
        try await worker.held(at: destination)
    }

    func isTakenByAnother(_ destination: String) async throws(SubmitFailure) -> Bool {
        try await worker.isTakenByAnother(destination)
    }

    func beat() async throws(SubmitFailure) {
        try await worker.beat()
        try await worker.beat()
    }

    func cancelledClaims() async throws(SubmitFailure) -> [SubmissionID] { try await worker.cancelledClaims() }

    func nextDue(_ destination: String, of batches: Set<BatchID>?) async throws(SubmitFailure) -> Duration? {
        try await worker.nextDue(destination, of: batches)
    }

    func outlook(_ batches: Set<BatchID>?, at destinations: [String]) async throws(SubmitFailure) -> Outlook {
        try await worker.outlook(batches, at: destinations)
    }

    func attend(_ batches: [BatchID]) async throws(SubmitFailure) {
        try await worker.attend(batches)
        try await worker.attend(batches)
    }

    func leave(_ batches: [BatchID]?) async throws(SubmitFailure) {
        try await worker.leave(batches)
        try await worker.leave(batches)
    }

    func news(after heard: NewsMark?) async throws(SubmitFailure) -> (news: [SubmissionRecord], heard: NewsMark?) {
        _ = try await worker.news(after: heard)
        return try await worker.news(after: heard)
    }
}
