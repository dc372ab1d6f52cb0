internal import HTTPTypes
internal import SubmitConcurrency
internal import SubmitStore

/// How much each session does at once.
final class SessionLoad: Sendable {
    enum Work: Hashable, Sendable {
        case upload, events

        var most: Int { self == .upload ? 8 : 6 }
    }

    private struct Key: Hashable {
        let session: SessionID
        let work: Work
    }

    private let counts = Locked<[Key: Int]>([:])

    /// Does something unless too much of its kind is under way.
    func during<Value>(
        _ work: Work, of session: SessionID, _ body: () async throws(WebRefusal) -> Value
    ) async throws(WebRefusal) -> Value {
        guard begin(work, of: session) else {
            throw WebRefusal(
                .tooManyRequests, "too-many-at-once", "This device sends \(work.most) at once already.",
                fields: [.retryAfter: "1"])
        }
        defer { end(work, of: session) }
        return try await body()
    }

    func begin(_ work: Work, of session: SessionID) -> Bool {
        counts.withLock { counts in
            let key = Key(session: session, work: work)
            guard counts[key, default: 0] < work.most else { return false }
            counts[key, default: 0] += 1
            return true
        }
    }

    func end(_ work: Work, of session: SessionID) {
        counts.withLock { counts in
            let key = Key(session: session, work: work)
            let count = counts[key, default: 1] - 1
            counts[key] = count == 0 ? nil : count
        }
    }
}
