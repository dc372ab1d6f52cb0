internal import GRDB
package import Submit

/// A copy that is to be sent again.
package struct LostCopy: Sendable {
    package var submission: SubmissionID
    /// What was found in its place: an attempt of this outcome, `vanished` or `changed`, is written down.
    package var outcome: String
    /// What was found, with the copy's place.
    package var finding: SubmitFailure
    /// The rule for names from now on.
    package var onConflict: ConflictPolicy
    /// How the copy is to be proven from now on; `nil` as before.
    package var verification: Verification?
    /// The remote id of what was found to be something else; `nil` where nothing was found.
    package var disproved: String?

    package init(
        submission: SubmissionID, outcome: String, finding: SubmitFailure, onConflict: ConflictPolicy,
        verification: Verification? = nil, disproved: String? = nil
    ) {
        self.submission = submission
        self.outcome = outcome
        self.finding = finding
        self.onConflict = onConflict
        self.verification = verification
        self.disproved = disproved
    }
}

extension Journal {
    /// Owes copies again that were done and are lost, with all their attempts. What was found is one attempt more in
    /// their history.
    ///
    /// Those that are no longer done are left as they are: someone else is at them.
    ///
    /// - Returns: those that are owed now.
    package func owe(again copies: [LostCopy]) async throws(JournalFailure) -> [SubmissionID] {
        try await write { db in
            let now = Timestamp.now.nanoseconds
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
                        copy.disproved, copy.submission,
                    ])
                guard let row else { return nil }
                try db.execute(
                    sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        copy.submission, row[0] as Int, now, now, copy.outcome, copy.finding.code, copy.finding.message,
                    ])
                return copy.submission
            }
        }
    }
}
