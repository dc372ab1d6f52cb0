internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// Removes copies, and folders that nothing is in. Nothing outside of the root can be reached.
struct LocalRemoval: RemovalFacet {
    let place: LocalPlace

    func remove(_ receipt: Receipt) async throws(SubmitFailure) {
        guard var names = PathNames.plain(receipt.remoteID) else {
            throw SubmitFailure(
                .giveUp, code: "no-copy",
                message: "“\(receipt.remoteID)” is no path below “\(place.root)”; nothing was removed."
            )
        }
        let name = names.removeLast()
        let parents = names
        let changed = try await place.inFolder(parents) { (folder) throws(SubmitFailure) -> Folder? in
            var status = stat()
            // A folder or a link is no copy.
            guard let folder, fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            return try remove(name, from: folder, flags: 0) ? folder : nil
        }
        if let changed { _ = try await place.committer.commit(Committer.Request(folder: changed)) }
    }

    func removeAlbum(_ album: String) async throws(SubmitFailure) {
        guard var names = PathNames.plain(album) else { throw LocalAlbums.refusal(of: album) }
        let name = names.removeLast()
        let parents = names
        let changed = try await place.inFolder(parents, isSpelled: false) { (folder) throws(SubmitFailure) -> Folder? in
            guard let folder else { return nil }
            let name = try place.names.manners(for: [name], in: folder.root).fitted(name)
            return try remove(name, from: folder, flags: AT_REMOVEDIR) ? folder : nil
        }
        if let changed { _ = try await place.committer.commit(Committer.Request(folder: changed)) }
    }

    /// - Returns: whether something was removed.
    private func remove(_ name: String, from folder: Folder, flags: CInt) throws(SubmitFailure) -> Bool {
        guard unlinkat(folder.descriptor, name, flags) == 0 else {
            if [ENOENT, ENOTEMPTY, EEXIST].contains(errno) { return false }
            throw .file(Errno(rawValue: errno), "\(folder.path)/\(name)")
        }
        return true
    }
}
