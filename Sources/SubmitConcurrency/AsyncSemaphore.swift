/// A number of permits that are taken and left: a bound on what goes on at once, in the order of asking.
public final class AsyncSemaphore: Sendable {
    private typealias Turn = CheckedContinuation<Bool, Never>

    private struct State {
        var free: Int
        var waiting: [(number: Int, count: Int, turn: Turn)] = []
        var lastNumber = 0

        /// Gives their permits to those who waited longest.
        mutating func granted() -> [Turn] {
            var turns: [Turn] = []
            while let first = waiting.first, free >= first.count {
                free -= first.count
                turns.append(waiting.removeFirst().turn)
            }
            return turns
        }
    }

    private let state: Locked<State>

    public init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Waits for a permit, or for so many of them at once, which no one who asks later gets before.
    ///
    /// - Parameter count: at most as many as there are.
    /// - Returns: whether they are taken; `false`, at once, when the task is cancelled meanwhile.
    public func acquire(_ count: Int = 1) async -> Bool {
        let (isFree, number) = state.withLock { state in
            if state.waiting.isEmpty, state.free >= count, !Task.isCancelled {
                state.free -= count
                return (true, 0)
            }
            state.lastNumber += 1
            return (false, state.lastNumber)
        }
        if isFree { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let answer: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    guard state.waiting.isEmpty, state.free >= count else {
                        state.waiting.append((number, count, turn))
                        return nil
                    }
                    state.free -= count
                    return true
                }
                if let answer { turn.resume(returning: answer) }
            }
        } onCancel: {
            let (turn, next): (Turn?, [Turn]) = state.withLock { state in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return (nil, []) }
                // Those behind may have waited for this one only.
                return (state.waiting.remove(at: index).turn, state.granted())
            }
            turn?.resume(returning: false)
            for turn in next { turn.resume(returning: true) }
        }
    }

    /// Hands permits on to whoever waited longest.
    public func release(_ count: Int = 1) {
        let next = state.withLock { state in
            state.free += count
            return state.granted()
        }
        for turn in next { turn.resume(returning: true) }
    }
}
