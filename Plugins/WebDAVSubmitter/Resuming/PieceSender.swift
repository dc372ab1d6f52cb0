internal import Submit
internal import SubmitConcurrency

/// Brings the pieces of an item that a server misses to it, side by side.
struct PieceSender: Sendable {
    let plan: PiecePlan
    /// For the pieces of all items of the destination.
    let permits: AsyncSemaphore
    /// The most pieces of this item at once.
    let width: Int
    let context: SubmissionContext

    /// Sends one piece. Reports its bytes handed to the network.
    typealias Put =
        @Sendable (
            _ number: Int, _ range: Range<Int64>, _ sent: @escaping @Sendable (Int64) -> Void
        ) async -> Result<Void, SubmitFailure>

    private struct State {
        /// Numbers, the first one last.
        var missing: [Int] = []
        var failure: SubmitFailure?
        /// Bytes on their way or there, by piece.
        var sent: [Int: Int64] = [:]
        var allSent: Int64 = 0
        var landed: Int64 = 0
    }

    /// Sends what is missing, and what is there in another size.
    ///
    /// After a failure no further piece is begun, and those under way are sent to their ends: a later attempt need not
    /// send them again. Cancelling the task breaks all off at once.
    ///
    /// - Parameter stored: the bytes of what the server has, by number.
    func send(missingFrom stored: [Int: Int64], by put: @escaping Put) async throws(SubmitFailure) {
        var state = State()
        for number in (1...plan.count).reversed() {
            let range = plan.range(number)
            let size = range.upperBound - range.lowerBound
            if stored[number] == size { state.landed += size } else { state.missing.append(number) }
        }
        state.allSent = state.landed
        context.sent(state.landed)
        context.landed(state.landed)
        let count = state.missing.count
        let shared = Locked(state)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<min(width, count) {
                group.addTask {
                    while let number = shared.withLock({ $0.failure == nil ? $0.missing.popLast() : nil }) {
                        do throws(SubmitFailure) {
                            try await bring(number, put, shared)
                        } catch {
                            // That others were broken off because of a failure says less than the failure.
                            shared.withLock { state in
                                if state.failure.map({ $0.remedy == .cancelled }) ?? true { state.failure = error }
                            }
                        }
                    }
                }
            }
        }
        if let failure = shared.withLock({ $0.failure }) { throw failure }
    }

    private func bring(_ number: Int, _ put: Put, _ state: Locked<State>) async throws(SubmitFailure) {
        guard await permits.acquire() else { throw .cancelled }
        defer { permits.release() }
        let range = plan.range(number)
        let size = range.upperBound - range.lowerBound
        try await put(number, range) { count in advance(number, to: count, state) }.get()
        advance(number, to: size, state)
        let landed = state.withLock { state in
            state.landed += size
            return state.landed
        }
        context.landed(landed)
    }

    /// What is sent a second time is no progress until it gets farther.
    private func advance(_ number: Int, to count: Int64, _ state: Locked<State>) {
        state.withLock { state in
            let before = state.sent[number] ?? 0
            guard count > before else { return }
            state.sent[number] = count
            state.allSent += count - before
            // Under the lock: two pieces that report at once must not report in the other order.
            context.sent(state.allSent)
        }
    }
}
