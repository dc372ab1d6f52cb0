internal import Submit
internal import SubmitHTTP

/// Albums as beginnings of keys, up to each `/` below the destination's prefix.
struct KeyPrefixAlbums: AlbumFacet {
    let bucket: Bucket
    let prefix: String

    /// How many answers are read for one list.
    private static let mostPages = 10_000

    func list() async throws(SubmitFailure) -> [String] {
        let root = prefix.isEmpty ? "" : prefix + "/"
        var albums: [String] = []
        var unlisted = [root]
        var pages = 0
        while let outer = unlisted.popLast() {
            var continuation: String?
            repeat {
                pages += 1
                guard pages <= Self.mostPages else {
                    throw SubmitFailure(
                        .giveUp, code: "too-many-albums",
                        "The list of albums in the bucket “\(bucket.name)” does not end after \(pages - 1) answers.")
                }
                let page = try await page(below: outer, from: continuation)
                // A server that repeats what it was asked for would have us ask for ever.
                let inner = page.prefixes.filter { $0.hasPrefix(outer) && $0.utf8.count > outer.utf8.count }
                unlisted += inner
                albums += inner.map { String($0.dropFirst(root.count).dropLast($0.hasSuffix("/") ? 1 : 0)) }
                continuation = page.next
            } while continuation != nil
        }
        return Set(albums).filter { !$0.isEmpty }.sorted()
    }

    /// Nothing: an album is there as soon as something is in it.
    func create(_ album: String) async throws(SubmitFailure) {}

    private func page(below outer: String, from continuation: String?) async throws(SubmitFailure) -> ListedPrefixes {
        var query = "delimiter=%2F&encoding-type=url&list-type=2"
        if !outer.isEmpty { query += "&prefix=" + PercentEncoding.encode(outer) }
        if let continuation { query += "&continuation-token=" + PercentEncoding.encode(continuation) }
        let answer = try await bucket.send("GET", nil, query: query, responseLimit: 8 << 20)
        guard answer.status == 200, let page = ListedPrefixes(answer.body) else {
            throw bucket.failure(answer, file: nil)
        }
        return page
    }
}
