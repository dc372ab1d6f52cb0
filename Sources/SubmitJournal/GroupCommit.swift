internal import Dispatch
internal import GRDB
internal import Submit

/// Gathers what is to be written while the disk is busy into one transaction.
///
/// With one transaction a change the disk's sync is the price of every change; gathered, a hundred changes cost one.
final class GroupCommit: Sendable {
    private struct Waiting: Sendable {
        let run: @Sendable (Database) -> Void
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
        let outcome = Locked<Result<Value, any Error>?>(nil)
        let path = path
        return await withCheckedContinuation { continuation in
            let entry = Waiting(
                run: { db in
                    let result = Self.inSavepoint(db, body)
                    outcome.withLock { $0 = result }
                },
                settle: { error in
                    if let error {
                        continuation.resume(returning: .failure(JournalFailure(error, path: path)))
                    } else if let result = outcome.withLock({ $0 }) {
                        continuation.resume(returning: result.mapError { JournalFailure($0, path: path) })
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

    /// What one body wrote must not stay when it throws, while its neighbours in the transaction do.
    private static func inSavepoint<Value>(
        _ db: Database, _ body: (Database) throws -> Value
    ) -> Result<Value, any Error> {
        Result {
            var value: Value?
            try db.inSavepoint {
                value = try body(db)
                return .commit
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return value
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
            var failure: (any Error)?
            do {
                try pool.writeWithoutTransaction { db in
                    try db.inTransaction(.immediate) {
                        for entry in group { entry.run(db) }
                        return .commit
                    }
                }
            } catch {
                failure = error
            }
            for entry in group { entry.settle(failure) }
        }
    }
}
