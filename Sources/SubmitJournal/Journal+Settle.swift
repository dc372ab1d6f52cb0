internal import GRDB
package import Submit

/// What came of an attempt.
package enum Settlement: Sendable {
    case done(Receipt)
    /// It will not be tried again.
    case failed(SubmitFailure)
    /// It is tried again, not before a time. `counts`: the attempt uses up one of those it has, unless it got farther
    /// than any before it, which gives them all back.
    case waits(SubmitFailure, until: Timestamp, counts: Bool)
    case cancelled
    /// The attempt was broken off from outside; the submission is owed as before.
    case released
    /// Nothing was tried after all; the submission is owed as before, and nothing tells of the claim.
    case untried
}

extension Journal {
    /// Ends a claim and writes down the attempt.
    ///
    /// What was cancelled meanwhile ends as that, unless it is done or failed.
    ///
    /// A checkpoint stays, unless the submission is done: what is left at the destination can be gone on from, or has to
    /// be removed; see ``discarded(_:)``.
    ///
    /// - Parameters:
    ///   - landed: bytes of the item that the attempt brought there for good.
    ///   - fault: whose it is that it failed.
    /// - Returns: the state it has now; `nil`, with nothing written, when the submission is no longer this claim's.
    @discardableResult
    package func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64 = 0, fault: Fault = .none
    ) async throws(JournalFailure) -> SubmissionState? {
        let (id, batch, fence, tries, started) = (claim.id, claim.batch, claim.fence, claim.tries, claim.started)
        return try await write(.patient) { db in
            let now = Timestamp.now.nanoseconds
            var change = Change(settlement)
            let wanted = try db.cachedStatement(sql: "SELECT cancel FROM submission WHERE id = ?")
            if change.state == .queued, try Bool.fetchOne(wanted, arguments: [id]) == true {
                change = Change(.cancelled)
            }
            let update = try db.cachedStatement(
                sql: """
                    UPDATE submission SET state = ?, not_before = ?, claimed_by = NULL, settled = ?,
                        failures = CASE WHEN ? > landed THEN 0 ELSE failures + ? END, landed = max(landed, ?),
                        fault = CASE WHEN ? THEN fault ELSE ? END,
                        remote_id = ?, url = ?, evidence = ?, was_there = ?, note = ?, marks = ?, code = ?, sentence = ?,
                        disproved = iif(?, NULL, disproved), tries = tries - ?
                    WHERE id = ? AND fence = ? AND state = 1
                    """)
            try update.execute(arguments: [
                change.state.rawValue, change.notBefore, change.state == .queued ? nil : now,
                landed, change.failures, landed, change.isUntold, fault.rawValue,
                change.receipt?.remoteID, change.receipt?.url, change.receipt?.evidence.rawValue,
                change.receipt?.wasThere, change.receipt?.note, change.receipt?.marksText,
                change.failure?.code, change.failure?.message, change.state == .done, change.outcome == nil ? 1 : 0,
                id, fence,
            ])
            guard db.changesCount == 1 else { return nil }
            guard let outcome = change.outcome else { return change.state }
            let attempt = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)")
            try attempt.execute(arguments: [
                id, tries, started.nanoseconds, now, outcome, change.failure?.code, change.failure?.message,
            ])
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO news (worker, submission)
                    SELECT worker, ?1 FROM attendance WHERE batch = ?2 AND worker <> ?3
                    """
            ).execute(arguments: [id, batch, claim.worker])
            if change.state == .done {
                try db.cachedStatement(sql: "DELETE FROM checkpoint WHERE submission = ?").execute(arguments: [id])
            }
            return change.state
        }
    }

    /// Fails every submission of an item that nobody works on: its source is no longer what was accepted.
    ///
    /// - Returns: those that were failed, with their destinations.
    package func condemn(
        item: ItemID, _ failure: SubmitFailure
    ) async throws(JournalFailure) -> [(id: SubmissionID, destination: String)] {
        try await write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    UPDATE submission SET state = 3, settled = ?, fault = 0, code = ?, sentence = ?
                    WHERE item = ? AND state = 0 RETURNING id, destination
                    """,
                arguments: [Timestamp.now.nanoseconds, failure.code, failure.message, item])
            return rows.map { (id: $0[0], destination: $0[1]) }
        }
    }

    /// Writes down that a source has another identity than on acceptance, though the same bytes.
    package func reidentify(item: ItemID, _ identity: SourceIdentity) async throws(JournalFailure) {
        try await write { db in
            try db.execute(
                sql: "UPDATE item SET modified = ?, inode = ?, device = ? WHERE id = ?",
                arguments: [
                    identity.modified.nanoseconds, Int64(bitPattern: identity.inode),
                    Int64(bitPattern: identity.device), item,
                ])
        }
    }
}

/// A settlement as columns.
private struct Change {
    var state: SubmissionState
    /// `nil`: nothing was tried.
    var outcome: String?
    var notBefore: Int64 = 0
    var failures = 0
    var receipt: Receipt?
    var failure: SubmitFailure?

    /// It was broken off, which tells nothing.
    var isUntold: Bool { failure == nil && receipt == nil }

    init(_ settlement: Settlement) {
        switch settlement {
        case .done(let receipt):
            (state, outcome, self.receipt) = (.done, "done", receipt)
        case .failed(let failure):
            (state, outcome, failures, self.failure) = (.failed, "failed", 1, failure)
        case .waits(let failure, let until, let counts):
            (state, outcome, notBefore, self.failure) = (.queued, "waiting", until.nanoseconds, failure)
            failures = counts ? 1 : 0
        case .cancelled:
            (state, outcome) = (.cancelled, "cancelled")
        case .released:
            (state, outcome) = (.queued, "interrupted")
        case .untried:
            state = .queued
        }
    }
}
