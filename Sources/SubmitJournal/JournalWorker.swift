internal import Foundation
internal import GRDB
internal import Submit
internal import SubmitStore

/// Who works on what a journal owes.
final class JournalWorker: StoreWorker {
    private let journal: Journal
    private let worker: WorkerIdentity

    init(_ journal: Journal, _ worker: WorkerIdentity) {
        self.journal = journal
        self.worker = worker
    }

    func claim(
        _ destination: String, first: [BatchID], others: Bool, limit: Int, inOrder: Bool
    ) async throws(SubmitFailure) -> [ClaimedSubmission] {
        let now = journal.clock
        return try await journal.write { [worker] db in
            let now = now()
            let state = try DestinationState.fetch(db, destination)
            guard state.wait(at: now) == .zero else { return [] }
            var turn = ClaimTransaction(db, destination, worker, now)
            if inOrder, try turn.isTaken() { return [] }
            let most = state.hold == nil ? limit : min(1, limit)
            let isLatest: Bool
            if !inOrder, let hold = state.hold, hold.reason == .unreachable {
                isLatest = hold.count > 0 && hold.count % 2 == 0
            } else {
                isLatest = false
            }
            let claimed = try turn.claim(first, others: others, most, isLatest: isLatest)
            if !claimed.isEmpty, state.hold?.waitsForSomeone ?? false {
                try db.execute(sql: "UPDATE destination SET hold_until = NULL WHERE name = ?", arguments: [destination])
            }
            return claimed
        }
    }

    func held(at destination: String) async throws(SubmitFailure) -> [ClaimedSubmission] {
        guard let me = worker.registered else { return [] }
        return try await journal.read { db in try ClaimTransaction.held(by: me, at: destination, db) }
    }

    func isTakenByAnother(_ destination: String) async throws(SubmitFailure) -> Bool {
        try journal.glance { [worker] db in
            try ClaimTransaction(db, destination, worker, Timestamp(nanoseconds: 0)).isTaken()
        }
    }

    func beat() async throws(SubmitFailure) {
        try await journal.write(.patient) { [worker] db in try Journal.beat(try worker.id(db), db) }
    }

    func cancelledClaims() async throws(SubmitFailure) -> [SubmissionID] {
        guard let me = worker.registered else { return [] }
        return try journal.glance { db in
            try SubmissionID.readAll(
                db, sql: "SELECT id FROM submission WHERE state = 1 AND cancel = 1 AND claimed_by = ?",
                arguments: [me.rawValue])
        }
    }

    // MARK: What is due

    func nextDue(_ destination: String, of batches: Set<BatchID>?) async throws(SubmitFailure) -> Duration? {
        let now = journal.clock()
        // That is asked after every few claims, and is one statement.
        let due =
            batches == nil
            ? try journal.glance { db in try ClaimTransaction.nextDue(destination, nil, db) }
            : try await journal.read { db in try ClaimTransaction.nextDue(destination, batches, db) }
        return due.map { now.wait(for: $0) }
    }

    func outlook(_ batches: Set<BatchID>?, at destinations: [String]) async throws(SubmitFailure) -> Outlook {
        let (me, own, now) = (worker.registered, journal.own, journal.clock())
        return try await journal.read { db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT batch FROM submission JOIN worker ON worker.id = claimed_by
                    WHERE state = 1 AND claimed_by IS NOT ?1 AND beat > ?2
                    UNION ALL
                    SELECT batch FROM acceptance JOIN worker ON worker.id = acceptance.worker
                    WHERE worker.id IS NOT ?3 AND beat > ?2
                    """)
            let others = try BatchID.readAll(
                query, arguments: [me?.rawValue, Journal.oldestBeat, own.registered?.rawValue])
            var outlook = Outlook(elsewhere: others.count { batches?.contains($0) ?? true })
            for destination in destinations {
                outlook.due[destination] = try ClaimTransaction.nextDue(destination, batches, db).map {
                    now.wait(for: $0)
                }
            }
            return outlook
        }
    }

    // MARK: What others do

    func attend(_ batches: [BatchID]) async throws(SubmitFailure) {
        if batches.isEmpty { return }
        try await journal.write { [worker] db in
            let me = try worker.id(db)
            for batch in batches {
                try db.execute(
                    sql: "INSERT OR IGNORE INTO attendance VALUES (?, ?)", arguments: [batch.rawValue, me.rawValue])
            }
        }
    }

    func leave(_ batches: [BatchID]?) async throws(SubmitFailure) {
        guard let me = worker.registered else { return }
        try await journal.write { db in
            guard let batches else { return try Journal.leave(me, db) }
            for batch in batches {
                try db.execute(
                    sql: "DELETE FROM attendance WHERE batch = ? AND worker = ?",
                    arguments: [batch.rawValue, me.rawValue])
            }
        }
    }

    func news(after heard: NewsMark?) async throws(SubmitFailure) -> (news: [SubmissionRecord], heard: NewsMark?) {
        guard let me = worker.registered else { return ([], heard) }
        let last = heard?.position ?? 0
        let isAny = try journal.glance { db in
            try Bool.readOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM news WHERE worker = ? AND id > ?)",
                arguments: [me.rawValue, last]) ?? false
        }
        guard isAny else { return ([], heard) }
        return try await journal.write { db in
            try db.execute(sql: "DELETE FROM news WHERE worker = ? AND id <= ?", arguments: [me.rawValue, last])
            let rows = try Row.fetchAll(
                db, sql: "SELECT submission, id FROM news WHERE worker = ? ORDER BY id LIMIT 1000",
                arguments: [me.rawValue])
            let news = try rows.flatMap {
                try SubmissionRecord.fetch(db, where: "submission.id = ?", [try $0.value(0) as Int64])
            }
            return (news, try rows.last.map { NewsMark(position: try $0.value(1)) } ?? heard)
        }
    }
}

extension Timestamp {
    /// How long from now on it is to wait for another one.
    fileprivate func wait(for other: Timestamp) -> Duration { max(.zero, duration(to: other)) }
}
