internal import Submit
internal import SubmitConcurrency

/// Lets the first of many do something for all; the others wait for what comes of it.
final class SingleFlight<Outcome: Sendable>: Sendable {
    /// What one of them is to do.
    enum Turn: Sendable {
        /// Do it, then call ``SingleFlight/end(_:)``.
        case first
        case done(Outcome)
        case cancelled
    }

    private struct State {
        var isRunning = false
        var lastNumber = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Turn, Never>)] = []
    }

    private let state = Locked(State())

    /// Returns at once for the first, and for the others when it has ended; or as soon as the task is cancelled.
    func turn() async -> Turn {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn = state.withLock { state -> Turn? in
                    if Task.isCancelled { return .cancelled }
                    if !state.isRunning {
                        state.isRunning = true
                        return .first
                    }
                    state.waiters.append((number, continuation))
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).continuation }
            }
            waiter?.resume(returning: .cancelled)
        }
    }

    /// Hands the outcome to all who wait. `nil`: nothing came of it, and the next of them is the first.
    func end(_ outcome: Outcome?) {
        let woken = state.withLock { state in
            let woken = outcome == nil ? Array(state.waiters.prefix(1)) : state.waiters
            state.waiters.removeFirst(woken.count)
            state.isRunning = outcome == nil && !woken.isEmpty
            return woken.map(\.continuation)
        }
        for waiter in woken { waiter.resume(returning: outcome.map { .done($0) } ?? .first) }
    }
}
