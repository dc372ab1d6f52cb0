package import Submit

/// What is wanted of all that is waiting, and whether anything may go out, from any process.
package protocol StoreControl: Sendable {
    /// Somebody who works on what is waiting from now on.
    func makeWorker() async throws(SubmitFailure) -> any StoreWorker

    /// Gives back what dead workers had claimed, attended or were accepting.
    ///
    /// - Returns: how many submissions came back. Repeated, those that came back since.
    @discardableResult
    func sweep() async throws(SubmitFailure) -> Int

    // MARK: Destinations

    /// Pauses destinations, or ends their pause. No process sends anything more to a paused destination.
    func setPaused(_ isPaused: Bool, _ destinations: [String]) async throws(SubmitFailure)

    /// What is known of a destination, and in how long something may go out to it: zero is now, `nil` when someone acts.
    func opening(of destination: String) async throws(SubmitFailure) -> (state: DestinationState, wait: Duration?)

    /// Notes that nothing can be sent to a destination, and until when.
    ///
    /// - Parameters:
    ///   - reason: `nil`: its credentials have to be renewed.
    ///   - claim: by what it was found out: that puts it on hold once, however often it is told.
    ///   - isProbe: it was claimed to look again at the destination on hold.
    ///   - looks: after how long to look again, by how often in a row it was on hold, the last one ever after; `nil`: when
    ///     someone acts.
    /// - Returns: the state as it now is.
    func hold(
        _ destination: String, _ reason: HoldReason?, _ failure: SubmitFailure, by claim: ClaimedSubmission,
        isProbe: Bool, looks: [Duration]?
    ) async throws(SubmitFailure) -> DestinationState

    /// Notes that a destination works.
    func endHold(_ destination: String) async throws(SubmitFailure)

    /// Has destinations on hold looked at again now: someone may have acted.
    ///
    /// - Parameter asked: those that wait for someone are looked at only where they are among these; `nil`: all are.
    func lookAgain(at destinations: [String], asked: Set<String>?) async throws(SubmitFailure)

    /// Lets another submission look again at a destination: the one that was claimed to do so found nothing out.
    func giveBackLook(at destination: String) async throws(SubmitFailure)

    /// Makes everything due now that is waiting for a destination and waits for a time.
    func hurry(_ destinations: [String]) async throws(SubmitFailure)

    // MARK: Submissions

    /// Which of what waits goes first: a batch's, from now on.
    func prioritise(_ batch: BatchID, _ priority: SendingPriority) async throws(SubmitFailure)

    /// Cancels what is waiting. What another process sends at this moment is marked, and that process breaks it off.
    ///
    /// With a whole batch, or everything, nothing more is accepted of what was asked for, and the wish to remove sources is
    /// taken back; those that are being removed go.
    ///
    /// - Returns: what was done now. Repeated, what there was left to do.
    func cancel(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Cancellation

    /// Owes failed submissions again, with all their attempts. Those that may have arrived all the same are left as they
    /// are, unless one is named by its number: sent again they might be there twice.
    ///
    /// - Returns: how many. Repeated, how many have failed since.
    func retry(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int

    /// Owes again, with all their attempts, submissions to these destinations that failed because nothing came through,
    /// and perhaps for no fault of their own.
    ///
    /// - Parameter batches: those of these; of all where there are none.
    /// - Returns: how many. Repeated, how many have failed since.
    func takeUp(_ batches: [BatchID], at destinations: [String]) async throws(SubmitFailure) -> Int
}
