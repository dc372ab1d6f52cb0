internal import GRDB
internal import Submit
internal import SubmitCatalogue
internal import SubmitStore

extension SettlementGroup {
    /// Writes down in the catalogue what a claim brought somewhere, in the transaction of its receipt.
    func publish(_ claim: ClaimedSubmission, of owner: String, _ facts: PictureFacts) throws {
        let picture = try PublishedItem(claim, of: owner, facts).write(db)
        if let picture, try hasFollowers() { try FollowedPicture(picture).changed(db) }
    }
}

/// An item of which there is a copy somewhere, as the catalogue takes it in.
struct PublishedItem {
    let item: ItemID
    private(set) var picture: CataloguePicture
    private let facts: PictureFacts

    init(_ claim: ClaimedSubmission, of owner: String, _ facts: PictureFacts) {
        self.init(claim.itemID, claim.item, albums: claim.album.map { [$0] } ?? [], claim.accepted, owner, facts)
    }

    /// - Parameter accepted: when its batch was.
    init(
        _ id: ItemID, _ item: MediaItem, albums: [String], _ accepted: Timestamp, _ owner: String, _ facts: PictureFacts
    ) {
        self.item = id
        self.facts = facts
        picture = CataloguePicture(
            id: id.rawValue, digest: item.digests[.sha256] ?? [], name: item.name, caption: item.caption,
            tags: item.tags, albums: albums, kind: item.type.kind.rawValue, type: item.type.mime, size: item.size,
            captured: item.captured.flatMap(WallClockTime.init), accepted: accepted.nanoseconds, owner: owner)
        facts.describe(&picture)
    }

    /// What its bytes told, as it was kept when the picture was forgotten.
    mutating func take(_ gone: Row) throws { try PictureFacts.restore(gone, to: &picture) }

    /// Of what is there already only what it lacks is taken: what people said since then counts for more.
    ///
    /// - Returns: the picture's number; `nil` where it was forgotten.
    @discardableResult
    func write(_ db: Database) throws -> Int64? {
        if let known = try number("SELECT picture FROM picture_item WHERE item = ?", item.rawValue, db) { return known }
        let digest = picture.digest
        if let known = try number("SELECT id FROM picture WHERE sha256 = ?", digest, db) {
            let isNamed = try CataloguePicture.add(tags: picture.tags, albums: picture.albums, to: known, db)
            let isCaptioned = try addCaption(to: known, db)
            _ = try facts.complete(known, db)
            if isNamed || isCaptioned { try CatalogueWords.expect(known, db) }
            try link(known, db)
            return known
        }
        if try number("SELECT id FROM picture_gone WHERE sha256 = ?", digest, db) != nil { return nil }
        let new = try picture.insert(db)
        try link(new, db)
        return new
    }

    /// The picture that it is; as it would be taken in, where it was not yet; `nil` where it was forgotten.
    func known(_ db: Database) throws -> CataloguePicture? {
        let digest = picture.digest
        if let known = try number("SELECT id FROM picture WHERE sha256 = ?", digest, db) {
            return try CatalogueReading(db).picture(known)
        }
        return try number("SELECT id FROM picture_gone WHERE sha256 = ?", digest, db) == nil ? picture : nil
    }

    /// Where there is none, and nobody took it away.
    private func addCaption(to known: Int64, _ db: Database) throws -> Bool {
        guard let caption = picture.caption else { return false }
        let statement = try DirectStatement(
            """
            UPDATE picture SET caption = ?, caption_folded = ? WHERE id = ? AND caption IS NULL AND revision = 1
            """, db)
        statement.bind(caption)
        statement.bind(TextFolding.folded(caption))
        statement.bind(known)
        try statement.run()
        return db.changesCount > 0
    }

    private func link(_ known: Int64, _ db: Database) throws {
        let statement = try DirectStatement("INSERT INTO picture_item VALUES (?, ?)", db)
        statement.bind(item.rawValue)
        statement.bind(known)
        try statement.run()
    }

    private func number(_ sql: String, _ value: Int64, _ db: Database) throws -> Int64? {
        let statement = try DirectStatement(sql, db)
        statement.bind(value)
        return try statement.first()
    }

    private func number(_ sql: String, _ value: [UInt8], _ db: Database) throws -> Int64? {
        let statement = try DirectStatement(sql, db)
        statement.bind(value)
        return try statement.first()
    }
}
