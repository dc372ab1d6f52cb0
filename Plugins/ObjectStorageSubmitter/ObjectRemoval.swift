internal import Submit

/// Removes objects below the destination's prefix, and containers that were albums.
struct ObjectRemoval: RemovalFacet {
    let prefix: String
    let locate: @Sendable (_ remoteID: String) throws(SubmitFailure) -> (any ObjectContainer, key: String)
    /// The container that an album is; `nil` where it is none.
    let album: @Sendable (_ name: String) throws(SubmitFailure) -> (any ObjectContainer)?
    let creation: ContainerCreation

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        let (container, key) = try locate(receipt.remoteID)
        // Dots have a meaning in URLs, and would lead to another key or container.
        guard PathNames.plain(key) != nil, prefix.isEmpty || key.hasPrefix(prefix + "/") else {
            let root = prefix.isEmpty ? container.place : "“\(prefix)” in \(container.place)"
            throw SubmitFailure(
                .giveUp, code: "no-copy", message: "“\(receipt.remoteID)” is no key below \(root); nothing was removed."
            )
        }
        try await container.remove(key)
    }

    func removeAlbum(_ name: String) async throws(SubmitFailure) {
        guard let container = try album(name) else { return }
        creation.forget(container.name)
        try await container.removeIfEmpty()
    }
}
