internal import Submit
internal import SubmitConcurrency

/// A submission that is cancelled from within: by a hook that it comes across.
final class CancellableSubmission: Sendable {
    private let task = Locked<Task<Result<Receipt, SubmitFailure>, Never>?>(nil)

    func cancel() {
        task.withLock { $0 }?.cancel()
    }

    func run(
        _ body: @escaping @Sendable () async throws(SubmitFailure) -> Receipt
    ) async -> Result<Receipt, SubmitFailure> {
        let started = Task {
            while task.withLock({ $0 }) == nil { await Task.yield() }
            return await Result(body)
        }
        task.withLock { $0 = started }
        return await withTaskCancellationHandler {
            await started.value
        } onCancel: {
            started.cancel()
        }
    }
}

extension Result where Failure == SubmitFailure {
    init(_ body: () async throws(SubmitFailure) -> Success) async {
        do throws(SubmitFailure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
