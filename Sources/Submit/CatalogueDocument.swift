/// A document of the catalogue, as it is told to whoever keeps one.
///
/// It names no destination and holds no credentials. Whoever tells it has written it down before, with all its revisions.
public struct CatalogueDocument: Sendable, Hashable {
    /// The same whoever makes it: `picture:` and the SHA-256 of the item in lower-case hexadecimal digits, `person:` and a
    /// name, `album:` and a path.
    public var id: String
    /// The revisions of the content, newest first: `3-` and 32 lower-case hexadecimal digits, `2-…`, `1-…`. At most
    /// ``mostRevisions``; of more, the newest. Equal content after equal revisions has an equal revision.
    public var revisions: [String]
    /// A JSON object's text with its members sorted, none of which begins with `_`. Its `type` says what it is, such as
    /// `picture`.
    public var body: String
    /// It was forgotten: what is left of it is a tombstone, which keeps the type and the owner in its body.
    public var isGone: Bool

    /// The most ``revisions`` of a document: CouchDB keeps as many, where nobody says otherwise
    /// (docs.couchdb.org, `_revs_limit`).
    public static let mostRevisions = 1000

    /// - Parameters: see the properties.
    public init(id: String, revisions: [String], body: String, isGone: Bool = false) {
        self.id = id
        self.revisions = revisions
        self.body = body
        self.isGone = isGone
    }
}
