internal import GRDB
internal import Submit
internal import SubmitStore

extension PublishedItem {
    /// A submission that left a copy.
    static let isPublished = """
        submission.item = item.id AND submission.state = 2 AND submission.evidence IS NOT NULL
            AND NOT \(OldHistory.skipped("submission"))
        """

    /// Takes in some of those that were published before there was a catalogue, or before it was to be looked through anew.
    ///
    /// - Returns: whether there are more.
    static func takeInFormer(limit: Int, _ owner: String, _ db: Database) throws -> Bool {
        guard let row = try Row.fetchOne(db, sql: "SELECT taken, until FROM catalogue WHERE taken < until") else {
            return false
        }
        let (taken, until): (Int64, Int64) = (try row.value(0), try row.value(1))
        let last = try Int64.readOne(
            db,
            sql: "SELECT max(id) FROM (SELECT id FROM item WHERE id > ? AND id <= ? ORDER BY id LIMIT ?)",
            arguments: [taken, until, limit])
        if let last {
            let items = try fetch(
                "item.id > :taken AND item.id <= :last", ["taken": taken, "last": last], owner, db)
            for item in items { try item.write(db) }
        }
        try db.execute(sql: "UPDATE catalogue SET taken = ?", arguments: [last ?? until])
        return true
    }

    /// Those of some items that were published, in the order of acceptance. What their bytes tell is not known of them.
    static func fetch(
        _ condition: String, _ arguments: StatementArguments, _ owner: String, _ db: Database
    ) throws -> [PublishedItem] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT \(MediaItem.columns), item.id, batch.created,
                    (SELECT album FROM submission WHERE \(isPublished) AND album IS NOT NULL LIMIT 1)
                FROM item JOIN batch ON batch.id = item.batch
                WHERE \(condition) AND EXISTS (SELECT 1 FROM submission WHERE \(isPublished)) ORDER BY item.id
                """, arguments: arguments)
        return try rows.map { row in
            let next = MediaItem.columnCount
            let album: String? = try row.value(next + 2)
            return try PublishedItem(
                ItemID(rawValue: row.value(next)), try MediaItem(row, from: 0), albums: album.map { [$0] } ?? [],
                Timestamp(nanoseconds: row.value(next + 1)), owner, PictureFacts())
        }
    }
}
