internal import GRDB
internal import Submit

extension Journal {
    /// Gives back what dead processes had claimed, and their batches.
    ///
    /// - Returns: how many submissions came back.
    @discardableResult
    public func recover() async throws(JournalFailure) -> Int {
        let dead = try deadWorkers()
        if dead.isEmpty { return 0 }
        return try await write { db in
            var count = 0
            for worker in dead {
                let rows = try Row.fetchAll(
                    db,
                    sql: "SELECT id, tries, claimed, cancel FROM submission WHERE state = 1 AND claimed_by = ?",
                    arguments: [worker])
                let now = Timestamp.now.nanoseconds
                for row in rows {
                    let (id, tries, claimed, cancel): (Int64, Int, Int64, Bool) = (row[0], row[1], row[2], row[3])
                    // What broke three processes goes to the end of the line: it may be what breaks them.
                    try db.execute(
                        sql: """
                            UPDATE submission SET state = ?, not_before = ?, claimed_by = NULL, fence = fence + 1,
                                settled = ?
                            WHERE id = ?
                            """,
                        arguments: [
                            cancel ? SubmissionState.cancelled.rawValue : SubmissionState.queued.rawValue,
                            tries < 3 ? 0 : now, cancel ? now : nil, id,
                        ])
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, NULL, NULL)",
                        arguments: [id, tries, claimed, now, cancel ? "cancelled" : "interrupted"])
                }
                count += rows.count
                try db.execute(
                    sql: "UPDATE removal SET claimed_by = NULL WHERE claimed_by = ? AND state < 2", arguments: [worker])
                try db.execute(sql: "UPDATE batch SET runner = NULL WHERE runner = ?", arguments: [worker])
                try db.execute(sql: "DELETE FROM worker WHERE id = ?", arguments: [worker])
            }
            return count
        }
    }

    /// Takes over the batches that are owed something, or were not accepted to their end, and that no living process
    /// works on.
    ///
    /// - Parameter only: these batches; `nil` for all. A batch another process works on is left to it.
    /// - Returns: the batches, oldest first.
    public func adopt(only: [BatchID]? = nil) async throws(JournalFailure) -> [BatchID] {
        try await write { [self] db in
            let free = try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM batch
                    WHERE id IN (SELECT batch FROM tally WHERE state = 0
                                 UNION SELECT id FROM batch WHERE sealed = 0 AND request IS NOT NULL)
                        AND +runner IS NULL
                    ORDER BY id
                    """)
            let wanted = only.map(Set.init)
            let taken = free.filter { wanted?.contains($0) ?? true }
            if taken.isEmpty { return [] }
            let me = try worker(db)
            for batch in taken {
                try db.execute(sql: "UPDATE batch SET runner = ? WHERE id = ?", arguments: [me, batch])
            }
            return taken
        }
    }

    /// Gives up these batches for others to take. What someone in this process is sending of them stays claimed.
    public func leave(_ batches: [BatchID]) async throws(JournalFailure) {
        try await write { [self] db in
            let me = try worker(db)
            for batch in batches {
                try db.execute(sql: "UPDATE batch SET runner = NULL WHERE runner = ? AND id = ?", arguments: [me, batch])
            }
        }
    }

    private func deadWorkers() throws(JournalFailure) -> [WorkerID] {
        try read { db in try workers(db).filter { !$0.value }.map(\.key) }
    }
}
