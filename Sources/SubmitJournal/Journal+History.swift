internal import GRDB
package import Submit

extension Journal {
    package func forget(
        endedBefore age: Duration, after: SubmissionID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> ForgottenHistory {
        let ended = clock().advanced(by: .zero - age).nanoseconds
        // Looking is no writer's turn.
        let found = try await read { db in
            let last = try SubmissionID.readOne(
                db, sql: "SELECT max(id) FROM (SELECT id FROM submission WHERE id > ? ORDER BY id LIMIT ?)",
                arguments: [after.rawValue, limit])
            guard let last else { return ForgottenHistory() }
            var found = try OldHistory(db, ended, after..<last).count()
            found.next = last
            return found
        }
        guard let last = found.next, !isDryRun, found.submissions + found.attempts > 0 else { return found }
        return try await write(.patient) { db in
            var forgotten = try OldHistory(db, ended, after..<last).forget()
            forgotten.next = last
            return forgotten
        }
    }

    package func forgetBatches(
        begunBefore age: Duration, after: BatchID, limit: Int, isDryRun: Bool
    ) async throws(SubmitFailure) -> (count: Int, next: BatchID?) {
        let now = clock()
        let begun = now.advanced(by: .zero - age).nanoseconds
        let stays = isDryRun ? "AND NOT (\(OldHistory.isOver))" : ""
        let empty = """
            batch.id > :after AND batch.id <= :last AND created <= :ended AND complete = 1
                AND batch.id < (SELECT max(id) FROM batch)
                AND NOT EXISTS (SELECT 1 FROM acceptance WHERE acceptance.batch = batch.id)
                AND NOT EXISTS (SELECT 1 FROM attendance WHERE attendance.batch = batch.id)
                AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.batch = batch.id \(isDryRun ? "AND state < 2" : ""))
                AND NOT EXISTS (SELECT 1 FROM submission JOIN item ON item.id = submission.item
                                WHERE submission.batch = batch.id \(stays))
            """
        let found = try await read { db -> (count: Int, next: BatchID?) in
            let last = try BatchID.readOne(
                db, sql: "SELECT max(id) FROM (SELECT id FROM batch WHERE id > ? ORDER BY id LIMIT ?)",
                arguments: [after.rawValue, limit])
            guard let last else { return (0, nil) }
            let count = try Int.readOne(
                db, sql: "SELECT count(*) FROM batch WHERE \(empty)",
                arguments: ["after": after.rawValue, "last": last.rawValue, "ended": begun])
            return (count ?? 0, last)
        }
        guard let last = found.next, !isDryRun, found.count > 0 else { return found }
        let count = try await write(.patient) { db in
            try db.execute(
                sql: "DELETE FROM batch WHERE \(empty)",
                arguments: ["after": after.rawValue, "last": last.rawValue, "ended": begun])
            return db.changesCount
        }
        return (count, last)
    }
}

/// What may be forgotten of a range of submissions.
struct OldHistory {
    private let db: Database
    private let arguments: StatementArguments

    init(_ db: Database, _ ended: Int64, _ range: Range<SubmissionID>) {
        self.db = db
        arguments = ["ended": ended, "after": range.lowerBound.rawValue, "last": range.upperBound.rawValue]
    }

    /// Whether nothing needs a submission any more, by those that came after it: whichever of them go, the last one of
    /// them stays.
    static let isOver = """
        submission.state IN (2, 3, 4) AND submission.settled <= :ended
            AND EXISTS (SELECT 1 FROM batch WHERE batch.id = submission.batch AND batch.complete = 1)
            AND NOT EXISTS (SELECT 1 FROM acceptance WHERE acceptance.batch = submission.batch)
            AND NOT EXISTS (SELECT 1 FROM idempotency WHERE idempotency.item = submission.item)
            AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE checkpoint.submission = submission.id)
            AND NOT EXISTS (
                SELECT 1 FROM removal WHERE removal.item = submission.item AND (removal.state < 2 OR removal.state = 3
                    AND NOT EXISTS (SELECT 1 FROM item AS later WHERE later.path = item.path AND later.id > item.id)))
            AND CASE
                WHEN submission.state = 4 THEN 1
                WHEN submission.state = 2 AND submission.remote_id IS NOT NULL AND NOT \(skipped("submission"))
                THEN EXISTS (SELECT 1 FROM \(later)
                    AND other.state = 2 AND other.remote_id = submission.remote_id
                    AND NOT \(skipped("other")) AND \(strength("other")) >= \(strength("submission")))
                ELSE EXISTS (SELECT 1 FROM \(later) AND other.state <> 4)
            END
        """

    /// Those of the same source to the same destination, with the same words, that came later: by each of them it is known
    /// that the same wish was fulfilled.
    private static let later = """
        item AS next JOIN submission AS other ON other.item = next.id
            WHERE next.path = item.path AND next.id >= item.id
                AND other.id > submission.id AND other.destination = submission.destination
                AND other.album IS submission.album AND other.recipe IS submission.recipe
                AND next.caption IS item.caption AND next.tags IS item.tags
        """

    /// Other bytes had its name: that proves nothing.
    static func skipped(_ table: String) -> String {
        "(\(table).was_there = 1 AND \(table).evidence = 'unknown' AND \(table).note IS NOT NULL)"
    }

    private static func strength(_ table: String) -> String {
        let kinds = Evidence.allCases.enumerated().map { "WHEN '\($0.element.rawValue)' THEN \(-$0.offset)" }
        return "CASE \(table).evidence \(kinds.joined(separator: " ")) ELSE \(-Evidence.allCases.count) END"
    }

    private static let range = "submission.id > :after AND submission.id <= :last"
    private static let rows = "submission JOIN item ON item.id = submission.item WHERE \(range)"
    /// Attempts before the last one, of what ended as long ago.
    private static let formerAttempts = """
        attempt WHERE submission > :after AND submission <= :last
            AND number < (SELECT max(number) FROM attempt AS later WHERE later.submission = attempt.submission)
            AND EXISTS (SELECT 1 FROM submission
                        WHERE submission.id = attempt.submission AND state IN (2, 3, 4) AND settled <= :ended)
        """

    private func over() throws -> [Row] {
        try Row.fetchAll(
            try db.cachedStatement(
                sql: "SELECT submission.id, submission.item FROM \(Self.rows) AND \(Self.isOver)"),
            arguments: arguments)
    }

    /// The attempts of what goes, and those of what stays before the last one.
    private func attempts(_ over: [Row]) throws -> Int {
        let former = try Row.fetchAll(
            db, sql: "SELECT submission, count(*) FROM \(Self.formerAttempts) GROUP BY submission",
            arguments: arguments)
        var counts = Dictionary(
            uniqueKeysWithValues: try former.map { (try $0.value(0) as Int64, try $0.value(1) as Int) })
        for row in over {
            counts[try row.value(0)] = try Int.readOne(
                try db.cachedStatement(sql: "SELECT count(*) FROM attempt WHERE submission = ?"),
                arguments: [try row.value(0) as Int64])
        }
        return counts.values.reduce(0, +)
    }

    func count() throws -> ForgottenHistory {
        var found = ForgottenHistory()
        let over = try over()
        found.submissions = over.count
        found.attempts = try attempts(over)
        found.items = try Dictionary(grouping: over, by: { try $0.value(1) as Int64 }).filter { item, rows in
            try Int.readOne(
                try db.cachedStatement(sql: "SELECT count(*) FROM submission WHERE item = ?"), arguments: [item])
                == rows.count
        }.count
        return found
    }

    func forget() throws -> ForgottenHistory {
        let found = try count()
        let over = try over()
        try db.execute(sql: "DELETE FROM \(Self.formerAttempts)", arguments: arguments)
        for row in over {
            let id: Int64 = try row.value(0)
            try db.cachedStatement(sql: "DELETE FROM attempt WHERE submission = ?").execute(arguments: [id])
            try db.cachedStatement(sql: "DELETE FROM rendition WHERE submission = ?").execute(arguments: [id])
            try db.cachedStatement(sql: "DELETE FROM submission WHERE id = ?").execute(arguments: [id])
        }
        if !over.isEmpty {
            let ids = try over.map { String(try $0.value(0) as Int64) }.joined(separator: ",")
            try db.execute(sql: "DELETE FROM news WHERE submission IN (\(ids))")
        }
        for item in Set(try over.map { try $0.value(1) as Int64 }) {
            try db.cachedStatement(
                sql: "DELETE FROM item WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM submission WHERE item = ?1)"
            ).execute(arguments: [item])
            if db.changesCount == 0 { continue }
            try db.cachedStatement(sql: "DELETE FROM picture_item WHERE item = ?").execute(arguments: [item])
            try db.cachedStatement(sql: "DELETE FROM removal WHERE item = ?").execute(arguments: [item])
        }
        return found
    }
}
