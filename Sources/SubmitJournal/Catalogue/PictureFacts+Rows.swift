internal import GRDB
internal import Submit
internal import SubmitCatalogue
internal import SubmitStore

extension PictureFacts {
    /// The columns of `picture` that hold them, and of `picture_gone`.
    static let columns = "width, height, lat, lng, captured, captured_offset"

    /// Takes those that are kept in a row of `picture_gone`.
    static func restore(_ gone: Row, to picture: inout CataloguePicture) throws {
        (picture.width, picture.height) = (try gone.value("width"), try gone.value("height"))
        if let latitude: Double = try gone.value("lat"), let longitude: Double = try gone.value("lng") {
            picture.place = CataloguePlace(latitude: latitude, longitude: longitude)
        }
        let captured: Int64? = try gone.value("captured")
        picture.captured = try captured.map { WallClockTime(seconds: $0, offset: try gone.value("captured_offset")) }
    }

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
