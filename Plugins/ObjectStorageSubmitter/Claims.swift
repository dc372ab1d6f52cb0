internal import Submit

/// Holds keys for one submission at a time: two photos of the same name must not both find a key free and then store
/// over each other where the server does not stop it.
final class Claims: Sendable {
    private struct Waiter {
        let number: Int
        let turn: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// Who waits for each key that is held.
        var held: [String: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    /// Waits until nobody holds the key, in the order of asking.
    ///
    /// - Throws: ``SubmitFailure/cancelled``, at once, when the task is cancelled meanwhile; then nothing is held.
    func take(_ key: String) async throws(SubmitFailure) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isOurs = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.held[key] != nil else {
                        state.held[key] = []
                        return true
                    }
                    state.held[key]?.append(Waiter(number: number, turn: turn))
                    return nil
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.held[key]?.firstIndex(where: { $0.number == number }) else { return nil }
                return state.held[key]?.remove(at: index)
            }
            waiter?.turn.resume(returning: false)
        }
        guard isOurs else { throw .cancelled }
    }

    /// Hands the key on to whoever waited longest.
    func release(_ key: String) {
        let next: Waiter? = state.withLock { state in
            guard var waiters = state.held[key], !waiters.isEmpty else {
                state.held[key] = nil
                return nil
            }
            let next = waiters.removeFirst()
            state.held[key] = waiters
            return next
        }
        next?.turn.resume(returning: true)
    }
}
