internal import Foundation
internal import GRDB
public import Submit
public import SystemPackage

extension Journal {
    public func batches(before: BatchID?, limit: Int) async throws(SubmitFailure) -> [BatchRecord] {
        try await batches("id < ? ORDER BY id DESC LIMIT ?", [before?.rawValue ?? .max, limit])
    }

    public func batches(_ numbers: [BatchID]) async throws(SubmitFailure) -> [BatchRecord] {
        // Not as arguments: of those a statement has a few ten thousand at the most.
        try await batches("id IN (\(numbers.map(\.description).joined(separator: ","))) ORDER BY id DESC", [])
    }

    public func openBatches() async throws(SubmitFailure) -> [BatchRecord] {
        try await batches(
            """
            id IN (SELECT batch FROM tally WHERE state IN (0, 1)
                   UNION SELECT id FROM batch WHERE complete = 0 UNION SELECT max(id) FROM batch)
            ORDER BY id DESC
            """, [])
    }

    /// Batches in which something failed that did not arrive since, the newest first.
    ///
    /// - Throws: if the journal can't be read (`journal…`).
    package func failedBatches(limit: Int) async throws(SubmitFailure) -> [BatchRecord] {
        try await batches(
            """
            id IN (SELECT batch FROM tally WHERE state = 3) AND EXISTS (
                SELECT 1 FROM submission JOIN item ON item.id = submission.item
                WHERE submission.batch = batch.id AND submission.state = 3 AND NOT EXISTS (
                    SELECT 1 FROM item AS next JOIN submission AS other ON other.item = next.id
                    WHERE next.path = item.path AND other.destination = submission.destination
                        AND other.state = 2 AND other.id > submission.id))
            ORDER BY id DESC LIMIT ?
            """, [limit])
    }

    private func batches(
        _ which: String, _ arguments: StatementArguments
    ) async throws(SubmitFailure) -> [BatchRecord] {
        try await read { [self] db in
            let workers = try workers(db)
            let attended = try Row.fetchAll(
                db, sql: "SELECT batch, worker FROM acceptance WHERE worker IS NOT NULL UNION SELECT * FROM attendance"
            ).reduce(into: Set<BatchID>()) {
                if workers[try $1.value(1)] == true { $0.insert(try $1.value(0)) }
            }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT id, created, complete,
                        EXISTS (SELECT 1 FROM tally WHERE tally.batch = batch.id AND state = 1)
                    FROM batch WHERE \(which)
                    """, arguments: arguments
            ).map { row in
                try BatchRecord(
                    id: row.value(0), created: Timestamp(nanoseconds: row.value(1)), isComplete: row.value(2),
                    isRunning: row.value(3) || attended.contains(row.value(0)))
            }
        }
    }

    public func waiting(_ batches: [BatchID]?) async throws(SubmitFailure) -> [String: WaitingTally] {
        try await read { db in
            var waiting: [String: WaitingTally] = [:]
            func add(_ rows: [Row]) throws {
                for row in rows {
                    try waiting[row.value(0), default: WaitingTally()].count += row.amount(1)
                    try waiting[row.value(0), default: WaitingTally()].bytes += row.amount(2)
                }
            }
            guard let batches else {
                try add(
                    Row.fetchAll(
                        db,
                        sql:
                            "SELECT destination, sum(count), sum(bytes) FROM tally WHERE state IN (0, 1) GROUP BY destination"
                    ))
                return waiting
            }
            let query = try db.cachedStatement(
                sql: "SELECT destination, count, bytes FROM tally WHERE batch = ? AND state IN (0, 1)")
            for batch in batches { try add(Row.fetchAll(query, arguments: [batch.rawValue])) }
            return waiting
        }
    }

    public func tallies(_ selection: SubmissionSelection) async throws(SubmitFailure) -> [Tally] {
        var (condition, arguments) = SubmissionSelection(batch: selection.batch, destination: selection.destination)
            .condition(table: "tally")
        // The table counts the items' bytes. Few batches have renditions, so those are looked up.
        var renditions = "1"
        if let batch = selection.batch {
            renditions = """
                rendition.submission BETWEEN (SELECT min(id) FROM submission WHERE batch = \(batch))
                    AND (SELECT max(id) FROM submission WHERE batch = \(batch))
                """
        }
        var sql = """
            WITH made AS MATERIALIZED (
                SELECT submission.batch, destination, state, sum(\(Self.sentSize) - item.size) AS difference
                FROM rendition CROSS JOIN submission ON submission.id = rendition.submission
                    CROSS JOIN item ON item.id = submission.item
                WHERE \(renditions) AND (state <> 2 OR NOT \(OldHistory.skipped("submission")))
                GROUP BY 1, 2, 3)
            SELECT tally.batch, tally.destination, tally.state, count, bytes + ifnull(difference, 0)
            FROM tally LEFT JOIN made ON (made.batch, made.destination, made.state)
                = (tally.batch, tally.destination, tally.state)
            WHERE \(condition) ORDER BY 1, 2, 3
            """
        if selection.submission != nil {
            (condition, arguments) = selection.condition
            sql = """
                SELECT submission.batch, destination, state, 1, \(Self.sentSize)
                FROM submission JOIN item ON item.id = submission.item
                    LEFT JOIN rendition ON rendition.submission = submission.id
                WHERE \(condition)
                """
        }
        return try await read { [sql, arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
                try Tally(
                    batch: row.value(0), destination: row.value(1),
                    state: row.value(2),
                    count: row.amount(3), bytes: row.amount(4))
            }
        }
    }

    public func submissions(
        _ selection: SubmissionSelection, destinations: Set<String>, state: SubmissionState?, after: SubmissionID?,
        limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        var (condition, arguments) = selection.condition
        if !destinations.isEmpty {
            condition +=
                " AND +destination IN (\(repeatElement("?", count: destinations.count).joined(separator: ",")))"
            arguments += StatementArguments(destinations.sorted())
        }
        // Not as an argument: an index of one state is of use to a query that names it. A batch has fewer rows still.
        if let state { condition += " AND \(selection.batch == nil ? "" : "+")state = \(state.rawValue)" }
        return try await read { [condition, arguments] db in
            try SubmissionRecord.fetch(
                db, where: "submission.id > ? AND \(condition) ORDER BY submission.id LIMIT ?",
                [after?.rawValue ?? 0] + arguments + [limit])
        }
    }

    public func submissions(ofSource source: FilePath, limit: Int) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await read { db in
            try SubmissionRecord.fetch(
                db, where: "item.path = ? ORDER BY submission.id DESC LIMIT ?", [source.bytes, limit])
        }
    }

    public func submissions(of item: ItemID) async throws(SubmitFailure) -> [SubmissionRecord] {
        try await read { db in
            try SubmissionRecord.fetch(db, where: "submission.item = ? ORDER BY submission.id", [item.rawValue])
        }
    }

    public func copies(of lost: SubmissionRecord) async throws(SubmitFailure) -> [SubmissionRecord] {
        guard let digest = lost.item.digests[.sha256] else { return [] }
        try await indexDigests()
        return try await read { db in
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
                if try places.insert([row.value(1), row.value(2)]).inserted { copies.append(try row.value(0)) }
            }
            return try copies.flatMap { try SubmissionRecord.fetch(db, where: "submission.id = ?", [$0.rawValue]) }
        }
    }

    /// From the first time on items are found by their bytes.
    func indexDigests() async throws(SubmitFailure) {
        // The first bytes tell enough.
        try await makeIndex("item_digest", on: "item (substr(sha256, 1, 6))")
    }

    /// Makes an index that few journals need. From the beginning it would make each acceptance or receipt dearer.
    func makeIndex(_ name: String, on columns: String) async throws(SubmitFailure) {
        let isIndexed = try glance { db in
            try Bool.readOne(db, sql: "SELECT 1 FROM sqlite_master WHERE name = ?", arguments: [name]) ?? false
        }
        guard !isIndexed, !isReadOnly else { return }
        try await write { db in try db.execute(sql: "CREATE INDEX IF NOT EXISTS \(name) ON \(columns)") }
    }

    public func destinationNames() async throws(SubmitFailure) -> [String] {
        try await read { db in
            // From name to name: there may be as many batches as photos.
            try String.readAll(
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

    public func failedDestinations(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Set<String> {
        if selection.submission != nil {
            return Set(try await tallies(selection).filter { $0.state == .failed }.map(\.destination))
        }
        let (condition, arguments) = selection.condition(table: "tally")
        return try await read { db in
            Set(
                try String.readAll(
                    db, sql: "SELECT DISTINCT destination FROM tally WHERE state = 3 AND \(condition)",
                    arguments: arguments))
        }
    }

    public func nextWaiting(_ selection: SubmissionSelection) async throws(SubmitFailure) -> SubmissionRecord? {
        let (condition, arguments) = selection.condition
        let id = try await read { db in
            try SubmissionID.readOne(
                db,
                sql: """
                    SELECT id FROM submission WHERE state = 0 AND sentence IS NOT NULL AND \(condition)
                    ORDER BY not_before, id LIMIT 1
                    """, arguments: arguments)
        }
        guard let id else { return nil }
        return try await submissions(SubmissionSelection(submission: id)).first
    }

    public func attempts(of submission: SubmissionID) async throws(SubmitFailure) -> [AttemptRecord] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM attempt WHERE submission = ? ORDER BY number", arguments: [submission.rawValue]
            ).map { row in
                try AttemptRecord(
                    number: row.value("number"), started: Timestamp(nanoseconds: row.value("started")),
                    ended: Timestamp(nanoseconds: row.value("ended")), outcome: row.value("outcome"),
                    code: row.value("code"),
                    message: row.value("sentence"))
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
                SELECT submission.id, submission.batch, destination, \(SubmissionOptions.columns), state, not_before,
                    tries, settled, remote_id, url, evidence, was_there, note, code, sentence, submission.item,
                    \(MediaItem.columns), marks, submission.recipe, disproved, \(Rendition.columns)
                FROM submission JOIN item ON item.id = submission.item
                    LEFT JOIN rendition ON rendition.submission = submission.id
                WHERE \(condition)
                """, arguments: arguments
        ).map { row in
            let settled: Int64? = try row.value(9)
            let notBefore: Int64 = try row.value(7)
            let evidence: Evidence? = try row.value(12)
            let remoteID: String? = try row.value(10)
            return try SubmissionRecord(
                id: row.value(0), batch: row.value(1), destination: row.value(2), itemID: row.value(17),
                item: MediaItem(row, from: 18), identity: SourceIdentity(row, from: 18),
                options: SubmissionOptions(row, from: 3),
                recipe: row.value(19 + MediaItem.columnCount),
                rendition: Rendition(row, from: 21 + MediaItem.columnCount),
                state: row.value(6),
                notBefore: notBefore == 0 ? nil : Timestamp(nanoseconds: notBefore), tries: row.amount(8),
                settled: settled.map { Timestamp(nanoseconds: $0) },
                receipt: remoteID.map {
                    try Receipt(
                        remoteID: $0, url: row.value(11),
                        evidence: evidence ?? .unknown,
                        wasThere: row.value(13) ?? false, note: row.value(14),
                        marks: Receipt.marks(text: row.value(18 + MediaItem.columnCount)))
                },
                disproved: row.value(20 + MediaItem.columnCount), code: row.value(15), message: row.value(16))
        }
    }
}
