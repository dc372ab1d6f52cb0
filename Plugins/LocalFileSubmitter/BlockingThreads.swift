internal import Dispatch
internal import Submit

/// Threads for calls that block, so that Swift's own few threads stay free for everyone else.
///
/// A serial queue that waits for a disk holds a thread of its own; there are as many as ever ran at once, which the
/// destination's ordering limits.
final class BlockingThreads: Sendable {
    private let idle = Locked<[DispatchQueue]>([])

    /// Runs `body` on a thread that may block. `isCancelled` becomes true when the calling task is cancelled.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        let queue = idle.withLock { $0.popLast() } ?? DispatchQueue(label: "submit.file")
        defer { idle.withLock { $0.append(queue) } }
        let isCancelled = Locked(false)
        let result: Result<Value, SubmitFailure> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    let result = Result { () throws(SubmitFailure) in
                        try body { isCancelled.withLock { $0 } }
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        return try result.get()
    }
}
