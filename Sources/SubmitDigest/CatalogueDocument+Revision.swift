public import Submit

extension CatalogueDocument {
    /// The revision of a content that comes after another.
    ///
    /// It is a digest of what it follows and what it holds, so that two who write the same after the same write one revision:
    /// of an equal revision CouchDB takes no second body, and says nothing of it.
    ///
    /// - Parameters:
    ///   - parent: the revision that it follows; `nil` for the first.
    ///   - body: see ``body``.
    ///   - isGone: see ``isGone``.
    /// - Returns: such as `3-` and 32 hexadecimal digits: the first half of the SHA-256 of parent, state and body.
    public static func revision(after parent: String?, body: String, isGone: Bool = false) -> String {
        let generation = parent.flatMap { Int($0.prefix { $0 != "-" }) } ?? 0
        var pass = DigestPass([.sha256])
        var text = "\(parent ?? "")\n\(isGone ? "gone" : "there")\n\(body)"
        text.withUTF8 { pass.update(UnsafeRawBufferPointer($0)) }
        let digest = pass.finalize()[.sha256] ?? []
        return "\(generation + 1)-\(Hexadecimal.text(of: Array(digest.prefix(16))))"
    }

    /// A document of one revision.
    public init(id: String, body: String) {
        self.init(id: id, revisions: [Self.revision(after: nil, body: body)], body: body)
    }

    /// The same document with another content after all that it had.
    public func following(body: String, isGone: Bool = false) -> CatalogueDocument {
        let next = Self.revision(after: revisions.first, body: body, isGone: isGone)
        return CatalogueDocument(
            id: id, revisions: [next] + revisions.prefix(Self.mostRevisions - 1), body: body, isGone: isGone)
    }
}
