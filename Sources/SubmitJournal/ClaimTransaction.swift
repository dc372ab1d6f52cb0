internal import Foundation
internal import GRDB
internal import Submit

/// One worker's claiming at one destination, within one transaction.
struct ClaimTransaction {
    private let db: Database
    private let destination: String
    private let worker: WorkerIdentity
    private let now: Timestamp
    /// Those of this moment: what is paused or cancelled later is written after this transaction.
    private let controls: Int64
    private var tally = TallyChanges()
    /// What goes after others is left.
    private var isSparing = false

    /// Which ones, in which order. Each is a range of the index `submission_due`.
    enum Kind: String {
        case freshOfBatch, laterOfBatch, overdue, fresh, later
        /// The fresh one accepted last.
        case latestOfBatch, latest

        var condition: String {
            switch self {
            // Between its first and its last there are few others': they were accepted at the same time.
            case .freshOfBatch, .latestOfBatch:
                """
                submission.state = 0 AND submission.destination = :destination AND submission.not_before = 0
                    AND submission.id BETWEEN (SELECT min(id) FROM submission WHERE batch = :batch)
                        AND (SELECT max(id) FROM submission WHERE batch = :batch)
                    AND +submission.batch = :batch
                """
            case .laterOfBatch:
                """
                submission.state = 0 AND submission.destination = :destination
                    AND submission.not_before BETWEEN 1 AND :until AND +submission.batch = :batch
                """
            case .fresh, .latest:
                "submission.state = 0 AND submission.destination = :destination AND submission.not_before = 0"
            case .overdue, .later:
                """
                submission.state = 0 AND submission.destination = :destination
                    AND submission.not_before BETWEEN 1 AND :until
                """
            }
        }

        fileprivate var order: String {
            switch self {
            case .latestOfBatch, .latest: "submission.id DESC"
            default: "submission.not_before, submission.id"
            }
        }

        fileprivate var isOfBatch: Bool { [.freshOfBatch, .laterOfBatch, .latestOfBatch].contains(self) }
        fileprivate var isTimed: Bool { [.laterOfBatch, .overdue, .later].contains(self) }
    }

    /// How long one that failed before may have been due before it goes ahead of fresh ones.
    private static let longWait: Int64 = 60_000

    init(_ db: Database, _ destination: String, _ worker: WorkerIdentity, _ now: Timestamp) {
        self.db = db
        self.destination = destination
        self.worker = worker
        self.now = now
        controls = worker.controls?.now ?? 0
    }

    /// Whether another worker that goes on has something of the destination.
    func isTaken() throws -> Bool {
        let query = try db.cachedStatement(
            sql: """
                SELECT EXISTS (
                    SELECT 1 FROM submission JOIN worker ON worker.id = claimed_by
                    WHERE state = 1 AND destination = ? AND claimed_by IS NOT ? AND beat > ?)
                """)
        return try Bool.readOne(query, arguments: [destination, worker.registered?.rawValue, Journal.oldestBeat])
            ?? false
    }

    /// Whether anything of a batch waits for its turn at a destination: what would be looked for in vain is not looked for.
    static func isWaiting(_ destination: String, in batch: BatchID, _ db: Database) throws -> Bool {
        let query = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM tally WHERE batch = ? AND destination = ? AND state = 0)")
        return try Bool.readOne(query, arguments: [batch.rawValue, destination]) ?? false
    }

    /// The time of the earliest submission that is waiting and not claimed; `nil` if there is none.
    ///
    /// - Parameter batches: of these; `nil` for all.
    static func nextDue(_ destination: String, _ batches: Set<BatchID>?, _ db: Database) throws -> Timestamp? {
        guard let batches else {
            let query = try db.cachedStatement(
                sql: "SELECT min(not_before) FROM submission WHERE state = 0 AND destination = ?")
            return try Int64.readOne(query, arguments: [destination]).map { Timestamp(nanoseconds: $0) }
        }
        let waiting = try batches.filter { try isWaiting(destination, in: $0, db) }
        if waiting.isEmpty { return nil }
        let fresh = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM submission WHERE \(Kind.freshOfBatch.condition))")
        for batch in waiting
        where try Bool.readOne(fresh, arguments: ["destination": destination, "batch": batch.rawValue]) ?? false {
            return Timestamp(nanoseconds: 0)
        }
        let later = try db.cachedStatement(
            sql: """
                SELECT not_before, batch FROM submission
                WHERE state = 0 AND destination = ? AND not_before > 0 ORDER BY not_before
                """)
        let rows = try Row.fetchCursor(later, arguments: [destination])
        while let row = try rows.next() {
            if waiting.contains(try row.value(1)) { return Timestamp(nanoseconds: try row.value(0)) }
        }
        return nil
    }

    /// Claims up to `limit`: of these batches, and then of all.
    ///
    /// - Parameters:
    ///   - others: false: of these batches only.
    ///   - isLatest: the fresh one accepted last goes first.
    mutating func claim(
        _ batches: [BatchID], others: Bool, _ limit: Int, isLatest: Bool
    ) throws -> [ClaimedSubmission] {
        let claimed = try choose(batches, others: others, limit, isLatest: isLatest)
        try tally.write(db)
        return claimed
    }

    private mutating func choose(
        _ batches: [BatchID], others: Bool, _ limit: Int, isLatest: Bool
    ) throws -> [ClaimedSubmission] {
        var claimed: [ClaimedSubmission] = []
        let batches = try batches.filter { try Self.isWaiting(destination, in: $0, db) }
        func take(_ kind: Kind, _ batch: BatchID? = nil, atMost most: Int = .max, until: Timestamp? = nil) throws {
            let room = min(most, limit - claimed.count)
            if room > 0 { claimed += try claim(kind, batch, room, until ?? now) }
        }
        if isLatest {
            for batch in batches where claimed.isEmpty { try take(.latestOfBatch, batch, atMost: 1) }
            if claimed.isEmpty, others { try take(.latest, atMost: 1) }
        }
        func takeAll(_ batches: [BatchID]) throws {
            for batch in batches {
                try take(.freshOfBatch, batch)
                try take(.laterOfBatch, batch)
            }
        }
        func takeOthers(sparing: Bool) throws {
            isSparing = sparing
            defer { isSparing = false }
            try take(
                .overdue, atMost: max(1, (limit - claimed.count) / 2),
                until: now.advanced(by: .milliseconds(-Self.longWait)))
            try take(.fresh)
            try take(.later)
        }
        let priorities = try priorities()
        if !priorities.isEmpty {
            try takeAll(batches.filter { priorities[$0] ?? 0 > 0 })
            if others { try takeAll(priorities.filter { $0.value > 0 }.keys.sorted()) }
            try takeAll(batches.filter { priorities[$0] == nil })
            if others { try takeOthers(sparing: true) }
        }
        try takeAll(batches)
        if others { try takeOthers(sparing: false) }
        return claimed
    }

    /// What waits here and goes before others or after them.
    private func priorities() throws -> [BatchID: Int] {
        let query = try db.cachedStatement(
            sql: """
                SELECT batch.id, priority FROM tally JOIN batch ON batch.id = tally.batch
                WHERE EXISTS (SELECT 1 FROM batch WHERE priority <> 0)
                    AND tally.state = 0 AND tally.destination = ? AND priority <> 0
                """)
        var priorities: [BatchID: Int] = [:]
        let rows = try Row.fetchCursor(query, arguments: [destination])
        while let row = try rows.next() { priorities[try row.value(0)] = try row.value(1) }
        return priorities
    }

    private static let sparing = " AND batch.priority >= 0"

    private static let columns = """
        submission.id, submission.item, \(SubmissionOptions.columns), submission.fence, submission.tries,
        submission.failures, batch.created, checkpoint.data, submission.landed, submission.fault,
        \(MediaItem.columns), submission.disproved, submission.batch, submission.recipe
        """
    // If the item or the batch is missing, reading the row reports damage. An inner join would leave the row out: it would
    // stay due, and the worker would never sleep.
    private static let tables = """
        submission
        LEFT JOIN item ON item.id = submission.item
        LEFT JOIN batch ON batch.id = submission.batch
        LEFT JOIN checkpoint ON checkpoint.submission = submission.id
        """

    /// What a worker has claimed of a destination and not settled.
    static func held(by worker: WorkerID, at destination: String, _ db: Database) throws -> [ClaimedSubmission] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT \(columns), submission.claimed FROM \(tables)
                WHERE submission.state = 1 AND submission.claimed_by = ? AND submission.destination = ? ORDER BY 1
                """, arguments: [worker.rawValue, destination]
        ).map { row in
            try ClaimedSubmission(
                row, destination, worker, Timestamp(nanoseconds: try row.value(15 + MediaItem.columnCount)),
                isNew: false,
                controls: -1)
        }
    }

    private mutating func claim(
        _ kind: Kind, _ batch: BatchID?, _ limit: Int, _ until: Timestamp
    ) throws -> [ClaimedSubmission] {
        let query = try DirectStatement(
            """
            SELECT \(Self.columns) FROM \(Self.tables)
            WHERE \(kind.condition)\(isSparing ? Self.sparing : "")
            ORDER BY \(kind.order)
            LIMIT :limit
            """, db)
        // An error leaves it in the midst of its rows.
        defer { query.reset() }
        query.bind(destination)
        if kind.isTimed { query.bind(until.nanoseconds) }
        if kind.isOfBatch { query.bind(batch?.rawValue) }
        query.bind(limit)
        var claims: [ClaimedSubmission] = []
        while try query.next() {
            claims.append(
                try ClaimedSubmission(query, destination, worker.id(db), now, isNew: true, controls: controls))
        }
        guard let me = claims.first?.worker else { return [] }
        try Journal.beat(me, db)
        let update = try DirectStatement(
            """
            UPDATE submission SET state = 1, fence = fence + 1, tries = tries + 1, claimed_by = ?, claimed = ?,
                cancel = 0, counted = 1 - counted
            WHERE id = ?
            """, db)
        for claim in claims {
            update.bind(me.rawValue)
            update.bind(now.nanoseconds)
            update.bind(claim.id.rawValue)
            try update.run()
            tally.move(claim.batch, destination, bytes: claim.item.size, from: .waiting, to: .running)
        }
        return claims
    }
}

extension ClaimedSubmission {
    /// - Parameters:
    ///   - isNew: it is claimed now, which its row does not say yet.
    ///   - controls: how often something was paused or cancelled by then.
    fileprivate init(
        _ row: some ColumnValues, _ destination: String, _ worker: WorkerID, _ started: Timestamp, isNew: Bool,
        controls: Int64
    ) throws {
        let step: Int64 = isNew ? 1 : 0
        func number(_ column: Int) throws -> Int64 { try row.given(row.integer(column)) }
        /// What a claim counts on. No process gets near the largest number.
        func counted(_ column: Int) throws -> Int64 {
            let (sum, isTooLarge) = try number(column).addingReportingOverflow(step)
            if isTooLarge { throw DatabaseError.oddValue }
            return sum
        }
        try self.init(
            id: SubmissionID(rawValue: number(0)), itemID: ItemID(rawValue: number(1)),
            batch: BatchID(rawValue: number(13 + MediaItem.columnCount)), destination: destination,
            item: MediaItem(row, from: 12), identity: SourceIdentity(row, from: 12),
            options: SubmissionOptions(row, from: 2),
            worker: worker, fence: counted(5), tries: Int(counted(6)), failures: row.amount(7),
            landed: row.amount(10),
            fault: row.given(StoreFault(rawValue: row.amount(11))),
            accepted: Timestamp(nanoseconds: number(8)), started: started,
            checkpoint: row.bytes(9).map { Checkpoint(data: $0) }, disproved: row.text(12 + MediaItem.columnCount),
            recipe: row.text(14 + MediaItem.columnCount),
            controls: controls)
    }
}
