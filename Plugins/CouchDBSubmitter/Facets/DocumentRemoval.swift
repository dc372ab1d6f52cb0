internal import Submit
internal import SubmitHTTP

/// Removes the documents of pictures, and those of albums that no picture names. A tombstone stays that says what it was.
struct DocumentRemoval: RemovalFacet {
    let database: CouchDatabase

    /// Documents that are asked for at once: each may be large.
    private static let page = 100

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        guard PictureDocument.isID(receipt.remoteID) else {
            throw SubmitFailure(
                .giveUp, code: "no-copy",
                message: "“\(receipt.remoteID)” is no picture at “\(database.destination)”; nothing was removed.")
        }
        guard let document = try await database.document(receipt.remoteID) else { return }
        guard document.type == "picture" else {
            throw SubmitFailure(
                .giveUp, code: "no-copy",
                message:
                    "“\(receipt.remoteID)” was made something else at “\(database.destination)”, and was left alone: look what it is."
            )
        }
        try await delete(receipt.remoteID, revision: document.revision, about: nil)
    }

    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        let id = AlbumDocument.prefix + album
        guard let document = try await database.document(id) else { return }
        var isEmpty = true
        try await database.walk(PictureDocument.prefix, page: Self.page, withContents: true) { row in
            isEmpty = !(row.doc?.albums.contains { $0 == album || $0.hasPrefix(album + "/") } ?? false)
            return isEmpty
        }
        guard isEmpty else { return }
        try await delete(id, revision: document.revision, about: nil)
    }

    /// Removes a revision, and nothing that came after it.
    func delete(_ id: String, revision: String, about file: String?) async throws(SubmitFailure) {
        let type = id.prefix { $0 != ":" }
        let body =
            "{\"_deleted\":true,\"_rev\":\(DocumentJSON.string(revision)),\"type\":\(DocumentJSON.string(String(type)))}"
        let answer = try await database.send(
            HTTPRequest(
                method: "PUT", url: database.url(of: id), headers: [("Content-Type", "application/json")],
                body: .bytes(Array(body.utf8))), about: file)
        guard answer.isSuccess else { throw database.failure(answer, about: file) }
    }
}
