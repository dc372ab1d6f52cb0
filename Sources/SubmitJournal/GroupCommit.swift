internal import Dispatch
internal import GRDB
internal import Submit
internal import SubmitConcurrency

/// Gathers what is to be written into few transactions.
///
/// With one transaction a change the disk's sync is the price of every change; gathered, a hundred changes cost one.
/// What is urgent goes as soon as the disk is free. What is not waits some milliseconds for company, or goes along.
final class GroupCommit: Sendable {
    /// How soon a change has to be on disk.
    enum Haste {
        case urgent
        case patient
    }

    private struct Queue {
        var waiting: [Waiting] = []
        /// The haste of the commit that is on its way; `nil` if none is.
        var scheduled: Haste?
    }

    private struct Waiting: Sendable {
        /// May run a second time, after what the first time wrote was rolled back.
        let run: @Sendable (SettlementGroup) throws -> Void
        /// Called once after the transaction: with `nil` when it is on disk.
        let settle: @Sendable ((any Error)?) -> Void
    }

    private let pool: any DatabaseWriter
    private let path: String
    private let queue = DispatchQueue(label: "journal commits")
    private let state = Locked(Queue())
    private static let patience = DispatchTimeInterval.milliseconds(20)

    init(pool: any DatabaseWriter, path: String) {
        self.pool = pool
        self.path = path
    }

    /// Runs `body` in the next transaction.
    func perform<Value: Sendable>(
        _ haste: Haste = .urgent, _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, SubmitFailure> {
        await settle(haste) { group in
            try group.end()
            return try body(group.db)
        }
    }

    /// Runs `body` in the next transaction, and leaves to its group what is done once for all that are settled in it.
    func settle<Value: Sendable>(
        _ haste: Haste, _ body: @escaping @Sendable (SettlementGroup) throws -> Value
    ) async -> Result<Value, SubmitFailure> {
        let outcome = Locked<Value?>(nil)
        let path = path
        return await withCheckedContinuation { continuation in
            let entry = Waiting(
                run: { group in
                    let value = try body(group)
                    outcome.withLock { $0 = value }
                },
                settle: { error in
                    if let value = outcome.withLock({ $0 }), error == nil {
                        continuation.resume(returning: .success(value))
                    } else {
                        let error = error ?? DatabaseError(resultCode: .SQLITE_ABORT)
                        continuation.resume(returning: .failure(SubmitFailure(journal: error, path: path)))
                    }
                })
            enqueue(entry, haste)
        }
    }

    /// Runs `body` on the writing connection between two transactions.
    func look<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async -> Result<Value, SubmitFailure> {
        await withCheckedContinuation { continuation in
            queue.async { [pool, path] in
                let result = Result { try pool.writeWithoutTransaction(body) }
                continuation.resume(returning: result.mapError { SubmitFailure(journal: $0, path: path) })
            }
        }
    }

    private func enqueue(_ entry: Waiting, _ haste: Haste) {
        let isDue = state.withLock { state -> Bool in
            state.waiting.append(entry)
            if state.scheduled == nil || (haste == .urgent && state.scheduled == .patient) {
                state.scheduled = haste
                return true
            }
            return false
        }
        guard isDue else { return }
        switch haste {
        case .urgent: queue.async { self.commit() }
        case .patient: queue.asyncAfter(deadline: .now() + Self.patience) { self.commit() }
        }
    }

    private func commit() {
        let group = state.withLock { state -> [Waiting] in
            defer { state = Queue() }
            return state.waiting
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

    /// - Returns: why nothing of the group is in the journal; `nil` when all of it is on disk.
    private func transaction(_ group: [Waiting]) -> (any Error)? {
        do {
            try pool.writeWithoutTransaction { db in
                do {
                    try db.inTransaction(.immediate) {
                        let settlements = SettlementGroup(db)
                        for entry in group { try entry.run(settlements) }
                        try settlements.end()
                        return .commit
                    }
                } catch {
                    // What SQLite rolled back by itself in a statement of ours GRDB hears of now, and tells of.
                    try? db.execute(sql: "SELECT 1")
                    throw error
                }
            }
            return nil
        } catch {
            return error
        }
    }
}
