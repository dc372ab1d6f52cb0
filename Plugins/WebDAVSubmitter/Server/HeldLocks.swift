internal import Submit
internal import SubmitConcurrency

/// The locks that this process holds at a server. Every request that changes what they lock shows them.
final class HeldLocks: Sendable {
    struct Lock: Sendable, Hashable {
        /// The lock's root.
        var path: DAVPath
        var token: String
        /// It is on all that is in the collection, too.
        var isDeep: Bool
        /// From when on it should be refreshed; `nil` where it does not end.
        var refresh: Timestamp?

        func covers(_ other: DAVPath) -> Bool {
            other.segments == path.segments || (isDeep && other.isBelow(path))
        }
    }

    private let locks = Locked<[Lock]>([])
    /// Locks of ours would be in each other's way: one at a time in a collection.
    let turns = KeyedLock()
    private let demanded = Locked(false)

    /// The server has been found to let nobody change anything without a lock.
    var areDemanded: Bool {
        get { demanded.withLock { $0 } }
        set { demanded.withLock { $0 = newValue } }
    }

    /// Any is held at this moment.
    var areAny: Bool { locks.withLock { !$0.isEmpty } }

    func add(_ lock: Lock) { locks.withLock { $0 = $0.filter { $0.token != lock.token } + [lock] } }

    func remove(_ token: String) { locks.withLock { $0 = $0.filter { $0.token != token } } }

    private static let changing: Set<String> = ["PUT", "PATCH", "DELETE", "MOVE", "PROPPATCH", "MKCOL"]

    /// Those that a request has to show.
    func covering(_ request: DAVRequest) -> [Lock] {
        let locks = locks.withLock { $0 }
        if locks.isEmpty || !Self.changing.contains(request.method) { return [] }
        let destination = request.headers.first { $0.name == "Destination" }?.value
        let paths = [request.path, destination].compactMap { $0.flatMap(DAVPath.init(href:)) }
        return locks.filter { lock in paths.contains(where: lock.covers) }
    }
}
