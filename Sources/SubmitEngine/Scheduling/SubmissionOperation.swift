internal import Foundation
internal import Submit
internal import SubmitConcurrency
internal import SubmitStore

/// One attempt in a destination's queue: an asynchronous operation around a task.
///
/// It is finished only after it was started, and when its task has ended. Nothing else subclasses `Operation`.
final class SubmissionOperation: Operation, @unchecked Sendable {
    /// Why the attempt was broken off.
    enum Interruption: Sendable {
        /// Someone cancelled the submission.
        case cancelled
        /// The process is to end; the submission stays waiting.
        case released
    }

    private enum Phase {
        case idle
        case running(Task<Void, Never>?)
        case finished
    }

    let claim: ClaimedSubmission
    /// It finds out whether a destination on hold works again.
    let isProbe: Bool
    let progress: Progress

    private let body: @Sendable (SubmissionOperation) async -> Void
    private let phase = Locked(Phase.idle)
    private let interruption = Locked<Interruption?>(nil)
    /// Something was tried, which its history tells.
    let hasBegun = Locked(false)
    /// What the transport noted about its body, once it has begun.
    let bodyWatch = Locked<BodyWatch?>(nil)

    init(_ claim: ClaimedSubmission, isProbe: Bool, body: @escaping @Sendable (SubmissionOperation) async -> Void) {
        self.claim = claim
        progress = Progress(claim)
        self.isProbe = isProbe
        self.body = body
    }

    /// Why this attempt was broken off, if it was.
    var interrupted: Interruption? {
        interruption.withLock { $0 }
    }

    /// Breaks the attempt off. The first reason counts.
    func interrupt(_ reason: Interruption) {
        interruption.withLock { $0 = $0 ?? reason }
        cancel()
    }

    override var isAsynchronous: Bool { true }

    override var isExecuting: Bool {
        phase.withLock { if case .running = $0 { true } else { false } }
    }

    override var isFinished: Bool {
        phase.withLock { if case .finished = $0 { true } else { false } }
    }

    // A cancelled operation runs its body too: the body settles the submission, which someone has to.
    override func start() {
        move(to: .running(nil))
        // Whatever a submitter waits for, others go on.
        let task = Task(executorPreference: BlockingThreads.attempts) {
            await self.body(self)
            self.move(to: .finished)
        }
        phase.withLock { phase in
            if case .running = phase { phase = .running(task) }
        }
        // `cancel()` may have come before the task was there to hear of it.
        if isCancelled { task.cancel() }
    }

    override func cancel() {
        super.cancel()
        let task = phase.withLock { phase -> Task<Void, Never>? in
            if case .running(let task) = phase { task } else { nil }
        }
        task?.cancel()
    }

    private func move(to next: Phase) {
        let key = if case .finished = next { "isFinished" } else { "isExecuting" }
        if key == "isFinished" { willChangeValue(forKey: "isExecuting") }
        willChangeValue(forKey: key)
        phase.withLock { $0 = next }
        didChangeValue(forKey: key)
        if key == "isFinished" { didChangeValue(forKey: "isExecuting") }
    }
}
