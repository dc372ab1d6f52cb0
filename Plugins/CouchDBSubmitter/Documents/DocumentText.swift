internal import Submit

/// A document as CouchDB is told it by `new_edits=false`: its body, and what it is to be under.
struct DocumentText: Sendable {
    /// The document's place among those that are told.
    let index: Int
    let revision: String
    let text: String

    /// - Parameters:
    ///   - path: its revision and what it is joined to, newest first.
    ///   - attachments: the JSON object of `_attachments`; `nil` for none. What has any is there, also where its picture is
    ///     forgotten.
    init(_ document: CatalogueDocument, at index: Int, path: [String], attachments: String? = nil) {
        self.index = index
        revision = path.first ?? ""
        let digests = path.map { String($0.drop { $0 != "-" }.dropFirst()) }
        var members = [
            "\"_id\":\(DocumentJSON.string(document.id))", "\"_rev\":\(DocumentJSON.string(revision))",
            "\"_revisions\":{\"start\":\(revision.prefix { $0 != "-" }),\"ids\":\(DocumentJSON.array(digests))}",
        ]
        if document.isGone, attachments == nil { members.append("\"_deleted\":true") }
        if let attachments { members.append("\"_attachments\":\(attachments)") }
        // Of two members of one name CouchDB takes the last: a body can change none of ours.
        let body =
            document.body.prefix { $0 != "}" }.utf8.allSatisfy { [0x7b, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
            ? "{" : String(document.body[..<(document.body.lastIndex(of: "}") ?? document.body.endIndex)]) + ","
        text = body + members.joined(separator: ",") + "}"
    }
}
