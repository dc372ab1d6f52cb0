internal import GRDB
internal import Submit
internal import SubmitConcurrency

/// The connections of the journals that this process has open, so that their files are whole when it ends: while a value goes,
/// others may end the process.
package enum OpenJournals {
    private static let all = Locked<[ObjectIdentifier: DatabasePool]>([:])

    static func add(_ pool: DatabasePool) {
        all.withLock { $0[ObjectIdentifier(pool)] = pool }
    }

    static func remove(_ pool: DatabasePool) {
        pool.carryOver()
        all.withLock { $0[ObjectIdentifier(pool)] = nil }
    }

    /// Takes what each of them wrote last into its file: where nobody else is at it the file is all there is then, and whoever
    /// copies it alone has a whole journal.
    ///
    /// Waits for nobody: what others read or write at this moment stays in the log until one of them ends.
    package static func carryOver() {
        for pool in all.withLock({ Array($0.values) }) { pool.carryOver() }
    }
}

extension DatabasePool {
    /// See ``OpenJournals/carryOver()``.
    func carryOver() {
        try? writeWithoutTransaction { db in
            // Those who are busy are not waited for: meanwhile all others that write would wait, too.
            try db.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? db.execute(sql: "PRAGMA busy_timeout = \(Journal.patienceForOthers * 1000)") }
            _ = try Row.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}
