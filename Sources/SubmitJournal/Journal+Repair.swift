internal import GRDB
package import Submit

extension Journal {
    package func prove(_ copies: [SubmissionRecord]) async throws(SubmitFailure) {
        try await write { db in
            let update = try db.cachedStatement(
                sql: """
                    UPDATE submission SET evidence = ?, verify = ? WHERE id = ? AND state = 2 AND remote_id = ?
                    """)
            for copy in copies {
                try update.execute(arguments: [
                    Evidence.verified.rawValue, Verification.readback.rawValue, copy.id.rawValue,
                    copy.receipt?.remoteID,
                ])
            }
        }
    }

    package func sendAgain(_ copies: [LostCopy]) async throws(SubmitFailure) -> [SubmissionID] {
        try await write { [clock] db in
            let now = clock().nanoseconds
            return try copies.compactMap { copy in
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        UPDATE submission SET state = 0, not_before = 0, failures = 0, landed = 0, tries = tries + 1,
                            settled = NULL, conflict = ?, code = ?, sentence = ?, remote_id = NULL, url = NULL,
                            evidence = NULL, was_there = NULL, note = NULL, marks = NULL,
                            verify = coalesce(?, verify), disproved = coalesce(?, disproved)
                        WHERE id = ? AND state = 2 RETURNING tries
                        """,
                    arguments: [
                        copy.onConflict.rawValue, copy.finding.code, copy.finding.message, copy.verification?.rawValue,
                        copy.disproved, copy.submission.rawValue,
                    ])
                guard let row else { return try Self.isWaiting(for: copy, db) ? copy.submission : nil }
                try db.execute(
                    sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        copy.submission.rawValue, try row.value(0) as Int, now, now, copy.outcome, copy.finding.code,
                        copy.finding.message,
                    ])
                return copy.submission
            }
        }
    }

    /// Whether a copy waits again already for what was found.
    private static func isWaiting(for copy: LostCopy, _ db: Database) throws -> Bool {
        try Bool.readOne(
            db,
            sql: """
                SELECT 1 FROM submission JOIN attempt ON attempt.submission = submission.id AND number = tries
                WHERE submission.id = ? AND state = 0 AND outcome = ? AND attempt.sentence = ?
                """, arguments: [copy.submission.rawValue, copy.outcome, copy.finding.message]) ?? false
    }
}
