internal import Submit
internal import SubmitConcurrency

/// Does one thing after the other, in the order in which they were added.
final class SerialTaskQueue: Sendable {
    private let last = Locked<Task<Void, Never>?>(nil)

    func add(_ work: @escaping @Sendable () async -> Void) {
        last.withLock { last in
            last = Task { [former = last] in
                await former?.value
                await work()
            }
        }
    }
}
