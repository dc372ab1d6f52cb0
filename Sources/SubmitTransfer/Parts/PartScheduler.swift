public import Submit
public import SubmitConcurrency

/// Sends the parts of one item, several at once.
///
/// The submitter says which parts the server has and how one is sent. After a failure no further part begins, and those under
/// way are sent to their ends, so the next attempt need not send them again. Cancelling the task breaks all of them off.
public struct PartScheduler: Sendable {
    private let plan: PartPlan
    private let permits: AsyncSemaphore
    private let width: Int
    private let context: SubmissionContext

    /// Sends one part.
    ///
    /// - Parameters:
    ///   - number: counted from 1.
    ///   - range: its bytes in the item.
    ///   - sent: takes how many of its bytes were handed to the network.
    public typealias SendPart<Part> =
        @Sendable (
            _ number: Int, _ range: Range<Int64>, _ sent: @escaping @Sendable (Int64) -> Void
        ) async -> Result<Part, SubmitFailure>

    /// - Parameters:
    ///   - plan: how the item is cut.
    ///   - permits: limits the parts of all items of the destination that are under way.
    ///   - width: the most parts of this item at once.
    ///   - context: hears how far the item got.
    public init(_ plan: PartPlan, permits: AsyncSemaphore, width: Int, context: SubmissionContext) {
        (self.plan, self.permits, self.width, self.context) = (plan, permits, width, context)
    }

    private struct State<Part: Sendable>: Sendable {
        /// Numbers, the first one last.
        var missing: [Int] = []
        var failure: SubmitFailure?
        var parts: [Int: Part] = [:]
        /// Bytes on their way or there, by part.
        var sent: [Int: Int64] = [:]
        var allSent: Int64 = 0
        var landed: Int64 = 0
    }

    /// Sends the parts that the server misses.
    ///
    /// - Parameters:
    ///   - stored: the parts that the server has, by number.
    ///   - send: sends one.
    /// - Returns: all parts in order.
    /// - Throws: the first failure, or `SubmitFailure.cancelled`.
    public func send<Part: Sendable>(
        missingFrom stored: [Int: Part], by send: @escaping SendPart<Part>
    ) async throws(SubmitFailure) -> [Part] {
        var first = State(parts: stored)
        for number in stride(from: plan.count, to: 0, by: -1) {
            if stored[number] == nil {
                first.missing.append(number)
            } else {
                first.landed += Int64(plan.range(number).count)
            }
        }
        first.allSent = first.landed
        context.sent(first.landed)
        context.landed(first.landed)
        let state = Locked(first)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<max(1, min(width, first.missing.count)) {
                group.addTask {
                    while let number = state.withLock({ $0.failure == nil ? $0.missing.popLast() : nil }) {
                        do throws(SubmitFailure) {
                            try await bring(number, send, state)
                        } catch {
                            // That others were broken off because of a failure says less than the failure.
                            state.withLock { state in
                                if state.failure.map({ $0.remedy == .cancelled }) ?? true { state.failure = error }
                            }
                        }
                    }
                }
            }
        }
        let last = state.withLock { $0 }
        if let failure = last.failure { throw failure }
        return (0..<plan.count).compactMap { last.parts[$0 + 1] }
    }

    private func bring<Part: Sendable>(
        _ number: Int, _ send: SendPart<Part>, _ state: Locked<State<Part>>
    ) async throws(SubmitFailure) {
        guard await permits.acquire() else { throw .cancelled }
        defer { permits.release() }
        let range = plan.range(number)
        let part = try await send(number, range) { count in advance(number, to: count, state) }.get()
        advance(number, to: Int64(range.count), state)
        let landed = state.withLock { state in
            state.parts[number] = part
            state.landed += Int64(range.count)
            return state.landed
        }
        context.landed(landed)
    }

    /// A part that is sent a second time is no progress until it gets farther.
    private func advance<Part: Sendable>(_ number: Int, to count: Int64, _ state: Locked<State<Part>>) {
        state.withLock { state in
            let before = state.sent[number] ?? 0
            guard count > before else { return }
            state.sent[number] = count
            state.allSent += count - before
            // Under the lock: two parts that report at once must not report in the other order.
            context.sent(state.allSent)
        }
    }
}
