import Submit
import SubmitStore
import SystemPackage

extension HandedOnStore {
    func batches(before: BatchID?, limit: Int) async throws(SubmitFailure) -> [BatchRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.batches(before: before, limit: limit) }
    }

    func batches(_ numbers: [BatchID]) async throws(SubmitFailure) -> [BatchRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.batches(numbers) }
    }

    func openBatches() async throws(SubmitFailure) -> [BatchRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.openBatches() }
    }

    func unfinishedBatches() async throws(SubmitFailure) -> [BatchID] {
        try await reading { (store) throws(SubmitFailure) in try await store.unfinishedBatches() }
    }

    func submissions(
        _ selection: SubmissionSelection, destinations: Set<String>, state: SubmissionState?, after: SubmissionID?,
        limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await reading { (store) throws(SubmitFailure) in
            try await store.submissions(
                selection, destinations: destinations, state: state, after: after, limit: limit)
        }
    }

    func latest(
        at destination: String, in batch: BatchID?, of batches: [BatchID], after: SubmissionID?, limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await reading { (store) throws(SubmitFailure) in
            try await store.latest(at: destination, in: batch, of: batches, after: after, limit: limit)
        }
    }

    func submissions(of item: ItemID) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.submissions(of: item) }
    }

    func submissions(ofSource source: FilePath, limit: Int) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await reading { (store) throws(SubmitFailure) in
            try await store.submissions(ofSource: source, limit: limit)
        }
    }

    func nextWaiting(_ selection: SubmissionSelection) async throws(SubmitFailure) -> SubmissionRecord? {
        try await reading { (store) throws(SubmitFailure) in try await store.nextWaiting(selection) }
    }

    func copies(of lost: SubmissionRecord) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.copies(of: lost) }
    }

    func attempts(of submission: SubmissionID) async throws(SubmitFailure) -> [AttemptRecord] {
        try await reading { (store) throws(SubmitFailure) in try await store.attempts(of: submission) }
    }

    func tallies(_ selection: SubmissionSelection) async throws(SubmitFailure) -> [Tally] {
        try await reading { (store) throws(SubmitFailure) in try await store.tallies(selection) }
    }

    func skipped(_ batches: [BatchID]) async throws(SubmitFailure) -> [SkippedTally] {
        try await reading { (store) throws(SubmitFailure) in try await store.skipped(batches) }
    }

    func proofs(_ batches: [BatchID]) async throws(SubmitFailure) -> [ProofTally] {
        try await reading { (store) throws(SubmitFailure) in try await store.proofs(batches) }
    }

    func waiting(_ batches: [BatchID]?) async throws(SubmitFailure) -> [String: WaitingTally] {
        try await reading { (store) throws(SubmitFailure) in try await store.waiting(batches) }
    }

    func states(of submissions: [SubmissionID]) async throws(SubmitFailure) -> [SubmissionState: Int] {
        try await reading { (store) throws(SubmitFailure) in try await store.states(of: submissions) }
    }

    func unknownOutcomes(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        try await reading { (store) throws(SubmitFailure) in try await store.unknownOutcomes(selection) }
    }

    func removals(of batches: [BatchID]) async throws(SubmitFailure) -> RemovalTally {
        try await reading { (store) throws(SubmitFailure) in try await store.removals(of: batches) }
    }

    func destinationStates() async throws(SubmitFailure) -> [DestinationState] {
        try await reading { (store) throws(SubmitFailure) in try await store.destinationStates() }
    }

    func destinationNames() async throws(SubmitFailure) -> [String] {
        try await reading { (store) throws(SubmitFailure) in try await store.destinationNames() }
    }

    func failedDestinations(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Set<String> {
        try await reading { (store) throws(SubmitFailure) in try await store.failedDestinations(selection) }
    }

    func checkpointNames() async throws(SubmitFailure) -> Set<String> {
        try await reading { (store) throws(SubmitFailure) in try await store.checkpointNames() }
    }

    func arrivals(at destination: String) async throws(SubmitFailure) -> Int64 {
        try await reading { (store) throws(SubmitFailure) in try await store.arrivals(at: destination) }
    }

    func lastEvidence(at destination: String) async throws(SubmitFailure) -> Evidence? {
        try await reading { (store) throws(SubmitFailure) in try await store.lastEvidence(at: destination) }
    }

    func removalBatches() async throws(SubmitFailure) -> [BatchID] {
        try await reading { (store) throws(SubmitFailure) in try await store.removalBatches() }
    }

    func removedSource(of item: ItemID) async throws(SubmitFailure) -> FilePath? {
        try await reading { (store) throws(SubmitFailure) in try await store.removedSource(of: item) }
    }
}
