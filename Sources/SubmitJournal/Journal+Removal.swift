internal import Foundation
internal import GRDB
public import Submit
public import SystemPackage

/// A source that this process may remove.
public struct RemovableSource: Sendable {
    public let itemID: ItemID
    public let batch: BatchID
    public let item: MediaItem
    public let identity: SourceIdentity
    public let removal: SourceRemoval
    public let state: RemovalState
    /// Where an earlier removal that was broken off may have put it.
    public let aside: FilePath?
}

/// What else has to do with a source: items that are the same file, in this batch or others.
public struct SourceRelations: Sendable {
    /// Other items of the same path, or the same file on disk.
    public var items: [ItemID] = []
    /// Items that came after this are not among them.
    public let newest: ItemID
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
    public func claimRemovals(
        batches: [BatchID]?, after: ItemID, limit: Int
    ) async throws(JournalFailure) -> [RemovableSource] {
        try await write { [self] db in
            let only = batches.map { " AND item.batch IN (\($0.map(String.init).joined(separator: ",")))" } ?? ""
            let me = try process(db)
            let found = try Row.fetchAll(
                db,
                sql: """
                    SELECT removal.item, item.batch, copies, manner, removal.state, aside, \(MediaItem.columns)
                    FROM removal JOIN item ON item.id = removal.item
                    WHERE removal.state < 2 AND removal.item > ? AND (claimed_by IS NULL OR claimed_by = ?)\(only)
                    ORDER BY removal.item LIMIT ?
                    """, arguments: [after, me, limit])
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

    /// The destinations of the items whose sources are yet to be removed; empty where there are none.
    public func removalDestinations(batches: [BatchID]?) throws(JournalFailure) -> [String] {
        let only = batches.map { " AND submission.batch IN (\($0.map(String.init).joined(separator: ",")))" } ?? ""
        return try read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT destination FROM removal JOIN submission ON submission.item = removal.item
                    WHERE removal.state < 2\(only) ORDER BY destination
                    """)
        }
    }

    /// The batches with sources that are yet to be removed, oldest first.
    public func removalBatches() throws(JournalFailure) -> [BatchID] {
        try read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT item.batch FROM removal JOIN item ON item.id = removal.item WHERE removal.state < 2
                    ORDER BY 1
                    """)
        }
    }

    /// Looks once through all items for those that are the same file as one of these.
    ///
    /// - Parameter sources: some thousand at the most.
    public func relations(of sources: [RemovableSource]) throws(JournalFailure) -> [ItemID: SourceRelations] {
        try read { db in
            let newest = try Int64.fetchOne(db, sql: "SELECT ifnull(max(id), 0) FROM item") ?? 0
            var byPath: [Data: [ItemID]] = [:]
            var byFile: [SourceFile: [ItemID]] = [:]
            for source in sources {
                byPath[source.item.source.bytes, default: []].append(source.itemID)
                byFile[SourceFile(source.identity), default: []].append(source.itemID)
            }
            var relations: [ItemID: SourceRelations] = [:]
            for source in sources { relations[source.itemID] = SourceRelations(newest: newest) }
            let rows = try Row.fetchCursor(
                db, sql: "SELECT id, path, inode, device FROM item WHERE id <= ?", arguments: [newest])
            while let row = try rows.next() {
                let id: ItemID = row[0]
                let file = SourceFile(inode: row[2], device: row[3])
                for source in Set((byPath[row[1]] ?? []) + (byFile[file] ?? [])) where source != id {
                    relations[source]?.items.append(id)
                }
            }
            return relations
        }
    }

    /// Writes down that a source is about to be put aside, unless something still needs it.
    ///
    /// - Parameter covers: whether what was asked for in a batch that is not accepted to its end may mean the source.
    /// - Returns: why it is still needed; `nil` when it may go.
    public func beginRemoval(
        of source: RemovableSource, to aside: FilePath, _ relations: SourceRelations,
        covers: @escaping @Sendable (_ request: String) -> Bool
    ) async throws(JournalFailure) -> SourceNeed? {
        try await write { [self] db in
            let me = try process(db)
            guard try Bool.fetchOne(
                db, sql: "SELECT 1 FROM removal WHERE item = ? AND claimed_by = ? AND state < 2",
                arguments: [source.itemID, me]) != nil
            else { return .anotherProcess }
            if let need = try need(of: source, relations, covers, db) { return need }
            try db.execute(
                sql: "UPDATE removal SET state = 1, aside = ? WHERE item = ?",
                arguments: [aside.bytes, source.itemID])
            return nil
        }
    }

    /// Why a source is still needed; `nil` when nothing in the journal needs it.
    public func need(
        of source: RemovableSource, _ relations: SourceRelations,
        covers: @escaping @Sendable (_ request: String) -> Bool
    ) throws(JournalFailure) -> SourceNeed? {
        try read { [self] db in try need(of: source, relations, covers, db) }
    }

    private func need(
        of source: RemovableSource, _ relations: SourceRelations, _ covers: (String) -> Bool, _ db: Database
    ) throws -> SourceNeed? {
        let path = source.item.source
        // Those that came since it was looked who they are, and the others.
        let newer = try Int64.fetchAll(
            db, sql: "SELECT id FROM item WHERE id > ? AND (path = ? OR inode = ? AND device = ?)",
            arguments: [
                relations.newest, path.bytes, Int64(bitPattern: source.identity.inode),
                Int64(bitPattern: source.identity.device),
            ])
        // What was refused beforehand was never tried: it needs no source, since nobody can send it.
        let query = try db.cachedStatement(
            sql: """
                SELECT id, destination, state FROM submission
                WHERE item = ? AND (state IN (0, 1) OR state = 3 AND tries > 0) ORDER BY state LIMIT 1
                """)
        for item in [source.itemID] + relations.items + newer {
            guard let row = try Row.fetchOne(query, arguments: [item]) else { continue }
            return .submission(row[0], destination: row[1], isFailed: row[2] as Int == 3)
        }
        let open = try Row.fetchAll(db, sql: "SELECT id, request FROM batch WHERE sealed = 0 AND request IS NOT NULL")
        return open.first { covers($0[1]) }.map { .acceptance($0[0]) }
    }

    /// Ends a removal, or gives it back as wanted. Where it may have been put aside stays written down.
    ///
    /// - Parameter failure: why it was kept, or is not removed yet.
    public func settleRemoval(
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
                    failure?.sentence, source.itemID,
                ])
        }
    }

    /// Lets others remove a source that was claimed, and leaves all else as it is.
    public func releaseRemoval(of source: RemovableSource) async throws(JournalFailure) {
        try await write { db in
            try db.execute(sql: "UPDATE removal SET claimed_by = NULL WHERE item = ?", arguments: [source.itemID])
        }
    }

    /// How sure it was of the last copy that a destination got and that was proven by what it says by itself.
    public func lastEvidence(at destination: String) throws(JournalFailure) -> Evidence? {
        try read { db in
            let word = try String.fetchOne(
                db,
                sql: """
                    SELECT evidence FROM submission
                    WHERE state = 2 AND destination = ? AND verify IS NULL AND NOT was_there ORDER BY id DESC LIMIT 1
                    """, arguments: [destination])
            return word.flatMap(Evidence.init)
        }
    }

    /// Whether this item's source was removed on purpose.
    public func isSourceRemoved(of item: ItemID) throws(JournalFailure) -> Bool {
        try glance { db in
            try Bool.fetchOne(db, sql: "SELECT 1 FROM removal WHERE item = ? AND state = 2", arguments: [item]) ?? false
        }
    }

    /// How far the removals of some batches have come.
    public func removals(of batches: [BatchID]) throws(JournalFailure) -> RemovalTally {
        try read { db in
            let list = batches.map(String.init).joined(separator: ",")
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT removal.state, count(*) FROM removal JOIN item ON item.id = removal.item
                    WHERE item.batch IN (\(list)) GROUP BY 1
                    """)
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
public enum SourceNeed: Sendable, Hashable {
    case submission(SubmissionID, destination: String, isFailed: Bool)
    /// A batch whose acceptance was cut off: it may be one of its files.
    case acceptance(BatchID)
    /// Another process is at it.
    case anotherProcess
}

/// A file on disk, whatever its names.
private struct SourceFile: Hashable {
    let inode: Int64
    let device: Int64

    init(inode: Int64, device: Int64) {
        self.inode = inode
        self.device = device
    }

    init(_ identity: SourceIdentity) {
        inode = Int64(bitPattern: identity.inode)
        device = Int64(bitPattern: identity.device)
    }
}
