public import Submit
internal import Foundation
internal import GRDB

/// A submission that this process works on.
public struct ClaimedSubmission: Sendable {
    public let id: SubmissionID
    public let itemID: ItemID
    public let batch: BatchID
    public let destination: String
    public let item: MediaItem
    public let identity: SourceIdentity
    public let album: String?
    public let onConflict: ConflictPolicy
    public let verification: Verification
    /// Which claim this is. Finishing is refused to anyone who holds an older one.
    public let fence: Int64
    /// How often it has been claimed, this time included.
    public let tries: Int
    /// How many of its attempts failed.
    public let failures: Int
    /// Bytes of the item that some attempt brought there for good.
    public let landed: Int64
    /// Whose fault it was the last time, if it failed.
    public let fault: Fault
    /// When its batch was accepted.
    public let accepted: Timestamp
    public let started: Timestamp
    public let checkpoint: Checkpoint?
    /// The remote id of a copy of it that an audit found to be something else.
    public let disproved: String?
}

extension Journal {
    /// Takes up to `limit` submissions of a destination that are due, from the first batch that has any.
    ///
    /// Fresh ones come first, in the order of acceptance; those that failed before come by the time they wait for, so
    /// that none holds up another. Nothing is claimed of a paused destination, nor of one that is parked for now.
    ///
    /// Of a parked destination that is to be looked at again one alone is claimed. Where it waits for someone, that one
    /// is the only one in all processes until someone asks again: a wrong password tried often may lock its owner out.
    /// Of one that cannot be reached every second look is that of the fresh one accepted last, unless they go `inOrder`:
    /// if those that failed are themselves why, it is the least like them.
    public func claim(
        destination: String, batches: [BatchID], limit: Int, inOrder: Bool = true
    ) async throws(JournalFailure) -> [ClaimedSubmission] {
        try await write { [self] db in
            let now = Timestamp.now
            let state = try DestinationState.fetch(db, destination)
            guard state.isOpen(at: now) else { return [] }
            let most = state.parking == nil ? limit : min(1, limit)
            var claimed: [ClaimedSubmission] = []
            if !inOrder, let parking = state.parking, parking.reason == .unreachable, parking.count > 0, parking.count % 2 == 0 {
                for batch in batches where claimed.isEmpty {
                    claimed = try claim(db, destination, batch, most, now, isLast: true)
                }
            }
            for batch in batches where claimed.count < most {
                claimed += try claim(db, destination, batch, most - claimed.count, now)
            }
            if !claimed.isEmpty, state.parking?.waitsForSomeone ?? false {
                try db.execute(sql: "UPDATE destination SET parked_until = NULL WHERE name = ?", arguments: [destination])
            }
            return claimed
        }
    }

    private func claim(
        _ db: Database, _ destination: String, _ batch: BatchID, _ limit: Int, _ now: Timestamp,
        isLast: Bool = false
    ) throws -> [ClaimedSubmission] {
        let query = try db.cachedStatement(
            sql: """
                SELECT submission.id, submission.item, submission.album, submission.conflict, submission.fence,
                    submission.tries, submission.failures, batch.created, checkpoint.data, submission.landed,
                    submission.verify, submission.fault, \(MediaItem.columns), submission.disproved
                FROM submission
                JOIN item ON item.id = submission.item
                JOIN batch ON batch.id = submission.batch
                LEFT JOIN checkpoint ON checkpoint.submission = submission.id
                WHERE submission.state = 0 AND submission.destination = ? AND submission.batch = ?
                    AND submission.not_before \(isLast ? "=" : "<=") ?
                ORDER BY \(isLast ? "submission.id DESC" : "submission.not_before, submission.id")
                LIMIT ?
                """)
        let rows = try Row.fetchAll(query, arguments: [destination, batch, isLast ? 0 : now.nanoseconds, limit])
        if rows.isEmpty { return [] }
        let me = try worker(db)
        let update = try db.cachedStatement(
            sql: """
                UPDATE submission SET state = 1, fence = fence + 1, tries = tries + 1, claimed_by = ?, claimed = ?,
                    cancel = 0
                WHERE id = ?
                """)
        return try rows.map { row in
            try update.execute(arguments: [me, now.nanoseconds, row[0] as Int64])
            let checkpoint: Data? = row[8]
            let verify: String? = row[10]
            return ClaimedSubmission(
                id: row[0], itemID: row[1], batch: batch, destination: destination,
                item: try MediaItem(row, from: 12), identity: SourceIdentity(row, from: 12),
                album: row[2], onConflict: ConflictPolicy(rawValue: row[3]) ?? .fail,
                verification: verify.flatMap(Verification.init) ?? .usual,
                fence: row[4] as Int64 + 1, tries: row[5] as Int + 1, failures: row[6], landed: row[9],
                fault: Fault(rawValue: row[11]) ?? .none,
                accepted: Timestamp(nanoseconds: row[7]), started: now,
                checkpoint: checkpoint.map { Checkpoint(data: Array($0)) }, disproved: row[12 + MediaItem.columnCount])
        }
    }

    /// What someone did after a claim, against which it should not begin.
    public enum Objection: Sendable, Hashable {
        case cancelled
        case paused
    }

    /// Whether anything speaks against beginning what was claimed a while ago.
    public func objection(to claim: ClaimedSubmission) throws(JournalFailure) -> Objection? {
        let (id, destination) = (claim.id, claim.destination)
        return try glance { db in
            let query = try db.cachedStatement(
                sql: """
                    SELECT cancel, EXISTS (SELECT 1 FROM destination WHERE name = ? AND paused)
                    FROM submission WHERE id = ?
                    """)
            guard let row = try Row.fetchOne(query, arguments: [destination, id]) else { return nil }
            if row[0] as Bool { return .cancelled }
            return row[1] as Bool ? .paused : nil
        }
    }

    /// The time of the earliest submission that is owed and not claimed; `nil` if there is none.
    public func nextDue(destination: String, batches: [BatchID]) throws(JournalFailure) -> Timestamp? {
        try read { db in
            var earliest: Int64?
            let query = try db.cachedStatement(
                sql: "SELECT min(not_before) FROM submission WHERE state = 0 AND destination = ? AND batch = ?")
            for batch in batches {
                guard let due = try Int64.fetchOne(query, arguments: [destination, batch]) else { continue }
                earliest = min(earliest ?? due, due)
            }
            return earliest.map { Timestamp(nanoseconds: $0) }
        }
    }
}
