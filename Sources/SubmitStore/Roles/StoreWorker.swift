package import Submit

/// Who works on what is waiting, and has what it claimed: alive as long as this value is, and its process.
package protocol StoreWorker: Sendable {
    /// Takes up to `limit` submissions of a destination that are due, whoever accepted them.
    ///
    /// Those of `first` come first, batch by batch, and then all others. Fresh ones are taken in the order of acceptance; those
    /// that failed before come after them, by the time they wait for, so that none holds up another. Of all others' those that
    /// have been due for a minute come before fresh ones, though not with all that is taken: new ones without an end starve no
    /// old one. Nothing is claimed of a paused destination, nor of one that is on hold for now.
    ///
    /// Of a destination on hold that is to be looked at again one alone is claimed. Where it waits for someone, that one
    /// is the only one in all processes until someone asks again: a wrong password tried often may lock its owner out.
    /// Of one that cannot be reached every second look is that of the fresh one accepted last, unless they go `inOrder`:
    /// if those that failed are themselves why, it is the least like them.
    ///
    /// - Parameters:
    ///   - others: false: of `first` alone.
    ///   - inOrder: the destination takes one at a time: nothing is claimed as long as another worker that goes on has
    ///     something of it.
    /// - Returns: those claimed now. Where the answer was lost they are among those that ``held(at:)`` tells of.
    func claim(
        _ destination: String, first: [BatchID], others: Bool, limit: Int, inOrder: Bool
    ) async throws(SubmitFailure) -> [ClaimedSubmission]

    /// What this worker has claimed of a destination and not settled.
    func held(at destination: String) async throws(SubmitFailure) -> [ClaimedSubmission]

    /// Whether another worker that goes on has something of a destination.
    func isTakenByAnother(_ destination: String) async throws(SubmitFailure) -> Bool

    /// It goes on with what it has claimed. Who has not said so for longer than others wait keeps its claims only as long as
    /// its destination takes several at once.
    func beat() async throws(SubmitFailure)

    /// Those of its submissions that someone wants broken off.
    func cancelledClaims() async throws(SubmitFailure) -> [SubmissionID]

    /// In how long the earliest submission is due that is waiting and not claimed, zero if it is by now; `nil` if there is none.
    ///
    /// - Parameter batches: of these; `nil` for all.
    func nextDue(_ destination: String, of batches: Set<BatchID>?) async throws(SubmitFailure) -> Duration?

    /// What is still to be waited for of these batches, or of all, in one moment.
    ///
    /// - Parameter destinations: those that the worker has.
    func outlook(_ batches: Set<BatchID>?, at destinations: [String]) async throws(SubmitFailure) -> Outlook

    // MARK: What others do

    /// From now on it hears what others make of these batches; see ``news(after:)``.
    func attend(_ batches: [BatchID]) async throws(SubmitFailure)

    /// It attends nothing any more, or these batches no longer.
    func leave(_ batches: [BatchID]?) async throws(SubmitFailure)

    /// What others made of the batches that it attends: submissions whose attempts ended, as they are now; some of them, where
    /// there are many.
    ///
    /// - Parameter heard: up to where it has heard them, which are told no more; `nil` for the first time.
    func news(after heard: NewsMark?) async throws(SubmitFailure) -> (news: [SubmissionRecord], heard: NewsMark?)
}

/// Up to where a worker has heard what others do.
package struct NewsMark: Sendable, Hashable {
    package let position: Int64

    package init(position: Int64) { self.position = position }
}

/// What is still to be waited for of some batches.
package struct Outlook: Sendable, Equatable {
    /// How many submissions other workers that go on have under way, and how many acceptances.
    package var elsewhere: Int
    /// In how long the earliest submission is due that is waiting and not claimed, by destination.
    package var due: [String: Duration]

    package init(elsewhere: Int, due: [String: Duration] = [:]) {
        self.elsewhere = elsewhere
        self.due = due
    }
}
