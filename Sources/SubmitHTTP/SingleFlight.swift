internal import Submit
internal import SubmitConcurrency

/// Work that is done once for all who want what comes of it at the same time.
package final class SingleFlight<Outcome: Sendable>: Sendable {
    /// What the abandonment of those who wait means for the work.
    package enum Abandonment: Sendable {
        /// They leave at once, and the work is cancelled with the last of them.
        case withTheLast
        /// The work is done whole, and whoever began it waits for its end: the process must not end in the middle of it
        /// because someone was told that it is over.
        case never
    }

    private typealias Waiter = CheckedContinuation<Outcome?, Never>

    private struct Flight {
        let number: Int
        var task: Task<Void, Never>?
        var waiters: [Int: Waiter] = [:]
    }

    private struct State {
        var flight: Flight?
        /// Of flights and of those who wait.
        var lastNumber = 0
        /// Those who were cancelled before they could wait.
        var gone: Set<Int> = []

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let abandonment: Abandonment
    private let state = Locked(State())

    package init(_ abandonment: Abandonment) {
        self.abandonment = abandonment
    }

    /// How many wait for what is under way.
    var waiting: Int { state.withLock { $0.flight?.waiters.count ?? 0 } }

    /// What comes of the work under way, or of `work`, in a task of its own, if there is none.
    ///
    /// - Returns: `nil`, at once, when the task is cancelled meanwhile, with the exception of ``Abandonment/never``.
    package func outcome(_ work: @escaping @Sendable () async -> Outcome) async -> Outcome? {
        let number = state.withLock { $0.nextNumber() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in
                if !join(number, waiter, work) { waiter.resume(returning: nil) }
            }
        } onCancel: {
            leave(number)
        }
        state.withLock { _ = $0.gone.remove(number) }
        return Task.isCancelled ? nil : outcome
    }

    /// - Returns: false: it was cancelled before.
    private func join(_ number: Int, _ waiter: Waiter, _ work: @escaping @Sendable () async -> Outcome) -> Bool {
        state.withLock { state in
            if state.gone.contains(number) { return false }
            if state.flight == nil {
                // Known by the number of whoever began it.
                state.flight = Flight(number: number)
                state.flight?.task = Task { self.land(number, await work()) }
            }
            state.flight?.waiters[number] = waiter
            return true
        }
    }

    private func leave(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let flight = state.flight, flight.waiters[number] != nil else {
                state.gone.insert(number)
                return nil
            }
            if abandonment == .never, flight.number == number { return nil }
            let waiter = state.flight?.waiters.removeValue(forKey: number)
            if abandonment == .withTheLast, state.flight?.waiters.isEmpty == true {
                flight.task?.cancel()
                state.flight = nil
            }
            return waiter
        }
        waiter?.resume(returning: nil)
    }

    private func land(_ number: Int, _ outcome: Outcome) {
        let waiters = state.withLock { state -> [Waiter] in
            // One that was cancelled may have been followed by another.
            guard let flight = state.flight, flight.number == number else { return [] }
            state.flight = nil
            return Array(flight.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
