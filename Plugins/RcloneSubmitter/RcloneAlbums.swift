internal import Submit

/// Albums are folders below the root, however deep; hidden ones are none.
struct RcloneAlbums: AlbumFacet {
    let remote: RcloneRemote

    func list() async throws(SubmitFailure) -> [String] {
        let folders = try await remote.list(["--dirs-only", "--no-modtime"]).map(\.Path)
        return folders.filter { path in !path.split(separator: "/").contains { $0.hasPrefix(".") } }.sorted()
    }

    func create(_ album: String) async throws(SubmitFailure) {
        guard PathNames.plain(album) != nil else {
            throw SubmitFailure(
                .giveUp, code: "album",
                message: "“\(album)” cannot be an album; name it without empty, “.” and “..” parts.")
        }
        try await remote.makeFolder(album)
    }
}
