internal import GRDB
internal import SubmitCatalogue

extension CataloguePicture {
    /// What stands of it in `picture` itself.
    static let columns: BoundSQL = """
        picture.id, picture.sha256, picture.name, picture.title, picture.caption, picture.kind, picture.type, \
        picture.size, picture.width, picture.height, picture.lat, picture.lng, picture.place, picture.place_shown, \
        picture.captured, picture.captured_offset, picture.accepted, picture.owner
        """

    /// Reads ``columns``.
    init(_ row: DirectStatement) throws {
        let place = try row.real(10).flatMap { latitude in
            try row.real(11).flatMap { CataloguePlace(latitude: latitude, longitude: $0) }
        }
        let captured = try row.integer(14).map {
            WallClockTime(seconds: $0, offset: try row.integer(15).map { Int($0) })
        }
        try self.init(
            id: row.given(row.integer(0)), digest: row.given(row.bytes(1)), name: row.given(row.text(2)),
            title: row.text(3), caption: row.text(4), kind: row.given(row.text(5)), type: row.given(row.text(6)),
            size: row.amount(7),
            width: row.integer(8), height: row.integer(9), place: place, placeName: row.text(12),
            isPlaceShown: row.given(row.integer(13)) == 1, captured: captured,
            accepted: row.given(row.integer(16)), owner: row.given(row.text(17)))
    }

    /// Reads the rest: tags, albums and copies, those of them that are wanted.
    mutating func readLinks(_ fields: Set<CatalogueField>?, _ db: Database) throws {
        func isWanted(_ some: CatalogueField...) -> Bool { fields.map { !$0.isDisjoint(with: some) } ?? true }
        func texts(_ sql: String) throws -> [String] {
            let statement = try DirectStatement(sql, db)
            statement.bind(id)
            var texts: [String] = []
            while try statement.next() { texts.append(try statement.given(statement.text(0))) }
            return texts
        }
        if isWanted(.tags) { tags = try texts(NamedLink.tag.names) }
        if isWanted(.albums) { albums = try texts(NamedLink.album.names) }
        guard isWanted(.destinations, .proven, .evidence, .urls, .copies) else { return }
        let statement = try DirectStatement(
            """
            SELECT picture_copy.destination, picture_copy.evidence, picture_copy.url, picture_copy.remote_id,
                rendition.sha256, rendition.mime, rendition.size
            FROM picture_copy LEFT JOIN rendition ON rendition.submission = picture_copy.submission
            WHERE picture_copy.picture = ? ORDER BY picture_copy.submission
            """, db)
        statement.bind(id)
        // Several submissions may speak of one copy: what proves it counts.
        var places: [[String]: Int] = [:]
        while try statement.next() {
            let rendition = try statement.bytes(4).map { digest in
                try CatalogueRendition(
                    digest: digest, type: statement.given(statement.text(5)), size: statement.amount(6))
            }
            let copy = try CatalogueCopy(
                destination: statement.given(statement.text(0)), evidence: statement.text(1) ?? "",
                url: statement.text(2),
                rendition: rendition)
            let place = try statement.text(3).map { [copy.destination, $0] }
            if let known = place.flatMap({ places[$0] }) {
                if copy.evidence == CatalogueCopy.proof { copies[known] = copy }
            } else {
                if let place { places[place] = copies.count }
                copies.append(copy)
            }
        }
    }

    /// Writes down a picture that is not there, with its tags and albums, and that its words are to be written down. Its copies are
    /// in the submissions. Its number is the next one where it has none.
    ///
    /// - Returns: its number.
    @discardableResult
    func insert(_ db: Database) throws -> Int64 {
        let statement = try DirectStatement(
            """
            INSERT INTO picture (id, sha256, name, name_folded, title, title_folded, caption, caption_folded, kind, type,
                size, width, height, lat, lng, place, place_folded, place_shown, captured, captured_offset, accepted, owner)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, db)
        statement.bind(id > 0 ? id : nil)
        statement.bind(digest)
        for text in [name, title, caption] {
            statement.bind(text)
            statement.bind(text.map(TextFolding.folded))
        }
        statement.bind(kind)
        statement.bind(type)
        statement.bind(size)
        statement.bind(width)
        statement.bind(height)
        statement.bind(real: place?.latitude)
        statement.bind(real: place?.longitude)
        statement.bind(placeName)
        statement.bind(placeName.map(TextFolding.folded))
        statement.bind(isPlaceShown)
        statement.bind(captured?.seconds)
        statement.bind(captured?.offset.map { Int64($0) })
        statement.bind(accepted)
        statement.bind(owner)
        try statement.run()
        let number = db.lastInsertedRowID
        try Self.link(number, to: tags, .tag, db)
        try Self.link(number, to: albums, .album, db)
        try CatalogueWords.expect(number, db)
        return number
    }

    /// Writes down what was edited of one that is there, and that it was.
    ///
    /// - Parameter edited: when: nanoseconds since 1970.
    func update(
        _ differences: [String: PictureRevision.Edit], by editor: String, _ edited: Int64, _ db: Database
    ) throws {
        let statement = try DirectStatement(
            """
            UPDATE picture SET title = ?, title_folded = ?, caption = ?, caption_folded = ?, place = ?, place_folded = ?,
                place_shown = ?, owner = ?, revision = revision + 1 WHERE id = ?
            """, db)
        for text in [title, caption, placeName] {
            statement.bind(text)
            statement.bind(text.map(TextFolding.folded))
        }
        statement.bind(isPlaceShown)
        statement.bind(owner)
        statement.bind(id)
        try statement.run()
        for (field, names, kind) in [(CatalogueField.tags, tags, NamedLink.tag), (.albums, albums, .album)]
        where differences[field.rawValue] != nil {
            let remove = try DirectStatement(kind.remove, db)
            remove.bind(id)
            try remove.run()
            try Self.link(id, to: names, kind, db)
        }
        let note = try DirectStatement(
            "INSERT INTO picture_revision SELECT id, revision, ?, ?, ? FROM picture WHERE id = ?", db)
        note.bind(edited)
        note.bind(editor)
        note.bind(try PictureRevision.text(of: differences))
        note.bind(id)
        try note.run()
        try CatalogueWords.expect(id, db)
    }

    /// Adds the names that a picture has not, behind those that it has.
    ///
    /// - Returns: whether there are any.
    static func add(tags: [String], albums: [String], to picture: Int64, _ db: Database) throws -> Bool {
        var isChanged = false
        for (names, kind) in [(tags, NamedLink.tag), (albums, .album)] where !names.isEmpty {
            let known = try DirectStatement(kind.names, db)
            known.bind(picture)
            var has: [String] = []
            while try known.next() { has.append(try known.given(known.text(0))) }
            let more = once(has + names).dropFirst(has.count)
            try link(picture, to: Array(more), from: has.count, kind, db)
            isChanged = isChanged || !more.isEmpty
        }
        return isChanged
    }

    private static func link(
        _ picture: Int64, to names: [String], from first: Int = 0, _ kind: NamedLink, _ db: Database
    ) throws {
        for (position, name) in zip(first..., names) {
            let write = try DirectStatement(kind.write, db)
            write.bind(name)
            write.bind(TextFolding.folded(name))
            try write.run()
            let link = try DirectStatement(kind.link, db)
            link.bind(picture)
            link.bind(position)
            link.bind(name)
            try link.run()
        }
    }

    /// What pictures are linked to by name.
    enum NamedLink: String, CaseIterable {
        case tag, album

        var write: String { "INSERT INTO \(rawValue) (name, folded) VALUES (?, ?) ON CONFLICT DO NOTHING" }
        var names: String {
            """
            SELECT name FROM picture_\(rawValue) CROSS JOIN \(rawValue) ON \(rawValue).id = picture_\(rawValue).\(rawValue)
            WHERE picture = ? ORDER BY position
            """
        }
        var remove: String { "DELETE FROM picture_\(rawValue) WHERE picture = ?" }
        var link: String {
            "INSERT INTO picture_\(rawValue) (picture, position, \(rawValue)) SELECT ?, ?, id FROM \(rawValue) WHERE name = ?"
        }
    }
}
