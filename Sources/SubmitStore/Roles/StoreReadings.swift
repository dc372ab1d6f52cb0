public import Submit
public import SystemPackage

/// What is known of all that was ever accepted, for people and for programs.
///
/// Each reading is of one moment, waits for no writer and changes nothing.
public protocol StoreReadings: Sendable {
    // MARK: Batches

    /// The batches, newest first.
    ///
    /// - Parameters:
    ///   - before: those older than this one: who reads on gives the last one of the page before; `nil` for the newest.
    ///   - limit: how many at the most.
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func batches(before: BatchID?, limit: Int) async throws(SubmitFailure) -> [BatchRecord]

    /// The batches of these numbers that there are, newest first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func batches(_ numbers: [BatchID]) async throws(SubmitFailure) -> [BatchRecord]

    /// The batches that have something waiting or were not accepted to their end, and the last one; newest first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func openBatches() async throws(SubmitFailure) -> [BatchRecord]

    /// The batches that have something waiting or were not accepted to their end, whoever works on them; oldest first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func unfinishedBatches() async throws(SubmitFailure) -> [BatchID]

    // MARK: Submissions

    /// Submissions after `after`, in the order of acceptance.
    ///
    /// - Parameters:
    ///   - selection: those that it speaks of.
    ///   - destinations: those of these only; of all where there are none.
    ///   - state: those in this state only.
    ///   - after: those accepted after this one; `nil` for the first page.
    ///   - limit: how many at the most: memory is kept flat by reading page after page.
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func submissions(
        _ selection: SubmissionSelection, destinations: Set<String>, state: SubmissionState?, after: SubmissionID?,
        limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord]

    /// Submissions to a destination, in the order of acceptance; but of those done ones that speak of one copy, sent from the
    /// same path and known there by the same id, the last one alone, be it that it was lost since and is to be sent again.
    ///
    /// - Parameters:
    ///   - destination: its name.
    ///   - batch: those of this batch only; `nil`: of any.
    ///   - batches: only submissions of these stand for others; of all where there are none.
    ///   - after: those accepted after this one; `nil` for the first page.
    ///   - limit: how many at the most.
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func latest(
        at destination: String, in batch: BatchID?, of batches: [BatchID], after: SubmissionID?, limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord]

    /// The submissions of an item, in the order of acceptance.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func submissions(of item: ItemID) async throws(SubmitFailure) -> [SubmissionRecord]

    /// What became of a file: the submissions of all items that were accepted from this path, the newest first.
    ///
    /// - Parameters:
    ///   - source: the path as it was accepted: absolute, and not necessarily UTF-8.
    ///   - limit: so many at the most.
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func submissions(ofSource source: FilePath, limit: Int) async throws(SubmitFailure) -> [SubmissionRecord]

    /// The submission that is due first of those that wait, with the reason of its last failure.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func nextWaiting(_ selection: SubmissionSelection) async throws(SubmitFailure) -> SubmissionRecord?

    /// The done submissions of the same bytes at other places than a copy's own, in all batches: of each place the
    /// last one, of the latest places a few dozen.
    ///
    /// The first time it looks through all items, and others wait to write meanwhile.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func copies(of lost: SubmissionRecord) async throws(SubmitFailure) -> [SubmissionRecord]

    /// The attempts of a submission, first one first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func attempts(of submission: SubmissionID) async throws(SubmitFailure) -> [AttemptRecord]

    // MARK: How much

    /// How many of these submissions stand in each state; those that there are not any more are left out.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func states(of submissions: [SubmissionID]) async throws(SubmitFailure) -> [SubmissionState: Int]

    /// Returns how many submissions are in which state. Only renditions are read one by one, unless one submission is selected.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func tallies(_ selection: SubmissionSelection) async throws(SubmitFailure) -> [Tally]

    /// How much of these batches was skipped.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func skipped(_ batches: [BatchID]) async throws(SubmitFailure) -> [SkippedTally]

    /// How much of these batches stands where, by kind and evidence. It counts them one by one.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func proofs(_ batches: [BatchID]) async throws(SubmitFailure) -> [ProofTally]

    /// How much is waiting for each destination that anything waits for, of these batches or of all.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func waiting(_ batches: [BatchID]?) async throws(SubmitFailure) -> [String: WaitingTally]

    /// How many failed submissions may have arrived all the same.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func unknownOutcomes(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int

    // MARK: Destinations

    /// What is known of every destination that was ever paused or on hold, sorted by name.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func destinationStates() async throws(SubmitFailure) -> [DestinationState]

    /// The names of all destinations that anything was ever waiting for, sorted.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func destinationNames() async throws(SubmitFailure) -> [String]

    /// The destinations of failed submissions.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func failedDestinations(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Set<String>

    /// The destinations at which a submission that has a checkpoint may have left something.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func checkpointNames() async throws(SubmitFailure) -> Set<String>

    /// How many submissions have arrived at a destination, whoever sent them and whenever.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func arrivals(at destination: String) async throws(SubmitFailure) -> Int64

    /// How sure it was of the last copy that a destination got and that was proven by what it says by itself.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    func lastEvidence(at destination: String) async throws(SubmitFailure) -> Evidence?
}

extension StoreReadings {
    /// The batches, newest first.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    public func batches() async throws(SubmitFailure) -> [BatchRecord] {
        try await batches(before: nil, limit: .max)
    }

    /// Submissions in any state, or in one, at any destination, in the order of acceptance; at most so many.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    public func submissions(
        _ selection: SubmissionSelection, in state: SubmissionState? = nil, after: SubmissionID? = nil,
        limit: Int = 1000
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await submissions(selection, destinations: [], state: state, after: after, limit: limit)
    }

    /// What is known of a destination.
    ///
    /// - Throws: a `journal…` code, to be tried again, where the store cannot be read; the sentence says what to do.
    public func state(of destination: String) async throws(SubmitFailure) -> DestinationState {
        try await destinationStates().first { $0.name == destination } ?? DestinationState(name: destination)
    }
}
