internal import Submit
internal import SystemPackage

/// Albums are folders below the root, however deep; hidden ones are none.
struct LocalAlbums: AlbumFacet {
    let place: LocalPlace

    func list() async throws(SubmitFailure) -> [String] {
        try await place.inFolder([]) { (root) throws(SubmitFailure) in
            guard let root else { return [] }
            var albums: [String] = []
            var open = [("", root)]
            while let (prefix, folder) = open.popLast() {
                if Task.isCancelled { throw .cancelled }
                let names = try SubmitFailure.at(folder.path) { () throws(Errno) in try folder.visibleNames() }
                for name in names {
                    // What cannot be opened as a folder is a file, a link, or not ours to see.
                    guard let child = try? folder.folder(name, creates: false) else { continue }
                    albums.append(prefix + name)
                    open.append((prefix + name + "/", child))
                }
            }
            return albums.sorted()
        }
    }

    func create(_ album: String) async throws(SubmitFailure) {
        guard let names = PathNames.plain(album) else { throw Self.refusal(of: album) }
        let folder = try await place.makingFolder(names) { (folder, _, _) throws(SubmitFailure) in folder }
        _ = try await place.committer.commit(Committer.Request(folder: folder))
    }

    static func refusal(of album: String) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "album", message: "“\(album)” cannot be an album; name it without empty, “.” and “..” parts."
        )
    }
}
