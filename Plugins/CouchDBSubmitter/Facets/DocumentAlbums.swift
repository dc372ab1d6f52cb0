internal import Submit
internal import SubmitHTTP

/// Albums are documents of their own, which pictures name.
struct DocumentAlbums: AlbumFacet {
    let database: CouchDatabase
    let telling: CatalogueTelling

    /// Rows that are asked for at once.
    private static let page = 1000

    func list() async throws(SubmitFailure) -> [String] {
        var albums: [String] = []
        try await database.walk(AlbumDocument.prefix, page: Self.page, withContents: false) { row in
            if let id = row.id { albums.append(String(id.dropFirst(AlbumDocument.prefix.count))) }
            return true
        }
        return albums.sorted()
    }

    func create(_ album: String) async throws(SubmitFailure) {
        try await create(album, about: nil)
    }

    /// - Parameter file: the name of the file that goes into it, for sentences.
    func create(_ album: String, about file: String?) async throws(SubmitFailure) {
        let document = AlbumDocument.document(of: album)
        switch try await telling.tell([document]).first {
        // One that somebody else has described is an album all the same.
        case .told?, .wasThere?, .conflict?: return
        case .failed(let failure)?: throw failure
        case .removedThere?:
            // Who asks for an album by its name wants it, also where it was removed before.
            let answer = try await database.send(
                HTTPRequest(
                    method: "PUT", url: database.url(of: document.id), headers: [("Content-Type", "application/json")],
                    body: .bytes(Array(document.body.utf8))), about: file)
            guard answer.isSuccess || answer.status == 409 else { throw database.failure(answer, about: file) }
        case nil: throw database.cut(about: file)
        }
    }
}

extension CouchDatabase {
    /// Looks at all documents whose ids begin so, page by page, until `visit` says that it is enough.
    func walk(
        _ prefix: String, page: Int, withContents: Bool, _ visit: (DocumentRows.Row) -> Bool
    ) async throws(SubmitFailure) {
        var start = prefix
        var isFirst = true
        var ends: Set<String> = []
        while true {
            // Ids are compared by ICU's rules, in which next to nothing comes after U+FFF0
            // (docs.couchdb.org, “View collation”).
            let query =
                "?startkey=\(PercentEncoding.encode(DocumentJSON.string(start)))"
                + "&endkey=\(PercentEncoding.encode(DocumentJSON.string(prefix + "\u{fff0}")))&limit=\(page)"
                + "&include_docs=\(withContents)"
            let answer = try await get("\(url)/_all_docs\(query)")
            guard answer.status == 200, !answer.isPage else { throw failure(answer, about: nil) }
            guard let rows = answer.json(DocumentRows.self)?.rows else { throw cut(about: nil) }
            // A page begins with what the one before ended with.
            for row in rows.dropFirst(isFirst ? 0 : 1) where row.id?.hasPrefix(prefix) ?? false {
                guard visit(row) else { return }
            }
            guard rows.count == page, let last = rows.last?.id, last != start else { return }
            // Who gives the same pages again and again would never end.
            guard ends.insert(last).inserted else { throw cut(about: nil) }
            (start, isFirst) = (last, false)
        }
    }
}
