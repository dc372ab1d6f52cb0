internal import Submit
internal import SubmitConcurrency

/// What all wait for is done by one at a time. When it comes to nothing, those who waited are told the same and do not
/// try it too: many wrong passwords at once make a server let nobody in.
final class FailureSharingLock: Sendable {
    private let claims = KeyedLock()
    /// By name, how often it failed in this way, and how the last time.
    private let failures = Locked<[String: (count: Int, last: SubmitFailure)]>([:])
    private let isForAll: @Sendable (SubmitFailure) -> Bool

    /// - Parameter isForAll: whether a failure tells nothing of the one who met it alone.
    init(isForAll: @escaping @Sendable (SubmitFailure) -> Bool) {
        self.isForAll = isForAll
    }

    /// - Parameters:
    ///   - known: what others did meanwhile; `nil` where it is still to be done.
    func take<Value: Sendable>(
        _ name: String, known: () -> Value?, _ work: () async throws(SubmitFailure) -> Value
    ) async throws(SubmitFailure) -> Value {
        let before = failures.withLock { $0[name]?.count ?? 0 }
        guard await claims.acquire(name) else { throw .cancelled }
        defer { claims.release(name) }
        if let value = known() { return value }
        if let failure = failures.withLock({ $0[name] }), failure.count > before { throw failure.last }
        do throws(SubmitFailure) {
            return try await work()
        } catch {
            if isForAll(error) { failures.withLock { $0[name] = (($0[name]?.count ?? 0) + 1, error) } }
            throw error
        }
    }
}
