internal import Submit
internal import SubmitHTTP

/// A document and its item in one request, which are there together or not at all (docs.couchdb.org, `PUT /{db}/{docid}`,
/// “Creating multiple attachments”).
///
/// The database compares the item with the MD5 that is sent in the document, and takes neither where it differs (measured at
/// CouchDB 3.5.0, which says 500 then).
struct AttachedUpload: Sendable {
    let database: CouchDatabase
    let item: MediaItem
    let bytes: any MediaBytes
    let context: SubmissionContext

    /// - Parameter path: the document's revision with the item, and what it is joined to, newest first.
    func send(_ document: CatalogueDocument, path: [String]) async throws(SubmitFailure) -> HTTPResponse {
        let digest = item.digests.base64(.md5).map { ",\"digest\":\"md5-\($0)\"" } ?? ""
        let text = DocumentText(
            document, at: 0, path: path,
            attachments: "{\(DocumentJSON.string(CatalogueTelling.attachment)):{\"follows\":true,\"content_type\":"
                + "\(DocumentJSON.string(item.type.mime)),\"length\":\(item.size)\(digest)}}")
        let boundary = Self.boundary()
        let head =
            "--\(boundary)\r\nContent-Type: application/json\r\n\r\n\(text.text)\r\n--\(boundary)\r\n"
            + "Content-Type: \(item.type.mime)\r\n\r\n"
        let start = Int64(head.utf8.count)
        let context = context
        let size = item.size
        var request = HTTPRequest(
            method: "PUT", url: database.url(of: document.id, "?new_edits=false"),
            headers: [("Content-Type", "multipart/related; boundary=\"\(boundary)\"")],
            body: .pieces([.text(head), .media(bytes, 0..<size), .text("\r\n--\(boundary)--")]),
            sent: { context.sent(max(0, min($0 - start, size))) })
        // Who is refused is told so before all is sent.
        request.takesEarlyAnswer = true
        return try await database.send(request, about: item.name)
    }

    /// Nobody can have put it into an item.
    private static func boundary() -> String {
        String(UInt128.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}
