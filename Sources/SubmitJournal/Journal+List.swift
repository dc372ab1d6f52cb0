internal import Foundation
internal import GRDB
public import Submit

/// A batch, as people see it.
public struct BatchRecord: Sendable, Hashable {
    public let id: BatchID
    public let created: Timestamp
    /// Everything asked for was accepted or refused; false while that goes on, or when it was cut off.
    public let isSealed: Bool
    /// Somebody accepts, sends or watches it.
    public let isRunning: Bool
}

/// A submission, as people see it.
public struct SubmissionRecord: Sendable {
    public let id: SubmissionID
    public let batch: BatchID
    public let destination: String
    public let itemID: ItemID
    public let item: MediaItem
    /// The source's marks as they were last seen to be those of the accepted bytes.
    public let identity: SourceIdentity
    public let album: String?
    public let onConflict: ConflictPolicy
    /// How its copy was or is to be proven.
    public let verification: Verification
    public let state: SubmissionState
    /// When it is due, if it waits for a time.
    public let notBefore: Timestamp?
    public let tries: Int
    public let settled: Timestamp?
    public let receipt: Receipt?
    /// The last failure's code and sentence.
    public let code: String?
    public let message: String?
}

/// How much of a batch stands where, at one destination.
public struct Tally: Sendable, Hashable {
    public let batch: BatchID
    public let destination: String
    public let state: SubmissionState
    public let count: Int
    /// Bytes of the items.
    public let bytes: Int64
}

/// One try of a submission.
public struct AttemptRecord: Sendable, Hashable {
    public let number: Int
    public let started: Timestamp
    public let ended: Timestamp
    public let outcome: String
    public let code: String?
    public let message: String?
}

extension Journal {
    /// The batches, newest first.
    ///
    /// - Parameter before: those older than this one: who reads on gives the last one of the page before.
    public func batches(before: BatchID = .max, limit: Int = .max) throws(JournalFailure) -> [BatchRecord] {
        try batches("id < ? ORDER BY id DESC LIMIT ?", [before, limit])
    }

    /// The batches of these numbers that there are, newest first.
    public func batches(_ numbers: [BatchID]) throws(JournalFailure) -> [BatchRecord] {
        // Not as arguments: of those a statement has a few ten thousand at the most.
        try batches("id IN (\(numbers.map(String.init).joined(separator: ","))) ORDER BY id DESC", [])
    }

    /// The batches that are owed something, were not accepted to their end or have sources that are yet to be removed,
    /// and the last one; newest first.
    public func openBatches() throws(JournalFailure) -> [BatchRecord] {
        try batches(
            """
            id IN (SELECT batch FROM tally WHERE state IN (0, 1)
                   UNION SELECT id FROM batch WHERE sealed = 0 UNION SELECT max(id) FROM batch
                   UNION SELECT batch FROM (\(Self.removalBatches)))
            ORDER BY id DESC
            """, [])
    }

    private func batches(
        _ which: String, _ arguments: StatementArguments
    ) throws(JournalFailure) -> [BatchRecord] {
        try read { db in
            let workers = try workers(db)
            let attended = try Row.fetchAll(
                db, sql: "SELECT batch, worker FROM acceptance WHERE worker IS NOT NULL UNION SELECT * FROM attendance"
            ).reduce(into: Set<BatchID>()) { if workers[$1[1]] == true { $0.insert($1[0]) } }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT id, created, sealed,
                        EXISTS (SELECT 1 FROM tally WHERE tally.batch = batch.id AND state = 1)
                    FROM batch WHERE \(which)
                    """, arguments: arguments
            ).map { row in
                BatchRecord(
                    id: row[0], created: Timestamp(nanoseconds: row[1]), isSealed: row[2],
                    isRunning: row[3] || attended.contains(row[0]))
            }
        }
    }

    /// How many submissions are owed to each destination that is owed any.
    public func owedCounts() throws(JournalFailure) -> [String: Int] {
        try read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT destination, sum(count) FROM tally WHERE state IN (0, 1) GROUP BY destination")
            return rows.reduce(into: [:]) { $0[$1[0] as String] = $1[1] as Int }
        }
    }

    /// How much is owed to each destination that is owed any, of these batches or of all.
    package func owed(_ batches: [BatchID]?) throws(JournalFailure) -> [String: (count: Int, bytes: Int64)] {
        try read { db in
            var owed: [String: (count: Int, bytes: Int64)] = [:]
            func add(_ rows: [Row]) {
                for row in rows {
                    let before = owed[row[0]] ?? (0, 0)
                    owed[row[0]] = (before.count + row[1], before.bytes + row[2])
                }
            }
            guard let batches else {
                add(
                    try Row.fetchAll(
                        db,
                        sql: "SELECT destination, sum(count), sum(bytes) FROM tally WHERE state IN (0, 1) GROUP BY destination"))
                return owed
            }
            let query = try db.cachedStatement(
                sql: "SELECT destination, count, bytes FROM tally WHERE batch = ? AND state IN (0, 1)")
            for batch in batches { add(try Row.fetchAll(query, arguments: [batch])) }
            return owed
        }
    }

    /// How much stands where. Without a submission it costs nothing to speak of, however many there are.
    public func tallies(_ selection: SubmissionSelection) throws(JournalFailure) -> [Tally] {
        var (condition, arguments) = SubmissionSelection(batch: selection.batch, destination: selection.destination)
            .condition(table: "tally")
        var sql = "SELECT batch, destination, state, count, bytes FROM tally WHERE \(condition) ORDER BY 1, 2, 3"
        if selection.submission != nil {
            (condition, arguments) = selection.condition
            sql = """
                SELECT submission.batch, destination, state, 1, item.size
                FROM submission JOIN item ON item.id = submission.item WHERE \(condition)
                """
        }
        return try read { [sql, arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
                Tally(
                    batch: row[0], destination: row[1], state: SubmissionState(rawValue: row[2]) ?? .failed,
                    count: row[3], bytes: row[4])
            }
        }
    }

    /// Submissions after `after`, in the order of acceptance.
    ///
    /// - Parameters:
    ///   - destinations: those of these only; of all where there are none.
    ///   - state: those in this state only.
    ///   - limit: how many at the most: memory is kept flat by reading page after page.
    public func submissions(
        _ selection: SubmissionSelection, destinations: Set<String> = [], state: SubmissionState? = nil,
        after: SubmissionID = 0, limit: Int = 1000
    ) throws(JournalFailure) -> [SubmissionRecord] {
        var (condition, arguments) = selection.condition
        if !destinations.isEmpty {
            condition += " AND +destination IN (\(repeatElement("?", count: destinations.count).joined(separator: ",")))"
            arguments += StatementArguments(destinations.sorted())
        }
        // Not as an argument: an index of one state is of use to a query that names it. A batch has fewer rows still.
        if let state { condition += " AND \(selection.batch == nil ? "" : "+")state = \(state.rawValue)" }
        return try read { [condition, arguments] db in
            try SubmissionRecord.fetch(
                db, where: "submission.id > ? AND \(condition) ORDER BY submission.id LIMIT ?",
                [after] + arguments + [limit])
        }
    }

    /// The submissions of an item.
    public func submissions(of item: ItemID) throws(JournalFailure) -> [SubmissionRecord] {
        try read { db in
            try SubmissionRecord.fetch(db, where: "submission.item = ? ORDER BY submission.id", [item])
        }
    }

    /// The done submissions of the same bytes at other places than a copy's own, in all batches: of each place the
    /// last one, of the latest places a few dozen.
    ///
    /// The first time it looks through all items, and others wait to write meanwhile.
    package func copies(of lost: SubmissionRecord) async throws(JournalFailure) -> [SubmissionRecord] {
        guard let digest = lost.item.digests[.sha256] else { return [] }
        let isIndexed = try glance { db in
            try Bool.fetchOne(db, sql: "SELECT 1 FROM sqlite_master WHERE name = 'item_digest'") ?? false
        }
        if !isIndexed {
            // Not from the beginning: it would make each acceptance dearer by a tenth, and few ever lose a copy. The
            // first bytes tell enough.
            try await write { db in
                try db.execute(sql: "CREATE INDEX IF NOT EXISTS item_digest ON item (substr(sha256, 1, 6))")
            }
        }
        return try read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT submission.id, destination, remote_id
                    FROM item CROSS JOIN submission ON submission.item = item.id
                    WHERE substr(sha256, 1, 6) = ? AND sha256 = ? AND +state = 2 AND remote_id IS NOT NULL
                    ORDER BY item.id DESC
                    """, arguments: [Data(digest.prefix(6)), Data(digest)])
            var places: Set<[String]> = [[lost.destination, lost.receipt?.remoteID ?? ""]]
            var copies: [SubmissionID] = []
            while copies.count < 32, let row = try rows.next() {
                if places.insert([row[1], row[2]]).inserted { copies.append(row[0]) }
            }
            return try copies.flatMap { try SubmissionRecord.fetch(db, where: "submission.id = ?", [$0]) }
        }
    }

    /// The names of all destinations that anything was ever owed to.
    public func destinationNames() throws(JournalFailure) -> [String] {
        try read { db in
            // From name to name: there may be as many batches as photos.
            try String.fetchAll(
                db,
                sql: """
                    WITH RECURSIVE known (name) AS (
                        SELECT min(destination) FROM tally
                        UNION ALL
                        SELECT (SELECT min(destination) FROM tally WHERE destination > name) FROM known
                        WHERE name IS NOT NULL
                    )
                    SELECT name FROM known WHERE name IS NOT NULL
                    """)
        }
    }

    /// The destinations of failed submissions.
    public func failedDestinations(_ selection: SubmissionSelection) throws(JournalFailure) -> Set<String> {
        if selection.submission != nil {
            return Set(try tallies(selection).filter { $0.state == .failed }.map(\.destination))
        }
        let (condition, arguments) = selection.condition(table: "tally")
        return try read { db in
            try String.fetchSet(
                db, sql: "SELECT DISTINCT destination FROM tally WHERE state = 3 AND \(condition)", arguments: arguments)
        }
    }

    /// The submission that is due first of those that wait, with the reason of its last failure.
    public func nextWaiting(_ selection: SubmissionSelection) throws(JournalFailure) -> SubmissionRecord? {
        let (condition, arguments) = selection.condition
        let id = try read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT id FROM submission WHERE state = 0 AND sentence IS NOT NULL AND \(condition)
                    ORDER BY not_before, id LIMIT 1
                    """, arguments: arguments)
        }
        guard let id else { return nil }
        return try submissions(SubmissionSelection(submission: id)).first
    }

    /// The attempts of a submission, first one first.
    public func attempts(of submission: SubmissionID) throws(JournalFailure) -> [AttemptRecord] {
        try read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM attempt WHERE submission = ? ORDER BY number", arguments: [submission]
            ).map { row in
                AttemptRecord(
                    number: row["number"], started: Timestamp(nanoseconds: row["started"]),
                    ended: Timestamp(nanoseconds: row["ended"]), outcome: row["outcome"], code: row["code"],
                    message: row["sentence"])
            }
        }
    }
}

extension SubmissionRecord {
    static func fetch(
        _ db: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [SubmissionRecord] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT submission.id, submission.batch, destination, album, conflict, state, not_before, tries,
                    settled, remote_id, url, evidence, was_there, note, code, sentence, verify, submission.item,
                    \(MediaItem.columns), marks
                FROM submission JOIN item ON item.id = submission.item
                WHERE \(condition)
                """, arguments: arguments
        ).map { row in
            let settled: Int64? = row[8]
            let notBefore: Int64 = row[6]
            let evidence: String? = row[11]
            let remoteID: String? = row[9]
            let verify: String? = row[16]
            return SubmissionRecord(
                id: row[0], batch: row[1], destination: row[2], itemID: row[17],
                item: try MediaItem(row, from: 18), identity: SourceIdentity(row, from: 18), album: row[3],
                onConflict: ConflictPolicy(rawValue: row[4]) ?? .fail,
                verification: verify.flatMap(Verification.init) ?? .usual,
                state: SubmissionState(rawValue: row[5]) ?? .failed,
                notBefore: notBefore == 0 ? nil : Timestamp(nanoseconds: notBefore), tries: row[7],
                settled: settled.map { Timestamp(nanoseconds: $0) },
                receipt: remoteID.map {
                    Receipt(
                        remoteID: $0, url: row[10],
                        evidence: evidence.flatMap(Evidence.init(rawValue:)) ?? .unknown,
                        wasThere: row[12] ?? false, note: row[13],
                        marks: Receipt.marks(text: row[18 + MediaItem.columnCount]))
                },
                code: row[14], message: row[15])
        }
    }
}
