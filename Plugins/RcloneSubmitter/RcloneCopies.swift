internal import Submit
internal import SubmitTransfer

/// Copies that were stored: whether they are still there, and away with them.
struct RcloneCopies: CopyInspector, RemovalFacet {
    let remote: RcloneRemote

    func inspect(_ item: MediaItem, _ receipt: Receipt, readsBack: Bool) async throws(SubmitFailure) -> Presence {
        let path = receipt.remoteID
        try checkPath(path)
        let digest = readsBack ? nil : try await remote.traits().digest
        guard let file = try await remote.file(path, digest: digest) else { return .absent }
        let verdict = file.findings.verdict(on: item)
        guard readsBack, verdict.evidence != nil else { return verdict.presence }
        return try await remote.readBack(path, item).presence
    }

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        try checkPath(receipt.remoteID)
        try await remote.remove(receipt.remoteID)
    }

    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        try checkPath(album)
        if try await remote.traits().isBucketBased { return }
        try await remote.removeFolder(album)
    }

    /// - Throws: unless it is a path below the root.
    private func checkPath(_ path: String) throws(SubmitFailure) {
        guard PathNames.plain(path) != nil else {
            throw SubmitFailure(.giveUp, code: "path", message: "“\(path)” is no path below “\(remote.root)”.")
        }
    }
}
