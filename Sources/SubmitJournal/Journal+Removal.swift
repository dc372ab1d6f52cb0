internal import Foundation
internal import GRDB
public import Submit
public import SystemPackage

extension Journal {
    package func want(_ removal: SourceRemoval, of items: [ItemID]) async throws(SubmitFailure) {
        try await write { db in
            let insert = try db.cachedStatement(
                sql: """
                    INSERT INTO removal (item, batch, copies, manner)
                    SELECT id, batch, ?2, ?3 FROM item WHERE id = ?1
                    ON CONFLICT DO UPDATE SET copies = ?2, manner = ?3, state = 0, code = NULL, sentence = NULL,
                        settled = NULL, aside = iif(state = 0, aside, NULL)
                        WHERE claimed_by IS NULL AND state <> 1
                    """)
            for item in items {
                try insert.execute(arguments: [item.rawValue, removal.copies, removal.manner.rawValue])
            }
        }
    }

    package func claimRemovals(
        batches: [BatchID]?, after: ItemID, limit: Int
    ) async throws(SubmitFailure) -> [RemovableSource] {
        try await write { [self] db in
            let me = try own.id(db)
            let select = """
                SELECT removal.item, removal.batch, copies, manner, removal.state, aside, \(MediaItem.columns)
                FROM removal JOIN item ON item.id = removal.item
                WHERE removal.state < 2 AND removal.item > ? AND (claimed_by IS NULL OR +claimed_by = ?)
                """
            var found: [Row] = []
            if let batches {
                let query = try db.cachedStatement(
                    sql: "\(select) AND removal.batch = ? ORDER BY removal.item LIMIT ?")
                for batch in Set(batches) {
                    found += try Row.fetchAll(query, arguments: [after.rawValue, me.rawValue, batch.rawValue, limit])
                    try found.sort { try ($0.value(0) as ItemID) < ($1.value(0) as ItemID) }
                    found.removeLast(max(0, found.count - limit))
                }
            } else {
                found = try Row.fetchAll(
                    db, sql: "\(select) ORDER BY removal.item LIMIT ?", arguments: [after.rawValue, me.rawValue, limit])
            }
            return try found.map { row in
                try db.execute(
                    sql: "UPDATE removal SET claimed_by = ? WHERE item = ?",
                    arguments: [me.rawValue, try row.value(0) as Int64])
                let aside: Data? = try row.value(5)
                return try RemovableSource(
                    itemID: row.value(0), batch: row.value(1), item: try MediaItem(row, from: 6),
                    identity: SourceIdentity(row, from: 6),
                    removal: SourceRemoval(
                        copies: row.amount(2), manner: row.value(3)),
                    state: row.value(4), aside: aside.map { FilePath(bytes: $0) })
            }
        }
    }

    public func removalBatches() async throws(SubmitFailure) -> [BatchID] {
        try await read { db in try BatchID.readAll(db, sql: Self.removalBatches) }
    }

    /// The batches with sources that are yet to be removed, from batch to batch: one may have a million.
    static let removalBatches = """
        WITH RECURSIVE open (batch) AS (
            SELECT min(batch) FROM removal INDEXED BY removal_open_batch WHERE state < 2
            UNION ALL
            SELECT (SELECT min(batch) FROM removal INDEXED BY removal_open_batch
                    WHERE state < 2 AND batch > open.batch)
            FROM open WHERE batch IS NOT NULL
        )
        SELECT batch FROM open WHERE batch IS NOT NULL
        """

    package func beginRemoval(
        of source: RemovableSource, to aside: FilePath, besides others: Set<AcceptanceID>
    ) async throws(SubmitFailure) -> SourceNeed? {
        try await write { [self] db in
            let me = try own.id(db)
            guard
                try Bool.readOne(
                    db, sql: "SELECT 1 FROM removal WHERE item = ? AND claimed_by = ? AND state < 2",
                    arguments: [source.itemID.rawValue, me.rawValue]) != nil
            else { return .anotherProcess }
            if let need = try Self.need(of: source, others, db) { return need }
            try db.execute(
                sql: "UPDATE removal SET state = 1, aside = ? WHERE item = ?",
                arguments: [aside.bytes, source.itemID.rawValue])
            return nil
        }
    }

    package func need(
        of source: RemovableSource, besides others: Set<AcceptanceID>
    ) async throws(SubmitFailure) -> SourceNeed? {
        try await read { db in try Self.need(of: source, others, db) }
    }

    private static func need(
        of source: RemovableSource, _ others: Set<AcceptanceID>, _ db: Database
    ) throws -> SourceNeed? {
        let (path, identity) = (source.item.source, source.identity)
        // Of all items that are the same file. What was refused beforehand was never tried: it needs no source, since
        // nobody can send it. What failed and arrived later, with the same words, needs none either.
        let query = try db.cachedStatement(
            sql: """
                WITH same AS (SELECT id FROM item WHERE path = ?1
                              UNION SELECT id FROM item WHERE inode = ?2 AND device = ?3)
                SELECT submission.id, destination, state FROM submission JOIN item ON item.id = submission.item
                WHERE submission.item IN (SELECT id FROM same)
                    AND (+state IN (0, 1) OR +state = 3 AND tries > 0 AND NOT EXISTS (
                        SELECT 1 FROM submission AS later JOIN item AS its ON its.id = later.item
                        WHERE later.item IN (SELECT id FROM same) AND later.id > submission.id AND +later.state = 2
                            AND later.destination = submission.destination AND later.album IS submission.album
                            AND its.sha256 = item.sha256 AND its.caption IS item.caption AND its.tags IS item.tags
                            AND NOT (later.was_there = 1 AND later.evidence = 'unknown')))
                ORDER BY submission.item <> ?4, state
                """)
        let arguments: StatementArguments = [
            path.bytes, Int64(bitPattern: identity.inode), Int64(bitPattern: identity.device), source.itemID.rawValue,
        ]
        if let row = try Row.fetchOne(query, arguments: arguments) {
            return try .submission(
                row.value(0), destination: row.value(1), isFailed: row.value(2) as SubmissionState == .failed)
        }
        // Requests may be long, and are the same for all sources.
        let open = try AcceptanceID.readAll(db, sql: "SELECT id FROM acceptance ORDER BY id").first {
            !others.contains($0)
        }
        return try open.flatMap {
            try OpenAcceptance.fetch(db, "id = ?", [$0.rawValue]).first.map(SourceNeed.acceptance)
        }
    }

    package func settleRemoval(of source: RemovableSource, _ end: RemovalEnd) async throws(SubmitFailure) {
        try await write { [own, clock] db in
            let mine: StatementArguments = [source.itemID.rawValue, own.registered?.rawValue]
            func settle(_ state: RemovalState, _ failure: SubmitFailure?) throws {
                let settled = state == .wanted ? nil : clock().nanoseconds
                try db.execute(
                    sql: """
                        UPDATE removal SET state = ?, claimed_by = NULL, settled = ?, code = ?, sentence = ?
                        WHERE item = ? AND claimed_by = ? AND state < 2
                        """, arguments: [state.rawValue, settled, failure?.code, failure?.message] + mine)
            }
            switch end {
            case .removed: try settle(.removed, nil)
            case .kept(let failure): try settle(.kept, failure)
            case .wanted(let failure): try settle(.wanted, failure)
            case .released:
                try db.execute(
                    sql: "UPDATE removal SET claimed_by = NULL WHERE item = ? AND claimed_by = ?", arguments: mine)
            case .takenBack:
                try db.execute(
                    sql: "DELETE FROM removal WHERE item = ? AND claimed_by = ? AND state < 2", arguments: mine)
            }
        }
    }

    public func lastEvidence(at destination: String) async throws(SubmitFailure) -> Evidence? {
        try await read { db in
            // Of the last batch that has any, and there among the last: it may have a million.
            try Evidence.readOne(
                db,
                sql: """
                    SELECT evidence, max(id) FROM (
                        SELECT * FROM submission
                        WHERE batch = (SELECT max(batch) FROM tally WHERE state = 2 AND destination = ?1)
                        ORDER BY id DESC LIMIT 1000)
                    WHERE state = 2 AND destination = ?1 AND verify IS NULL AND NOT was_there
                    """, arguments: [destination])
        }
    }

    public func removedSource(of item: ItemID) async throws(SubmitFailure) -> FilePath? {
        try glance { db in
            try Data.readOne(
                db, sql: "SELECT aside FROM removal WHERE item = ? AND state = 2", arguments: [item.rawValue]
            )
            .map { FilePath(bytes: $0) }
        }
    }

    public func removals(of batches: [BatchID]) async throws(SubmitFailure) -> RemovalTally {
        try await read { db in
            let query = try db.cachedStatement(
                sql: "SELECT state, count(*) FROM removal WHERE batch = ? GROUP BY state")
            let rows = try batches.flatMap { try Row.fetchAll(query, arguments: [$0.rawValue]) }
            return try rows.reduce(into: RemovalTally()) { tally, row in
                let count: Int = try row.value(1)
                switch try row.value(0) as RemovalState {
                case .removed: tally.removed += count
                case .kept: tally.kept += count
                default: tally.wanted += count
                }
            }
        }
    }
}
