internal import GRDB
public import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

extension Journal {
    @discardableResult
    package func sweep() async throws(SubmitFailure) -> Int {
        let dead = try await read { [self] db in try workers(db).filter { !$0.value }.map(\.key) }
        if dead.isEmpty { return 0 }
        return try await write { [clock] db in
            var count = 0
            for worker in dead {
                let rows = try Row.fetchAll(
                    db,
                    sql: "SELECT id, tries, claimed, cancel FROM submission WHERE state = 1 AND claimed_by = ?",
                    arguments: [worker.rawValue])
                let now = clock().nanoseconds
                for row in rows {
                    let (id, tries, claimed, cancel): (SubmissionID, Int, Int64, Bool) = (
                        try row.value(0), try row.value(1), try row.value(2), try row.value(3)
                    )
                    // What broke three processes goes to the end of the line: it may be what breaks them.
                    try db.execute(
                        sql: """
                            UPDATE submission SET state = ?, not_before = ?, claimed_by = NULL, fence = fence + 1,
                                settled = ?
                            WHERE id = ?
                            """,
                        arguments: [
                            cancel ? SubmissionState.cancelled.rawValue : SubmissionState.waiting.rawValue,
                            tries < 3 ? 0 : now, cancel ? now : nil, id.rawValue,
                        ])
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, NULL, NULL)",
                        arguments: [id.rawValue, tries, claimed, now, cancel ? "cancelled" : "interrupted"])
                }
                count += rows.count
                try db.execute(
                    sql: "UPDATE removal SET claimed_by = NULL WHERE claimed_by = ? AND state < 2",
                    arguments: [worker.rawValue])
                try db.execute(
                    sql: "UPDATE acceptance SET worker = NULL WHERE worker = ?", arguments: [worker.rawValue])
                try Self.leave(worker, db)
                try db.execute(sql: "DELETE FROM worker WHERE id = ?", arguments: [worker.rawValue])
            }
            return count
        }
    }

    public func unfinishedBatches() async throws(SubmitFailure) -> [BatchID] {
        try await read { db in
            try BatchID.readAll(
                db, sql: "SELECT batch FROM tally WHERE state IN (0, 1) UNION SELECT batch FROM acceptance ORDER BY 1")
        }
    }

    static func leave(_ worker: WorkerID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM attendance WHERE worker = ?", arguments: [worker.rawValue])
        try db.execute(sql: "DELETE FROM news WHERE worker = ?", arguments: [worker.rawValue])
    }

    // MARK: Heartbeats

    /// How old the last beat of a worker may be that others wait for. One that is stopped keeps what it claimed, and its lock.
    static let patience: Int64 = 30_000
    package func beatAcceptances() async throws(SubmitFailure) {
        if accepting.withLock({ $0.isEmpty }) { return }
        try await write(.patient) { [own] db in try Self.beat(try own.id(db), db) }
    }

    static func beat(_ worker: WorkerID, _ db: Database) throws {
        let now = Self.uptime
        try db.cachedStatement(sql: "UPDATE worker SET beat = ? WHERE id = ? AND beat NOT BETWEEN ? AND ?").execute(
            arguments: [now, worker.rawValue, now - 1_000_000_000, now])
    }

    /// The time of beats, in nanoseconds: that of no wall clock, which jumps, and without what the machine slept. After a
    /// start of the machine nobody lives whose beats are from before.
    static var uptime: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Who beat last before this says nothing any more.
    static var oldestBeat: Int64 { uptime - patience * 1_000_000 }
}
