internal import Foundation
internal import GRDB
package import Submit

/// A submission that this process works on.
package struct ClaimedSubmission: Sendable {
    package let id: SubmissionID
    package let itemID: ItemID
    package let batch: BatchID
    package let destination: String
    package let item: MediaItem
    package let identity: SourceIdentity
    package let album: String?
    package let onConflict: ConflictPolicy
    package let verification: Verification
    /// Who claimed it.
    let worker: WorkerID
    /// Which claim this is. Finishing is refused to anyone who holds an older one.
    package let fence: Int64
    /// How often it has been claimed, this time included.
    package let tries: Int
    /// How many of its attempts failed.
    package let failures: Int
    /// Bytes of the item that some attempt brought there for good.
    package let landed: Int64
    /// Whose fault it was the last time, if it failed.
    package let fault: Fault
    /// When its batch was accepted.
    package let accepted: Timestamp
    package let started: Timestamp
    package let checkpoint: Checkpoint?
    /// The remote id of a copy of it that an audit found to be something else.
    package let disproved: String?
}

extension Journal {
    /// Takes up to `limit` submissions of a destination that are due, whoever accepted them.
    ///
    /// Those of `first` come first, batch by batch, and then all others. Fresh ones are taken in the order of acceptance; those
    /// that failed before come after them, by the time they wait for, so that none holds up another. Of all others' those that
    /// have been due for a minute come before fresh ones, though not with all that is taken: new ones without an end starve no
    /// old one. Nothing is claimed of a paused destination, nor of one that is parked for now.
    ///
    /// Of a parked destination that is to be looked at again one alone is claimed. Where it waits for someone, that one
    /// is the only one in all processes until someone asks again: a wrong password tried often may lock its owner out.
    /// Of one that cannot be reached every second look is that of the fresh one accepted last, unless they go `inOrder`:
    /// if those that failed are themselves why, it is the least like them.
    ///
    /// - Parameters:
    ///   - others: false: of `first` alone.
    ///   - inOrder: the destination takes one at a time: nothing is claimed as long as another worker that goes on has
    ///     something of it.
    ///   - worker: who claims; `nil` for this value's own.
    package func claim(
        destination: String, first: [BatchID] = [], others: Bool = true, limit: Int, inOrder: Bool = true,
        by worker: Worker? = nil
    ) async throws(JournalFailure) -> [ClaimedSubmission] {
        try await write { [own] db in
            let now = Timestamp.now
            let state = try DestinationState.fetch(db, destination)
            guard state.isOpen(at: now) else { return [] }
            let turn = ClaimingTurn(db, destination, worker ?? own, now)
            if inOrder, try turn.isTaken() { return [] }
            let most = state.parking == nil ? limit : min(1, limit)
            let isLatest: Bool
            if !inOrder, let parking = state.parking, parking.reason == .unreachable {
                isLatest = parking.count > 0 && parking.count % 2 == 0
            } else {
                isLatest = false
            }
            let claimed = try turn.claim(first, others: others, most, isLatest: isLatest)
            if !claimed.isEmpty, state.parking?.waitsForSomeone ?? false {
                try db.execute(sql: "UPDATE destination SET parked_until = NULL WHERE name = ?", arguments: [destination])
            }
            return claimed
        }
    }

    /// Whether another worker that goes on has something of a destination.
    package func isTaken(_ destination: String, besides worker: Worker) throws(JournalFailure) -> Bool {
        try read { db in try ClaimingTurn(db, destination, worker, .now).isTaken() }
    }

    /// What someone did after a claim, against which it should not begin.
    package enum Objection: Sendable, Hashable {
        case cancelled
        case paused
    }

    /// Whether anything speaks against beginning what was claimed a while ago.
    package func objection(to claim: ClaimedSubmission) throws(JournalFailure) -> Objection? {
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
    ///
    /// - Parameter batches: of these; `nil` for all.
    package func nextDue(destination: String, batches: Set<BatchID>? = nil) throws(JournalFailure) -> Timestamp? {
        try read { db in try Self.nextDue(destination, batches, db) }
    }

    static func nextDue(_ destination: String, _ batches: Set<BatchID>?, _ db: Database) throws -> Timestamp? {
        guard let batches else {
            let query = try db.cachedStatement(
                sql: "SELECT min(not_before) FROM submission WHERE state = 0 AND destination = ?")
            return try Int64.fetchOne(query, arguments: [destination]).map { Timestamp(nanoseconds: $0) }
        }
        let owed = try batches.filter { try ClaimingTurn.isOwed(destination, in: $0, db) }
        if owed.isEmpty { return nil }
        let fresh = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM submission WHERE \(ClaimingTurn.Kind.freshOfBatch.condition))")
        for batch in owed
        where try Bool.fetchOne(fresh, arguments: ["destination": destination, "batch": batch]) ?? false {
            return Timestamp(nanoseconds: 0)
        }
        let later = try db.cachedStatement(
            sql: """
                SELECT not_before, batch FROM submission
                WHERE state = 0 AND destination = ? AND not_before > 0 ORDER BY not_before
                """)
        let rows = try Row.fetchCursor(later, arguments: [destination])
        while let row = try rows.next() {
            if owed.contains(row[1]) { return Timestamp(nanoseconds: row[0]) }
        }
        return nil
    }
}
