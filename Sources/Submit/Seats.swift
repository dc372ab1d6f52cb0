/// A number of seats that are taken and left: a bound on what goes on at once, in the order of asking.
public final class Seats: Sendable {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        var free: Int
        var waiting: [(number: Int, turn: Turn)] = []
        var lastNumber = 0
    }

    private let state: Locked<State>

    public init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Waits for a seat.
    ///
    /// - Throws: ``SubmitFailure/cancelled``, at once, when the task is cancelled meanwhile; then no seat is taken.
    public func take() async throws(SubmitFailure) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let isOurs = await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.free > 0 else {
                        state.waiting.append((number, turn))
                        return nil
                    }
                    state.free -= 1
                    return true
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            let turn: Turn? = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: index).turn
            }
            turn?.resume(returning: false)
        }
        guard isOurs else { throw .cancelled }
    }

    /// Hands the seat on to whoever waited longest.
    public func leave() {
        let next: Turn? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().turn }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
