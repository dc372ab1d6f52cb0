internal import GRDB
internal import SubmitCatalogue

/// The words of pictures, written down behind acceptance, which they would make dearer by half.
enum CatalogueWords {
    /// Those of a picture are to be written down, or anew.
    static func expect(_ picture: Int64, _ db: Database) throws {
        let statement = try DirectStatement("INSERT OR IGNORE INTO picture_unsearched VALUES (?)", db)
        statement.bind(picture)
        try statement.run()
    }

    /// Writes down those of some pictures that have waited longest.
    ///
    /// - Returns: whether there are more.
    static func write(limit: Int, _ db: Database) throws -> Bool {
        var pictures: [CataloguePicture] = []
        let reading = CatalogueReading(db)
        try reading.rows(
            """
            SELECT \(CataloguePicture.columns) FROM picture_unsearched \
            CROSS JOIN picture ON picture.id = picture_unsearched.picture \
            ORDER BY picture_unsearched.picture LIMIT \(.integer(Int64(limit)))
            """
        ) { row in pictures.append(try CataloguePicture(row)) }
        for var picture in pictures {
            try picture.readLinks([.tags, .albums], db)
            for sql in [
                "DELETE FROM picture_words WHERE picture = ?", "DELETE FROM picture_unsearched WHERE picture = ?",
            ] {
                let statement = try DirectStatement(sql, db)
                statement.bind(picture.id)
                try statement.run()
            }
            let statement = try DirectStatement("INSERT INTO picture_words VALUES (?, ?, ?)", db)
            statement.bind(picture.id)
            statement.bind(picture.searchText)
            statement.bind(picture.searchPlace)
            try statement.run()
        }
        return pictures.count == limit
    }

    /// Those of all pictures are to be written down anew.
    static func forgetAll(_ db: Database) throws {
        // Word by word they would be taken out of the index, which is to be empty anyway.
        try db.execute(
            sql: """
                DROP TRIGGER IF EXISTS picture_words_removed;
                DELETE FROM picture_words;
                \(JournalSchema.wordsRemoved)
                INSERT INTO picture_search (picture_search) VALUES ('delete-all');
                INSERT OR IGNORE INTO picture_unsearched SELECT id FROM picture;
                """)
    }

    /// What is wrong with the index, as a sentence.
    static func flaws(_ db: Database) throws -> [String] {
        do {
            try db.execute(sql: "INSERT INTO picture_search (picture_search, rank) VALUES ('integrity-check', 1)")
            return []
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return ["The index of words is not that of the words which are written down."]
        }
    }
}
