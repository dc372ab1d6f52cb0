internal import Submit
internal import SubmitConcurrency

/// How long something may take, and how long it may take to end when it is told to.
struct Deadline: Sendable {
    let limit: Duration
    var grace = Duration.seconds(30)

    enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// It was told to end, and did.
        case late
        /// It was told to end, and goes on.
        case endless
    }

    /// Runs `work`, whose task is cancelled with this one, and does not wait for it when its time is over: it may not
    /// heed that it is cancelled.
    func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Outcome<Value> {
        let task = Task { await work() }
        return await withTaskCancellationHandler {
            if let value = await task.value(within: limit) { return .done(value) }
            task.cancel()
            return await task.value(within: grace) == nil ? .endless : .late
        } onCancel: {
            task.cancel()
        }
    }
}

extension Task where Failure == Never {
    /// `nil` where it takes longer.
    fileprivate func value(within time: Duration) async -> Success? {
        await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<Success?, Never>?>(continuation)
            let answer = { @Sendable (value: Success?) in
                let first = waiting.withLock { waiting in
                    defer { waiting = nil }
                    return waiting
                }
                first?.resume(returning: value)
            }
            let clock = Task<Void, Never> {
                try? await Task<Never, Never>.sleep(for: time)
                answer(nil)
            }
            Task<Void, Never> {
                answer(await self.value)
                clock.cancel()
            }
        }
    }
}
