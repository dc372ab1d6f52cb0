internal import Submit

/// Copies that were stored: whether they are still there, and away with them.
struct RcloneCopies: PresenceFacet, RemovalFacet {
    let remote: RcloneRemote

    func presence(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            try checkPath(receipt.remoteID)
            let digest = try await remote.traits().digest
            guard let file = try await remote.file(receipt.remoteID, digest: digest) else { return .absent }
            guard file.Size == item.size else { return .changed(.size) }
            guard let digest, let theirs = file.Hashes?[digest.rawValue], let ours = item.digests.hexadecimal(digest)
            else { return .present(.size) }
            return theirs.lowercased() == ours ? .present(.verified) : .changed(.digest)
        } catch {
            return .unknown(error.message)
        }
    }

    func presenceReadBack(of item: MediaItem, receipt: Receipt) async -> Presence {
        do throws(SubmitFailure) {
            try checkPath(receipt.remoteID)
            guard let file = try await remote.file(receipt.remoteID) else { return .absent }
            guard file.Size == item.size else { return .changed(.size) }
            let theirs = try await remote.sha256(receipt.remoteID, size: item.size)
            return theirs == item.digests[.sha256] ? .present(.verified) : .changed(.digest)
        } catch {
            return .unknown(error.message)
        }
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
