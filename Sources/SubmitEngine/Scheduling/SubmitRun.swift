internal import Logging
public import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// What one caller wants paid, from its start to its end: see ``SubmitManager/start(_:jobs:asked:)``.
///
/// All runs of a manager share its queues, so that each destination gets no more at once than it takes.
public final class SubmitRun: Sendable {
    private let member: ActiveRuns.Entry
    private let dispatcher: Dispatcher

    init(_ member: ActiveRuns.Entry, _ dispatcher: Dispatcher) {
        self.member = member
        self.dispatcher = dispatcher
    }

    deinit {
        Task { [member, dispatcher] in await dispatcher.leave(member, breakingOff: true) }
    }

    /// How far each destination has come with what this run wants, whoever sends it; sorted by name.
    public var meters: [DestinationProgress] { member.meters }

    /// Pays until nothing of this run can go out any more, and ends the run.
    ///
    /// What another process sends of it is waited for as if this one did. When this was the last run of its manager, what
    /// else is under way has a moment to come to its end, and goes on waiting where that is not enough.
    ///
    /// - Parameters:
    ///   - patience: how long to wait, after the last thing that happened, for destinations and submissions that wait
    ///     for a time; `nil`: without an end, until the task is cancelled.
    ///   - accepting: whether more is still being accepted.
    /// - Throws: when the journal fails (`journal…`, to be tried again). What was under way goes on waiting.
    ///
    /// Cancelling the task breaks off what is under way, which goes on waiting, and returns. A run that has ended stays so: to go
    /// on, start another one.
    public func finish(
        patience: Duration?, while accepting: @escaping @Sendable () -> Bool = { false }
    ) async throws(SubmitFailure) {
        member.terms.withLock { $0 = ActiveRuns.Entry.Terms(patience: patience, accepting: accepting) }
        dispatcher.look()
        let outcome = await withTaskCancellationHandler {
            await member.ended()
        } onCancel: {
            member.end(.success(()))
        }
        dispatcher.tellEnd(of: member, outcome, wasCancelled: Task.isCancelled)
        await dispatcher.catchUp()
        await dispatcher.leave(member, breakingOff: Task.isCancelled)
        try outcome.get()
    }

    /// Ends ``finish(patience:while:)`` as if nothing could go out any more: nothing new of this run begins, what is under way
    /// has a moment to come to its end, and all else goes on waiting.
    public func stop() { member.end(.success(())) }

    /// Has the run look at once whether it has come to its end: what `accepting` of ``finish(patience:while:)`` says has
    /// changed.
    public func look() { dispatcher.look() }
}
