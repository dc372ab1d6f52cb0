internal import GRDB
package import Submit
internal import SubmitConcurrency
internal import SubmitPlatform

extension Journal {
    /// Gives back what dead workers had claimed, attended or were accepting.
    ///
    /// - Returns: how many submissions came back.
    @discardableResult
    package func recover() async throws(JournalFailure) -> Int {
        let dead = try read { db in try workers(db).filter { !$0.value }.map(\.key) }
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
                try db.execute(sql: "UPDATE acceptance SET worker = NULL WHERE worker = ?", arguments: [worker])
                try Self.leave(worker, db)
                try db.execute(sql: "DELETE FROM worker WHERE id = ?", arguments: [worker])
            }
            return count
        }
    }

    /// The batches that are owed something or were not accepted to their end, whoever works on them; oldest first.
    package func unfinishedBatches() throws(JournalFailure) -> [BatchID] {
        try read { db in
            try Int64.fetchAll(
                db, sql: "SELECT batch FROM tally WHERE state IN (0, 1) UNION SELECT batch FROM acceptance ORDER BY 1")
        }
    }

    /// From now on a worker hears what others make of these batches; see ``news(for:)``.
    package func attend(_ batches: [BatchID], _ worker: Worker) async throws(JournalFailure) {
        if batches.isEmpty { return }
        try await write { db in
            let me = try worker.id(db)
            for batch in batches {
                try db.execute(sql: "INSERT OR IGNORE INTO attendance VALUES (?, ?)", arguments: [batch, me])
            }
        }
    }

    /// What others made of the batches that a worker attends: submissions whose attempts ended since the last call, as they
    /// are now; some of them, where there are many. Each is told once.
    package func news(for worker: Worker) async throws(JournalFailure) -> [SubmissionRecord] {
        guard let me = worker.registered else { return [] }
        let isAny = try glance { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM news WHERE worker = ?)", arguments: [me]) ?? false
        }
        guard isAny else { return [] }
        return try await write { db in
            let submissions = try Int64.fetchAll(
                db, sql: "SELECT submission FROM news WHERE worker = ? ORDER BY 1 LIMIT 1000", arguments: [me])
            for submission in submissions {
                try db.execute(sql: "DELETE FROM news WHERE worker = ? AND submission = ?", arguments: [me, submission])
            }
            return try submissions.flatMap { try SubmissionRecord.fetch(db, where: "submission.id = ?", [$0]) }
        }
    }

    /// A worker attends nothing any more, or these batches no longer.
    package func leave(_ worker: Worker, _ batches: [BatchID]? = nil) async throws(JournalFailure) {
        guard let me = worker.registered else { return }
        try await write { db in
            guard let batches else { return try Self.leave(me, db) }
            for batch in batches {
                try db.execute(sql: "DELETE FROM attendance WHERE batch = ? AND worker = ?", arguments: [batch, me])
            }
        }
    }

    private static func leave(_ worker: WorkerID, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM attendance WHERE worker = ?", arguments: [worker])
        try db.execute(sql: "DELETE FROM news WHERE worker = ?", arguments: [worker])
    }

    // MARK: Heartbeats

    /// How old the last beat of a worker may be that others wait for. One that is stopped keeps what it claimed, and its lock.
    static let patience: Int64 = 30_000
    /// How often a worker that has claims says that it goes on.
    package static let beatInterval = Duration.seconds(5)

    /// A worker goes on with what it has claimed.
    package func beat(_ worker: Worker) async throws(JournalFailure) {
        try await write(.patient) { db in try Self.beat(try worker.id(db), db) }
    }

    /// The same of who accepts through this value, if somebody does.
    package func beatAcceptances() async throws(JournalFailure) {
        if accepting.withLock({ $0.isEmpty }) { return }
        try await beat(own)
    }

    static func beat(_ worker: WorkerID, _ db: Database) throws {
        let now = Self.uptime
        try db.cachedStatement(sql: "UPDATE worker SET beat = ? WHERE id = ? AND beat NOT BETWEEN ? AND ?").execute(
            arguments: [now, worker, now - 1_000_000_000, now])
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

    /// What is still to be waited for of these batches, or of all, in one moment.
    ///
    /// - Parameter destinations: those that the worker has.
    package func outlook(
        _ batches: Set<BatchID>?, at destinations: [String], for worker: Worker
    ) throws(JournalFailure) -> Outlook {
        let me = worker.registered
        return try read { [own] db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT batch FROM submission JOIN worker ON worker.id = claimed_by
                    WHERE state = 1 AND claimed_by IS NOT ?1 AND beat > ?2
                    UNION ALL
                    SELECT batch FROM acceptance JOIN worker ON worker.id = acceptance.worker
                    WHERE worker.id IS NOT ?3 AND beat > ?2
                    """)
            let others = try BatchID.fetchAll(query, arguments: [me, Self.oldestBeat, own.registered])
            var outlook = Outlook(elsewhere: others.count { batches?.contains($0) ?? true })
            for destination in destinations { outlook.due[destination] = try Self.nextDue(destination, batches, db) }
            return outlook
        }
    }
}

/// What is still to be waited for of some batches.
package struct Outlook: Sendable, Equatable {
    /// How many submissions other workers that go on have under way, and how many acceptances.
    package var elsewhere: Int
    /// The time of the earliest submission that is owed and not claimed, by destination.
    package var due: [String: Timestamp] = [:]
}
