internal import GRDB
internal import Submit
internal import SubmitCatalogue
internal import SubmitDigest
internal import SubmitStore

/// A picture as destinations hear of it that keep a catalogue.
struct FollowedPicture {
    let picture: Int64

    init(_ picture: Int64) { self.picture = picture }

    /// Whether there is such a destination.
    static func isAny(_ db: Database) throws -> Bool {
        try DirectStatement("SELECT EXISTS (SELECT 1 FROM follower)", db).first() == 1
    }

    /// Those to which it was sent have yet to hear what it is now.
    func changed(_ db: Database) throws {
        let statement = try DirectStatement(
            """
            INSERT INTO untold (destination, picture)
                SELECT DISTINCT destination, picture FROM picture_copy
                WHERE picture = ? AND destination IN (SELECT destination FROM follower)
            ON CONFLICT DO UPDATE SET changes = changes + 1, code = NULL, sentence = NULL
            """, db)
        statement.bind(picture)
        try statement.run()
    }

    /// Its documents: those of its owner and its albums, and at the end its own, or what is left of it.
    func documents(_ db: Database) throws -> [CatalogueDocument] {
        if let picture = try CatalogueReading(db).picture(picture) { return try Self.documents(of: picture, db) }
        let statement = try DirectStatement("SELECT sha256, owner FROM picture_gone WHERE id = ?", db)
        statement.bind(picture)
        defer { statement.reset() }
        guard try statement.next() else { return [] }
        let gone = try DocumentBody.gone(
            digest: statement.given(statement.bytes(0)), owner: statement.given(statement.text(1)))
        return [try Self.document(gone, isGone: true, db)]
    }

    static func documents(of picture: CataloguePicture, _ db: Database) throws -> [CatalogueDocument] {
        let followers = Set(try String.readAll(db, sql: "SELECT destination FROM follower"))
        let bodies = [DocumentBody.person(picture.owner)] + picture.albums.map(DocumentBody.album)
        return try (bodies + [DocumentBody.picture(picture, besides: followers)]).map {
            try document($0, isGone: false, db)
        }
    }

    /// With all its revisions, of which this one is written down where its content is another by now.
    private static func document(_ body: DocumentBody, isGone: Bool, _ db: Database) throws -> CatalogueDocument {
        let query = try DirectStatement(
            """
            SELECT generation, digest FROM document_revision WHERE document = ? ORDER BY generation DESC LIMIT ?
            """, db)
        query.bind(body.id)
        query.bind(CatalogueDocument.mostRevisions)
        var revisions: [String] = []
        while try query.next() { revisions.append("\(try query.amount(0) as Int64)-\(try query.given(query.text(1)))") }
        let text = body.text
        let last = revisions.first.map { last in
            (last, CatalogueDocument.revision(after: revisions.dropFirst().first, body: text, isGone: isGone))
        }
        if let last, last.0 == last.1 {
            return CatalogueDocument(id: body.id, revisions: revisions, body: text, isGone: isGone)
        }
        let next = CatalogueDocument(id: body.id, revisions: revisions, body: text).following(
            body: text, isGone: isGone)
        let parts = next.revisions[0].split(separator: "-", maxSplits: 1)
        let write = try DirectStatement("INSERT INTO document_revision VALUES (?, ?, ?)", db)
        write.bind(body.id)
        write.bind(parts.first.flatMap { Int64($0) })
        write.bind(parts.last.map(String.init))
        try write.run()
        return next
    }
}
