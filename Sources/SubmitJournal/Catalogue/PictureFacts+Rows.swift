internal import GRDB
internal import Submit
internal import SubmitCatalogue
internal import SubmitStore

extension PictureFacts {
    /// Writes down of a picture what was not known of it.
    ///
    /// - Returns: whether there was anything.
    func complete(_ picture: Int64, _ db: Database) throws -> Bool {
        let time = captured.flatMap(WallClockTime.init)
        let statement = try DirectStatement(
            """
            UPDATE picture SET width = ifnull(width, ?1), height = ifnull(height, ?2),
                lat = CASE WHEN lat IS NULL THEN ?3 ELSE lat END, lng = CASE WHEN lat IS NULL THEN ?4 ELSE lng END,
                captured = ifnull(captured, ?5),
                captured_offset = CASE WHEN captured IS NULL THEN ?6 ELSE captured_offset END
            WHERE id = ?7 AND (width IS NULL AND ?1 IS NOT NULL OR lat IS NULL AND ?3 IS NOT NULL
                OR captured IS NULL AND ?5 IS NOT NULL)
            """, db)
        statement.bind(width)
        statement.bind(height)
        statement.bind(real: place?.latitude)
        statement.bind(real: place?.longitude)
        statement.bind(time?.seconds)
        statement.bind(time?.offset.map { Int64($0) })
        statement.bind(picture)
        try statement.run()
        return db.changesCount > 0
    }
}
