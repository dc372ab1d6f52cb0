internal import Submit

/// Albums as beginnings of keys, up to each `/` below the destination's prefix.
struct KeyPrefixAlbums: AlbumFacet {
    let container: any ObjectContainer
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
                        message: "The list of albums in \(container.place) does not end after \(pages - 1) answers.")
                }
                let page = try await container.prefixes(below: outer, from: continuation)
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
}
