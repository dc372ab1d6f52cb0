internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// One attempt in a destination's queue, from its claim on: a task that begins when it has a place.
final class SubmissionOperation: Sendable {
    /// Why the attempt was broken off.
    enum Interruption: Sendable {
        /// Someone cancelled the submission.
        case cancelled
        /// The process is to end; the submission stays waiting.
        case released
    }

    private struct State {
        var task: Task<Void, Never>?
        var interruption: Interruption?
    }

    let claim: ClaimedSubmission
    /// It finds out whether a destination on hold works again.
    let isProbe: Bool
    let progress: Progress

    private let state = Locked(State())
    /// Something was tried, which its history tells.
    let hasBegun = Locked(false)

    init(_ claim: ClaimedSubmission, isProbe: Bool) {
        self.claim = claim
        progress = Progress(claim)
        self.isProbe = isProbe
    }

    /// Why this attempt was broken off, if it was.
    var interrupted: Interruption? {
        state.withLock { $0.interruption }
    }

    /// Begins the attempt. One that was broken off runs its body too: the body settles the submission, which someone has to.
    func start(_ body: @escaping @Sendable (SubmissionOperation) async -> Void) {
        // Whatever a submitter waits for, others go on.
        let task = Task(executorPreference: BlockingThreads.attempts) { await body(self) }
        let isBrokenOff = state.withLock { state in
            state.task = task
            return state.interruption != nil
        }
        if isBrokenOff { task.cancel() }
    }

    /// Breaks the attempt off. The first reason counts.
    func interrupt(_ reason: Interruption) {
        let task = state.withLock { state in
            state.interruption = state.interruption ?? reason
            return state.task
        }
        task?.cancel()
    }
}
