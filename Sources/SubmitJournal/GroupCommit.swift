internal import Dispatch
internal import GRDB
internal import Submit

/// Gathers what is to be written while the disk is busy into one transaction.
///
/// With one transaction a change the disk's sync is the price of every change; gathered, a hundred changes cost one.
final class GroupCommit: Sendable {
    private struct Waiting: Sendable {
        /// May run a second time, after what the first time wrote was rolled back.
        let run: @Sendable (Database) throws -> Void
        /// Called once after the transaction: with `nil` when it is on disk.
        let settle: @Sendable ((any Error)?) -> Void
    }

    private let pool: DatabasePool
    private let path: String
    private let queue = DispatchQueue(label: "journal commits")
    private let waiting = Locked<[Waiting]>([])
    private let largestGroup = 1024

    init(pool: DatabasePool, path: String) {
        self.pool = pool
        self.path = path
    }

    /// Runs `body` in the next transaction.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, JournalFailure> {
        let outcome = Locked<Value?>(nil)
        let path = path
        return await withCheckedContinuation { continuation in
            let entry = Waiting(
                run: { db in
                    let value = try body(db)
                    outcome.withLock { $0 = value }
                },
                settle: { error in
                    if let value = outcome.withLock({ $0 }), error == nil {
                        continuation.resume(returning: .success(value))
                    } else {
                        let error = error ?? DatabaseError(resultCode: .SQLITE_ABORT)
                        continuation.resume(returning: .failure(JournalFailure(error, path: path)))
                    }
                })
            let wasEmpty = waiting.withLock {
                $0.append(entry)
                return $0.count == 1
            }
            if wasEmpty {
                queue.async { self.commit() }
            }
        }
    }

    private func commit() {
        while true {
            let group = waiting.withLock { waiting -> [Waiting] in
                let group = Array(waiting.prefix(largestGroup))
                waiting.removeFirst(group.count)
                return group
            }
            if group.isEmpty { return }
            let error = transaction(group)
            if error == nil || group.count == 1 {
                for entry in group { entry.settle(error) }
            } else {
                // One of them failed and took the others with it: each gets a transaction of its own. Savepoints would
                // keep them apart too, at a price that every verb pays.
                for entry in group { entry.settle(transaction([entry])) }
            }
        }
    }

    /// - Returns: why nothing of the group is in the journal; `nil` when all of it is on disk.
    private func transaction(_ group: [Waiting]) -> (any Error)? {
        do {
            try pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    for entry in group { try entry.run(db) }
                    return .commit
                }
            }
            return nil
        } catch {
            return error
        }
    }
}
