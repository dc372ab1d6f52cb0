internal import Submit
internal import SubmitConcurrency

/// Those who want to ask a host that asked for patience, in the order of their coming.
final class RequestQueue: Sendable {
    private typealias Turn = CheckedContinuation<Result<RequestPace.Ticket, HTTPFailure>, Never>

    private struct State {
        var pace: RequestPace
        var waiting: [(number: Int, turn: Turn)] = []
        var lastNumber = 0
        var isServed = false

        func refusal(at now: ContinuousClock.Instant) -> HTTPFailure? {
            let wait = pace.nextStart - now
            guard wait > RequestQueue.patience else { return nil }
            return .throttled(after: wait)
        }
    }

    private let state = Locked(State(pace: RequestPace(now: .now)))

    /// Who would have to wait for longer than that because the host said so does better to come again.
    static let patience = Duration.seconds(10)

    /// Waits until it is one's turn, if it is not.
    ///
    /// - Throws: ``HTTPFailure/throttled(after:)``; ``HTTPFailure/cancelled``, at once, when the task is
    ///   cancelled meanwhile.
    func turn() async throws(HTTPFailure) -> (ticket: RequestPace.Ticket, hasWaited: Bool) {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        var hasWaited = false
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (turn: Turn) in
                let (answer, isFirst): (Result<RequestPace.Ticket, HTTPFailure>?, Bool) = state.withLock { state in
                    if Task.isCancelled { return (.failure(.cancelled), false) }
                    let now = ContinuousClock.now
                    if let refusal = state.refusal(at: now) { return (.failure(refusal), false) }
                    if state.waiting.isEmpty, now >= state.pace.nextStart {
                        return (.success(state.pace.start(at: now)), false)
                    }
                    state.waiting.append((number, turn))
                    defer { state.isServed = true }
                    return (nil, !state.isServed)
                }
                hasWaited = answer == nil
                if let answer { turn.resume(returning: answer) }
                if isFirst { Task { await self.serve() } }
            }
        } onCancel: {
            let turn = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).turn }
            }
            turn?.resume(returning: .failure(.cancelled))
        }
        return (try result.get(), hasWaited)
    }

    /// Lets one after the other go, until nobody waits.
    private func serve() async {
        while true {
            var due: [(Turn, Result<RequestPace.Ticket, HTTPFailure>)] = []
            let pause: Duration? = state.withLock { state in
                while let first = state.waiting.first {
                    let now = ContinuousClock.now
                    if let refusal = state.refusal(at: now) {
                        due.append((first.turn, .failure(refusal)))
                    } else if now >= state.pace.nextStart {
                        due.append((first.turn, .success(state.pace.start(at: now))))
                    } else {
                        return state.pace.nextStart - now
                    }
                    state.waiting.removeFirst()
                }
                state.isServed = false
                return nil
            }
            for (turn, result) in due { turn.resume(returning: result) }
            guard let pause else { return }
            // The pace may change meanwhile. Nobody cancels this task.
            try? await Task.sleep(for: min(pause, .seconds(1)))
        }
    }

    func answered(_ ticket: RequestPace.Ticket, hasWaited: Bool) {
        state.withLock { $0.pace.answered(ticket, hasWaited: hasWaited, isAlone: $0.waiting.isEmpty, at: .now) }
    }

    func refused(_ ticket: RequestPace.Ticket?, pause: Duration?, mayBeDown: Bool) {
        state.withLock { $0.pace.refused(ticket, pause: pause, mayBeDown: mayBeDown, at: .now) }
    }

    /// Nobody has to be held back any more.
    var isOver: Bool {
        state.withLock { $0.waiting.isEmpty && $0.pace.rate >= RequestPace.fastest }
    }
}
