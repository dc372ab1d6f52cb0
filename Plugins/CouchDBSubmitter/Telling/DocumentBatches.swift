internal import Submit

/// Documents as they are told together: not too many, not too many bytes, and none twice.
struct DocumentBatches: Sequence, IteratorProtocol {
    private let documents: [CatalogueDocument]
    private var end = 0

    /// As CouchDB's own replicator sends them.
    static let most = 500
    /// Well below the 8 MB that a document may have, and what proxies let through.
    static let mostBytes = 2 << 20

    init(_ documents: [CatalogueDocument]) {
        self.documents = documents
    }

    mutating func next() -> Range<Int>? {
        let start = end
        var bytes = 0
        var ids: Set<String> = []
        while end < documents.count, end - start < Self.most {
            let document = documents[end]
            bytes += document.body.utf8.count + document.id.utf8.count + 40 * document.revisions.count + 200
            guard end == start || bytes <= Self.mostBytes, ids.insert(document.id).inserted else { break }
            end += 1
        }
        return start < end ? start..<end : nil
    }
}
