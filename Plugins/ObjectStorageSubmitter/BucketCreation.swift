internal import Submit

/// Makes a bucket once, however many submissions need it.
final class BucketCreation: Sendable {
    private let bucket: Bucket
    private let turn = Claims()
    private let isDone = Locked(false)

    init(_ bucket: Bucket) {
        self.bucket = bucket
    }

    /// - Returns: whether this call made it.
    /// - Throws: why it cannot be made. The next call tries again.
    @discardableResult
    func ensure() async throws(SubmitFailure) -> Bool {
        if isDone.withLock({ $0 }) { return false }
        try await turn.take(bucket.name)
        defer { turn.release(bucket.name) }
        if isDone.withLock({ $0 }) { return false }
        let isNew = try await bucket.create()
        isDone.withLock { $0 = true }
        return isNew
    }
}
