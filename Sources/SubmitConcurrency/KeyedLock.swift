/// Holds names for one submission at a time: two photos of the same name must not both find it free and then store over
/// each other where the server does not stop it.
public final class KeyedLock: Sendable {
    private struct Claim {
        let permit = AsyncSemaphore(1)
        var users = 0
    }

    private let claims = Locked<[String: Claim]>([:])

    public init() {}

    /// Waits until nobody holds the name, in the order of asking.
    ///
    /// - Returns: whether it is held; `false`, at once, when the task is cancelled meanwhile.
    public func acquire(_ name: String) async -> Bool {
        let permit = claims.withLock { claims in
            claims[name, default: Claim()].users += 1
            return claims[name]!.permit
        }
        let isOurs = await permit.acquire()
        if !isOurs { forget(name) }
        return isOurs
    }

    /// Hands the name on to whoever waited longest.
    public func release(_ name: String) {
        claims.withLock { $0[name]?.permit }?.release()
        forget(name)
    }

    private func forget(_ name: String) {
        claims.withLock { claims in
            claims[name]?.users -= 1
            if claims[name]?.users == 0 { claims[name] = nil }
        }
    }
}
