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
        ) { row in pictures.append(CataloguePicture(row)) }
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
}
