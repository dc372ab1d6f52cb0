internal import Submit
internal import SubmitHTTP

/// Removes files, and collections that nothing is in.
///
/// What others have locked stays, with the failure that names the lock.
struct ResourceRemoval: RemovalFacet {
    let server: DAVServer
    let discovery: DAVDiscovery
    let collections: Collections
    /// What we put beside a file with its caption goes with it.
    let removesSidecars: Bool

    private static let lockOwner = "submit removal"

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        let profile = try await discovery.profile()
        guard let path = path(receipt.remoteID, on: profile) else {
            throw SubmitFailure(
                .giveUp, code: "no-copy",
                message:
                    "“\(receipt.remoteID)” is no path in the folder of “\(server.destination)”; nothing was removed.")
        }
        guard try await file(path, on: profile) != nil else { return }
        try await delete(path)
        guard try await file(path, on: profile) == nil else { throw .notRemoved(path, at: server.destination) }
        guard removesSidecars, let parent = path.parent, let name = XMPSidecar.name(beside: path.name ?? "") else {
            return
        }
        let beside = parent.appending(name)
        guard let size = try await file(beside, on: profile)?.size, XMPSidecar.sizes.contains(size),
            let content = try await server.reader(of: beside, size: size, about: name).read(0..<size),
            XMPSidecar.isOne(content)
        else { return }
        try await delete(beside)
    }

    /// DELETE removes a collection with all that is in it (RFC 4918, section 9.6.1), so that it is looked at first.
    private func file(_ path: DAVPath, on profile: ServerProfile) async throws(SubmitFailure) -> StoredFile? {
        let file = try await server.file(path, lists: profile.lists, about: path.name)
        return file?.isCollection ?? true ? nil : file
    }

    /// What others store in it between the look and the removal goes with it: WebDAV has no way to prevent that.
    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        let profile = try await discovery.profile()
        guard let named = path(album, on: profile) else {
            throw SubmitFailure(
                .giveUp, code: "album",
                message: "“\(album)” cannot be an album; name it without empty, “.” and “..” parts.")
        }
        let path = named.segments.dropFirst(discovery.base(of: profile).depth).reduce(discovery.base(of: profile)) {
            $0.appending(profile.names.fitted($1), isCollection: true)
        }
        guard profile.lists else {
            throw SubmitFailure(
                .giveUp, code: "no-list",
                message: "Whether the album “\(album)” is empty cannot be told: “\(server.destination)” lists nothing.")
        }
        guard try await server.isEmptyCollection(path) else { return }
        try await delete(path)
        collections.forget(path)
    }

    private func delete(_ path: DAVPath) async throws(SubmitFailure) {
        let scope = DAVServer.LockScope(path: path, owner: Self.lockOwner, life: DAVServer.shortestLife)
        try await server.locking(scope, about: path.name) { () async throws(SubmitFailure) in
            try await server.delete(path, about: path.name)
        }
    }

    /// A path below the destination's folder; `nil` for one that leads elsewhere.
    private func path(_ text: String, on profile: ServerProfile) -> DAVPath? {
        PathNames.plain(text)?.reduce(discovery.base(of: profile)) { $0.appending($1) }
    }
}

extension DAVServer {
    /// Whether the server says that a collection is there and nothing in it. What it says nothing of may hold anything.
    func isEmptyCollection(_ path: DAVPath) async throws(SubmitFailure) -> Bool {
        guard let listing = try await list(path) else { return false }
        return listing.itself?.isCollection ?? false && listing.members.isEmpty && listing.refused.isEmpty
            && listing.isWhole
    }
}
