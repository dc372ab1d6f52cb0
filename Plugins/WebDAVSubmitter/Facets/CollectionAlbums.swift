internal import Submit
internal import SubmitXML

/// Albums as collections.
struct CollectionAlbums: AlbumFacet {
    let server: DAVServer
    let discovery: DAVDiscovery
    let collections: Collections

    func list() async throws(SubmitFailure) -> [String] {
        let base = discovery.base(of: try await discovery.profile())
        var albums: [String] = []
        try await server.walk(base) { path, members throws(SubmitFailure) in
            albums += members.filter(\.isCollection).map {
                $0.path.segments.dropFirst(base.segments.count).joined(separator: "/")
            }
        }
        return Set(albums).sorted()
    }

    func create(_ album: String) async throws(SubmitFailure) {
        let profile = try await discovery.profile()
        let path = PathNames.split(album).filter { !$0.isEmpty }.reduce(discovery.base(of: profile)) {
            $0.appending(profile.names.fitted($1), isCollection: true)
        }
        try await collections.ensure(path, on: profile)
    }
}

extension DAVServer {
    /// How many collections one walk looks into.
    private static let mostCollections = 10_000

    /// Lists a collection and all that are in it, one after the other: servers refuse to do that at once.
    ///
    /// - Throws: `too-many-albums` where that does not end.
    func walk(
        _ base: DAVPath, _ properties: [XMLName] = DAVResource.properties,
        _ visit: (DAVPath, [DAVResource]) throws(SubmitFailure) -> Void
    ) async throws(SubmitFailure) {
        var unlisted = [base]
        var seen: Set<DAVPath> = [base]
        while let path = unlisted.popLast() {
            guard seen.count <= Self.mostCollections else {
                throw SubmitFailure(
                    .giveUp, code: "too-many-albums",
                    message:
                        "There are more than \(Self.mostCollections) folders below “\(base)” at “\(destination)”: choose a "
                        + "“folder” with fewer.")
            }
            guard let listing = try await list(path, properties: properties) else { continue }
            try visit(path, listing.members)
            unlisted += listing.members.filter(\.isCollection).map(\.path).filter { seen.insert($0).inserted }
        }
    }
}
