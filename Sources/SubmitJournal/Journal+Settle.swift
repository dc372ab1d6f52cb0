internal import GRDB
package import Submit

extension Journal {
    @discardableResult
    package func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64, fault: StoreFault
    ) async throws(SubmitFailure) -> Settled? {
        try await commits.settle(.patient) { [clock, owner] group in
            try Self.settle(claim, settlement, landed: landed, fault: fault, owner, clock(), group)
        }.get()
    }

    package func settle(
        arrivals: @escaping @Sendable () -> [Arrival]
    ) async throws(SubmitFailure) -> [Settled?] {
        try await commits.settle(.patient) { [clock, owner] group in
            let time = clock()
            return try arrivals().map {
                try Self.settle($0.claim, $0.settlement, landed: 0, fault: .none, owner, time, group)
            }
        }.get()
    }

    private static func settle(
        _ claim: ClaimedSubmission, _ settlement: Settlement, landed: Int64, fault: StoreFault, _ owner: String,
        _ time: Timestamp, _ group: SettlementGroup
    ) throws -> Settled? {
        let (id, batch, fence, tries, started) = (claim.id, claim.batch, claim.fence, claim.tries, claim.started)
        let now = time.nanoseconds
        var change = SettlementColumns(settlement, time)
        if change.state == .waiting {
            let wanted = try group.statement(.isToBeCancelled)
            wanted.bind(id.rawValue)
            if try wanted.first() == 1 { change = SettlementColumns(.cancelled, time) }
        }
        let update = try group.statement(.move)
        update.bind(change.state.rawValue)
        update.bind(change.notBefore)
        update.bind(change.state == .waiting ? nil : now)
        update.bind(landed)
        update.bind(change.failures)
        update.bind(landed)
        update.bind(change.isUntold)
        update.bind(fault.rawValue)
        update.bind(change.receipt?.remoteID)
        update.bind(change.receipt?.url)
        update.bind(change.receipt?.evidence.rawValue)
        update.bind(change.receipt?.wasThere)
        update.bind(change.receipt?.note)
        update.bind(change.receipt?.marksText)
        update.bind(change.failure?.code)
        update.bind(change.failure?.message)
        update.bind(change.state == .done)
        update.bind(change.outcome == nil ? 1 : 0)
        update.bind(change.place)
        update.bind(id.rawValue)
        update.bind(fence)
        try update.run()
        guard group.db.changesCount == 1 else { return try Self.settled(before: claim, change, group.db) }
        group.tally.move(batch, claim.destination, bytes: claim.item.size, from: .running, to: change.state)
        guard let outcome = change.outcome else { return change.settled }
        let attempt = try group.statement(.attempt)
        attempt.bind(id.rawValue)
        attempt.bind(tries)
        attempt.bind(started.nanoseconds)
        attempt.bind(now)
        attempt.bind(outcome)
        attempt.bind(change.failure?.code)
        attempt.bind(change.failure?.message)
        try attempt.run()
        for worker in try group.attending(batch) where worker != claim.worker {
            let news = try group.statement(.news)
            news.bind(worker.rawValue)
            news.bind(id.rawValue)
            try news.run()
        }
        if change.state == .done {
            if let facts = change.facts { try group.publish(claim, of: owner, facts) }
            let forget = try group.statement(.forgetCheckpoint)
            forget.bind(id.rawValue)
            try forget.run()
        }
        return change.settled
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
        guard let row, try change.outcome == nil ? (row.value(2) as Int) < claim.tries : row.value(3) as Bool
        else { return nil }
        let (state, notBefore): (SubmissionState, Int64) = (try row.value(0), try row.value(1))
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
            return try rows.map { (id: try $0.value(0), destination: try $0.value(1)) }
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
    var facts: PictureFacts?
    var failure: SubmitFailure?

    var settled: Settled { Settled(state, notBefore: notBefore == 0 ? nil : Timestamp(nanoseconds: notBefore)) }

    /// It was broken off, which tells nothing.
    var isUntold: Bool { failure == nil && receipt == nil }

    init(_ settlement: Settlement, _ now: Timestamp) {
        switch settlement {
        case .done(let receipt, let place, let facts):
            (state, outcome, self.receipt, self.place) = (.done, "done", receipt, place)
            if !receipt.isOfSkipped { self.facts = facts }
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
