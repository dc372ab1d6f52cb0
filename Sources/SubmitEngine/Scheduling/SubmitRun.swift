internal import Logging
public import Submit
internal import SubmitConcurrency
public import SubmitStore

/// A run that sends submissions for one caller.
///
/// ``SubmitManager/send(_:jobs:)-(SubmitRequest,_)`` and ``SubmitManager/start(_:jobs:asked:)`` start one.
///
/// All runs of a manager share its queues, so that each destination gets no more at once than it takes.
public final class SubmitRun: Sendable {
    private let member: ActiveRuns.Entry
    private let dispatcher: Dispatcher
    private let accepting = Locked<Task<Result<Acceptance, SubmitFailure>, Never>?>(nil)

    init(_ member: ActiveRuns.Entry, _ dispatcher: Dispatcher) {
        self.member = member
        self.dispatcher = dispatcher
    }

    deinit {
        accepting.withLock { $0?.cancel() }
        Task { [member, dispatcher] in await dispatcher.leave(member, breakingOff: true) }
    }

    /// How far each destination has come with what this run wants, whoever sends it; sorted by name.
    public var meters: [DestinationProgress] { member.meters }

    /// The batches that it sends; `nil` for all batches, including new ones.
    public var batches: [BatchID]? { member.batches }

    /// The result of accepting the run's request; `nil` if the run was started without a request. It waits until the acceptance
    /// ends.
    ///
    /// Cancelling the task ends the acceptance; see ``SubmitManager/accept(_:into:)``.
    ///
    /// - Throws: when the journal fails (`journal…`, to be tried again).
    public var acceptance: Acceptance? {
        get async throws(SubmitFailure) {
            guard let accepting = accepting.withLock({ $0 }) else { return nil }
            return try await withTaskCancellationHandler {
                await accepting.value
            } onCancel: {
                accepting.cancel()
            }.get()
        }
    }

    /// Accepts a request while the run sends. The run ends only after the acceptance.
    func accept(_ begun: BegunRequest) {
        member.isAccepting.withLock { $0 = true }
        let task = Task { [member, dispatcher] in
            let result: Result<Acceptance, SubmitFailure>
            do throws(SubmitFailure) {
                result = .success(try await begun.accept())
            } catch {
                result = .failure(error)
            }
            member.isAccepting.withLock { $0 = false }
            dispatcher.look()
            return result
        }
        accepting.withLock { $0 = task }
    }

    /// Pays until nothing of this run can go out any more, and ends the run.
    ///
    /// What another process sends of it is waited for as if this one did. When this was the last run of its manager, what
    /// else is under way has a moment to come to its end, and goes on waiting where that is not enough.
    ///
    /// - Parameters:
    ///   - patience: how long to wait, after the last thing that happened, for destinations and submissions that wait
    ///     for a time; `nil`: without an end, until the task is cancelled.
    ///   - more: whether more is still being accepted, besides the run's own request.
    /// - Throws: when the journal fails (`journal…`, to be tried again). What was under way goes on waiting.
    ///
    /// Cancelling the task breaks off what is under way, which goes on waiting, and returns. A run that has ended stays so: to go
    /// on, start another one.
    public func finish(
        patience: Duration? = .seconds(30), while more: @escaping @Sendable () -> Bool = { false }
    ) async throws(SubmitFailure) {
        member.terms.withLock { [member] terms in
            terms = ActiveRuns.Entry.Terms(
                patience: patience, accepting: { member.isAccepting.withLock { $0 } || more() })
        }
        dispatcher.look()
        let outcome = await withTaskCancellationHandler {
            await member.ended()
        } onCancel: {
            accepting.withLock { $0?.cancel() }
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

    /// The current state of its batches.
    ///
    /// - Throws: when the journal cannot be read (`journal…`, to be tried again).
    public func summary() async throws(SubmitFailure) -> RunSummary {
        try await RunSummary.of(member.batches ?? [], in: dispatcher.store)
    }

    /// Checks at once whether the run has ended. Call it when the answer of `more` in ``finish(patience:while:)`` changes.
    public func look() { dispatcher.look() }
}
