internal import Submit

/// Holds keys for one submission at a time: two photos of the same name must not both find a key free and then store
/// over each other where the server does not stop it.
final class Claims: Sendable {
    private struct Claim {
        let seat = Seats(1)
        var users = 0
    }

    private let claims = Locked<[String: Claim]>([:])

    /// Waits until nobody holds the key, in the order of asking.
    ///
    /// - Throws: ``SubmitFailure/cancelled``, at once, when the task is cancelled meanwhile; then nothing is held.
    func take(_ key: String) async throws(SubmitFailure) {
        let seat = claims.withLock { claims in
            claims[key, default: Claim()].users += 1
            return claims[key]!.seat
        }
        do throws(SubmitFailure) {
            try await seat.take()
        } catch {
            forget(key)
            throw error
        }
    }

    /// Hands the key on to whoever waited longest.
    func release(_ key: String) {
        claims.withLock { $0[key]?.seat }?.leave()
        forget(key)
    }

    private func forget(_ key: String) {
        claims.withLock { claims in
            claims[key]?.users -= 1
            if claims[key]?.users == 0 { claims[key] = nil }
        }
    }
}
