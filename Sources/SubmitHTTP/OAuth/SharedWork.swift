internal import Submit
internal import SubmitConcurrency

/// Work that is done once for all who want what comes of it at the same time.
///
/// It runs in a task of its own, which nothing cancels: what it does elsewhere is done whole.
final class SharedWork<Outcome: Sendable>: Sendable {
    private struct State {
        var isRunning = false
        var lastNumber = 0
        var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
    }

    private enum Start {
        case waits, cancelled, ended
    }

    private let state = Locked(State())

    /// What comes of the work under way, or of `work` if there is none.
    ///
    /// - Returns: `nil`, at once, when the task is cancelled meanwhile. Whoever began the work waits for its end all
    ///   the same: the process must not end in the middle of it because someone was told that it is over.
    func outcome(_ work: @escaping @Sendable () async -> Outcome) async -> Outcome? {
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            let isFirst = !state.isRunning
            state.isRunning = true
            return (state.lastNumber, isFirst)
        }
        guard isFirst else { return await join(number, work) }
        let task = Task {
            let outcome = await work()
            self.end(outcome)
            return outcome
        }
        let outcome = await task.value
        return Task.isCancelled ? nil : outcome
    }

    private func join(_ number: Int, _ work: @escaping @Sendable () async -> Outcome) async -> Outcome? {
        let ended = Locked(false)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Outcome?, Never>) in
                let start = state.withLock { state -> Start in
                    if Task.isCancelled { return .cancelled }
                    // It may have ended since this one asked.
                    guard state.isRunning else { return .ended }
                    state.waiters[number] = waiter
                    return .waits
                }
                if start == .ended { ended.withLock { $0 = true } }
                if start != .waits { waiter.resume(returning: nil) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.resume(returning: nil)
        }
        if ended.withLock({ $0 }) { return await self.outcome(work) }
        return outcome
    }

    private func end(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            let waiters = Array(state.waiters.values)
            state.waiters = [:]
            state.isRunning = false
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
