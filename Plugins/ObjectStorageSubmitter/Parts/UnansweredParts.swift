internal import Submit
internal import SubmitConcurrency

/// Parts whose submission was cancelled when all their bytes were sent: a server stores them all the same, and at OpenStack
/// Swift nobody can reach one that comes after the end of its upload. Who ends an upload waits for their answers first.
///
/// For all destinations: who discards may be another submitter than who sent.
enum UnansweredParts {
    private static let underWay = Locked<[String: [Int: AsyncSemaphore]]>([:])

    /// Sends a part. When the task is cancelled this ends at once, and breaks the part off where not all of it was sent.
    ///
    /// - Parameters:
    ///   - upload: what no other upload is called.
    ///   - size: bytes of the part.
    ///   - put: sends it, and reports bytes handed to the network.
    static func send(
        _ number: Int, of upload: String, _ size: Int64,
        by put:
            @escaping @Sendable (_ sent: @escaping @Sendable (Int64) -> Void) async -> Result<String, SubmitFailure>,
        _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) -> String {
        let (answered, isWhole) = (AsyncSemaphore(0), Locked(false))
        underWay.withLock { $0[upload, default: [:]][number] = answered }
        let request = Task {
            let result = await put { count in
                if count >= size { isWhole.withLock { $0 = true } }
                sent(count)
            }
            underWay.withLock { underWay in
                if underWay[upload]?[number] === answered { underWay[upload]?[number] = nil }
                if underWay[upload]?.isEmpty ?? false { underWay[upload] = nil }
            }
            answered.release()
            return result
        }
        guard await answered.acquire() else {
            if !isWhole.withLock({ $0 }) { request.cancel() }
            throw .cancelled
        }
        // Others may wait for the same.
        answered.release()
        return try await request.value.get()
    }

    /// Waits until all that was sent of an upload is answered, or broken off.
    static func end(of upload: String) async throws(SubmitFailure) {
        for answered in underWay.withLock({ $0[upload].map { Array($0.values) } ?? [] }) {
            guard await answered.acquire() else { throw .cancelled }
            answered.release()
        }
    }
}
