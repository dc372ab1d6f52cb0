internal import SubmitConcurrency

/// What comes of something that may hang, such as a disk that does not answer; `nil` where it takes longer than that. Then it
/// is left to itself: the process is to end soon.
func within<Value: Sendable>(_ time: Duration, _ body: @escaping @Sendable () async -> Value) async -> Value? {
    await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
        let waiting = Locked<CheckedContinuation<Value?, Never>?>(continuation)
        let work = Task(executorPreference: BlockingThreads.prompts) {
            let value = await body()
            waiting.withLock { $0.take() }?.resume(returning: value)
        }
        Task {
            try? await Task.sleep(for: time)
            guard let late = waiting.withLock({ $0.take() }) else { return }
            work.cancel()
            late.resume(returning: nil)
        }
    }
}
