internal import Foundation
internal import GRDB
public import Submit
public import SystemPackage

/// A source that this process may remove.
package struct RemovableSource: Sendable {
    package let itemID: ItemID
    package let batch: BatchID
    package let item: MediaItem
    package let identity: SourceIdentity
    package let removal: SourceRemoval
    package let state: RemovalState
    /// Where an earlier removal that was broken off may have put it.
    package let aside: FilePath?
}

/// How much of what was wanted removed came to what, in some batches.
public struct RemovalTally: Sendable, Hashable {
    public var wanted = 0
    public var removed = 0
    public var kept = 0

    public init() {}
}

extension Journal {
    /// Claims sources that are to be removed, after `after`, in the order of acceptance.
    ///
    /// - Parameter batches: those of these; `nil` for all.
    package func claimRemovals(
        batches: [BatchID]?, after: ItemID, limit: Int
    ) async throws(JournalFailure) -> [RemovableSource] {
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
                    found += try Row.fetchAll(query, arguments: [after, me, batch, limit])
                    found.sort { ($0[0] as Int64) < ($1[0] as Int64) }
                    found.removeLast(max(0, found.count - limit))
                }
            } else {
                found = try Row.fetchAll(
                    db, sql: "\(select) ORDER BY removal.item LIMIT ?", arguments: [after, me, limit])
            }
            return try found.map { row in
                try db.execute(
                    sql: "UPDATE removal SET claimed_by = ? WHERE item = ?", arguments: [me, row[0] as Int64])
                let aside: Data? = row[5]
                return RemovableSource(
                    itemID: row[0], batch: row[1], item: try MediaItem(row, from: 6),
                    identity: SourceIdentity(row, from: 6),
                    removal: SourceRemoval(copies: row[2], manner: RemovalManner(rawValue: row[3]) ?? .trash),
                    state: RemovalState(rawValue: row[4]) ?? .wanted, aside: aside.map { FilePath(bytes: $0) })
            }
        }
    }

    /// The destinations of the batches with sources that are yet to be removed; empty where there are none.
    public func removalDestinations(batches: [BatchID]?) throws(JournalFailure) -> [String] {
        try read { db in
            let open = try Int64.fetchAll(db, sql: Self.removalBatches)
            let wanted = batches.map(Set.init)
            let query = try db.cachedStatement(sql: "SELECT destination FROM tally WHERE batch = ?")
            var names: Set<String> = []
            for batch in open where wanted?.contains(batch) ?? true {
                names.formUnion(try String.fetchAll(query, arguments: [batch]))
            }
            return names.sorted()
        }
    }

    /// The batches with sources that are yet to be removed, oldest first.
    public func removalBatches() throws(JournalFailure) -> [BatchID] {
        try read { db in try Int64.fetchAll(db, sql: Self.removalBatches) }
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

    /// Whether an acceptance that has not come to its end may mean a source, by what was asked for.
    package typealias Covering = @Sendable (AcceptanceID, _ request: () throws -> String) throws -> Bool

    /// Writes down that a source is about to be put aside, unless something still needs it.
    ///
    /// - Parameter covers: whether what an acceptance that has not come to its end was asked for may mean the source.
    /// - Returns: why it is still needed; `nil` when it may go.
    package func beginRemoval(
        of source: RemovableSource, to aside: FilePath,
        covers: @escaping Covering
    ) async throws(JournalFailure) -> SourceNeed? {
        try await write { [self] db in
            let me = try own.id(db)
            guard try Bool.fetchOne(
                db, sql: "SELECT 1 FROM removal WHERE item = ? AND claimed_by = ? AND state < 2",
                arguments: [source.itemID, me]) != nil
            else { return .anotherProcess }
            if let need = try need(of: source, covers, db) { return need }
            try db.execute(
                sql: "UPDATE removal SET state = 1, aside = ? WHERE item = ?",
                arguments: [aside.bytes, source.itemID])
            return nil
        }
    }

    /// Why a source is still needed; `nil` when nothing in the journal needs it.
    package func need(
        of source: RemovableSource,
        covers: @escaping Covering
    ) throws(JournalFailure) -> SourceNeed? {
        try read { [self] db in try need(of: source, covers, db) }
    }

    private func need(
        of source: RemovableSource, _ covers: Covering, _ db: Database
    ) throws -> SourceNeed? {
        let (path, identity) = (source.item.source, source.identity)
        // Of all items that are the same file. What was refused beforehand was never tried: it needs no source, since
        // nobody can send it.
        let query = try db.cachedStatement(
            sql: """
                SELECT id, destination, state FROM submission
                WHERE item IN (SELECT id FROM item WHERE path = ?
                               UNION SELECT id FROM item WHERE inode = ? AND device = ?)
                    AND (+state IN (0, 1) OR +state = 3 AND tries > 0)
                ORDER BY item <> ?, state
                """)
        let arguments: StatementArguments = [
            path.bytes, Int64(bitPattern: identity.inode), Int64(bitPattern: identity.device), source.itemID,
        ]
        if let row = try Row.fetchOne(query, arguments: arguments) {
            return .submission(row[0], destination: row[1], isFailed: row[2] as Int == 3)
        }
        let open = try Row.fetchAll(db, sql: "SELECT id, batch FROM acceptance")
        let covering = try open.first { row in
            let acceptance: AcceptanceID = row[0]
            return try covers(acceptance) {
                try String.fetchOne(db, sql: "SELECT request FROM acceptance WHERE id = ?", arguments: [acceptance]) ?? ""
            }
        }
        return covering.map { .acceptance($0[1]) }
    }

    /// Ends a removal, or gives it back as wanted. Where it may have been put aside stays written down.
    ///
    /// - Parameter failure: why it was kept, or is not removed yet.
    package func settleRemoval(
        of source: RemovableSource, _ state: RemovalState, _ failure: SubmitFailure? = nil
    ) async throws(JournalFailure) {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE removal SET state = ?, claimed_by = NULL, settled = ?, code = ?, sentence = ?
                    WHERE item = ? AND state < 2
                    """,
                arguments: [
                    state.rawValue, state == .wanted ? nil : Timestamp.now.nanoseconds, failure?.code,
                    failure?.message, source.itemID,
                ])
        }
    }

    /// Lets others remove a source that was claimed, and leaves all else as it is.
    package func releaseRemoval(of source: RemovableSource) async throws(JournalFailure) {
        try await write { db in
            try db.execute(sql: "UPDATE removal SET claimed_by = NULL WHERE item = ?", arguments: [source.itemID])
        }
    }

    /// How sure it was of the last copy that a destination got and that was proven by what it says by itself.
    public func lastEvidence(at destination: String) throws(JournalFailure) -> Evidence? {
        try read { db in
            // Of the last batch that has any, and there among the last: it may have a million.
            let word = try String.fetchOne(
                db,
                sql: """
                    SELECT evidence, max(id) FROM (
                        SELECT * FROM submission
                        WHERE batch = (SELECT max(batch) FROM tally WHERE state = 2 AND destination = ?1)
                        ORDER BY id DESC LIMIT 1000)
                    WHERE state = 2 AND destination = ?1 AND verify IS NULL AND NOT was_there
                    """, arguments: [destination])
            return word.flatMap(Evidence.init)
        }
    }

    /// Where this item's source was put when it was removed on purpose; `nil` where it was not.
    ///
    /// It may have been deleted there since, by us or by its owner.
    public func removedSource(of item: ItemID) throws(JournalFailure) -> FilePath? {
        try glance { db in
            try Data.fetchOne(db, sql: "SELECT aside FROM removal WHERE item = ? AND state = 2", arguments: [item])
                .map { FilePath(bytes: $0) }
        }
    }

    /// How far the removals of some batches have come.
    public func removals(of batches: [BatchID]) throws(JournalFailure) -> RemovalTally {
        try read { db in
            let query = try db.cachedStatement(
                sql: "SELECT state, count(*) FROM removal WHERE batch = ? GROUP BY state")
            let rows = try batches.flatMap { try Row.fetchAll(query, arguments: [$0]) }
            return rows.reduce(into: RemovalTally()) { tally, row in
                switch RemovalState(rawValue: row[0]) {
                case .removed?: tally.removed += row[1] as Int
                case .kept?: tally.kept += row[1] as Int
                default: tally.wanted += row[1] as Int
                }
            }
        }
    }
}

/// What still needs a source.
package enum SourceNeed: Sendable, Hashable {
    case submission(SubmissionID, destination: String, isFailed: Bool)
    /// A batch whose acceptance was cut off: it may be one of its files.
    case acceptance(BatchID)
    /// Another process is at it.
    case anotherProcess
}
