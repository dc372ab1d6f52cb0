internal import GRDB
package import Submit

extension Journal {
    @discardableResult
    package func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64, fault: StoreFault
    ) async throws(SubmitFailure) -> Settled? {
        let (id, batch, fence, tries, started) = (claim.id, claim.batch, claim.fence, claim.tries, claim.started)
        return try await write(.patient) { [clock] db -> Settled? in
            let time = clock()
            let now = time.nanoseconds
            var change = SettlementColumns(settlement, time)
            let wanted = try db.cachedStatement(sql: "SELECT cancel FROM submission WHERE id = ?")
            if change.state == .waiting, try Bool.fetchOne(wanted, arguments: [id.rawValue]) == true {
                change = SettlementColumns(.cancelled, time)
            }
            let update = try db.cachedStatement(
                sql: """
                    UPDATE submission SET state = ?, not_before = ?, claimed_by = NULL, settled = ?,
                        failures = CASE WHEN ? > landed THEN 0 ELSE failures + ? END, landed = max(landed, ?),
                        fault = CASE WHEN ? THEN fault ELSE ? END,
                        remote_id = ?, url = ?, evidence = ?, was_there = ?, note = ?, marks = ?, code = ?, sentence = ?,
                        disproved = iif(?, NULL, disproved), tries = tries - ?, place = ?
                    WHERE id = ? AND fence = ? AND state = 1
                    """)
            try update.execute(arguments: [
                change.state.rawValue, change.notBefore, change.state == .waiting ? nil : now,
                landed, change.failures, landed, change.isUntold, fault.rawValue,
                change.receipt?.remoteID, change.receipt?.url, change.receipt?.evidence.rawValue,
                change.receipt?.wasThere, change.receipt?.note, change.receipt?.marksText,
                change.failure?.code, change.failure?.message, change.state == .done, change.outcome == nil ? 1 : 0,
                change.place,
                id.rawValue, fence,
            ])
            guard db.changesCount == 1 else { return try Self.settled(before: claim, change, db) }
            guard let outcome = change.outcome else { return change.settled }
            let attempt = try db.cachedStatement(
                sql: "INSERT OR REPLACE INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?)")
            try attempt.execute(arguments: [
                id.rawValue, tries, started.nanoseconds, now, outcome, change.failure?.code, change.failure?.message,
            ])
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO news (worker, submission)
                    SELECT worker, ?1 FROM attendance WHERE batch = ?2 AND worker <> ?3
                    """
            ).execute(arguments: [id.rawValue, batch.rawValue, claim.worker.rawValue])
            if change.state == .done {
                try db.cachedStatement(sql: "DELETE FROM checkpoint WHERE submission = ?").execute(arguments: [
                    id.rawValue
                ])
            }
            return change.settled
        }
    }

    /// Where a submission stands that this claim ended in the same way before; `nil` where it did not.
    private static func settled(
        before claim: ClaimedSubmission, _ change: SettlementColumns, _ db: Database
    ) throws -> Settled? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT state, not_before, tries,
                    (SELECT outcome FROM attempt WHERE submission = submission.id AND number = ?) IS ?
                FROM submission WHERE id = ? AND fence = ? AND state <> 1
                """, arguments: [claim.tries, change.outcome, claim.id.rawValue, claim.fence])
        guard let row, change.outcome == nil ? (row[2] as Int) < claim.tries : row[3] as Bool,
            let state = SubmissionState(rawValue: row[0])
        else { return nil }
        let notBefore: Int64 = row[1]
        return Settled(state, notBefore: notBefore == 0 ? nil : Timestamp(nanoseconds: notBefore))
    }

    package func condemn(
        item: ItemID, _ failure: SubmitFailure, key: IdempotencyKey
    ) async throws(SubmitFailure) -> [(id: SubmissionID, destination: String)] {
        try await write { [clock] db in
            try db.execute(
                sql: """
                    UPDATE submission SET state = 3, settled = ?, fault = 0, code = ?, sentence = ?, condemned_by = ?
                    WHERE item = ? AND state = 0
                    """,
                arguments: [clock().nanoseconds, failure.code, failure.message, key.text, item.rawValue])
            let rows = try Row.fetchAll(
                db,
                sql:
                    "SELECT id, destination FROM submission WHERE item = ? AND state = 3 AND condemned_by = ? ORDER BY id",
                arguments: [item.rawValue, key.text])
            return rows.map { (id: $0[0], destination: $0[1]) }
        }
    }

    package func reidentify(_ items: [ItemID: SourceIdentity]) async throws(SubmitFailure) {
        try await write { db in
            let update = try db.cachedStatement(
                sql: """
                    UPDATE item SET modified = ?1, changed = ?2, inode = ?3, device = ?4
                    WHERE id = ?5 AND (modified, changed, inode, device) IS NOT (?1, ?2, ?3, ?4)
                    """)
            for (item, identity) in items {
                try update.execute(arguments: [
                    identity.modified.nanoseconds, identity.changed?.nanoseconds, Int64(bitPattern: identity.inode),
                    Int64(bitPattern: identity.device), item.rawValue,
                ])
            }
        }
    }
}

/// A settlement as columns.
private struct SettlementColumns {
    var state: SubmissionState
    /// `nil`: nothing was tried.
    var outcome: String?
    var notBefore: Int64 = 0
    var failures = 0
    var receipt: Receipt?
    var place: Int64?
    var failure: SubmitFailure?

    var settled: Settled { Settled(state, notBefore: notBefore == 0 ? nil : Timestamp(nanoseconds: notBefore)) }

    /// It was broken off, which tells nothing.
    var isUntold: Bool { failure == nil && receipt == nil }

    init(_ settlement: Settlement, _ now: Timestamp) {
        switch settlement {
        case .done(let receipt, let place):
            (state, outcome, self.receipt, self.place) = (.done, "done", receipt, place)
        case .failed(let failure):
            (state, outcome, failures, self.failure) = (.failed, "failed", 1, failure)
        case .waiting(let failure, let time, let counts):
            (state, outcome, self.failure) = (.waiting, "waiting", failure)
            // Zero is for what is fresh.
            notBefore = max(1, now.advanced(by: time).nanoseconds)
            failures = counts ? 1 : 0
        case .cancelled:
            (state, outcome) = (.cancelled, "cancelled")
        case .released:
            (state, outcome) = (.waiting, "interrupted")
        case .untried:
            state = .waiting
        }
    }
}
