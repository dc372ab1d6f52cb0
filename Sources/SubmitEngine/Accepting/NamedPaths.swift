internal import SubmitPlatform
internal import SystemPackage

/// The paths that a walk begins with, each once, however often and in whatever way it is written.
///
/// A file is the same where its folder and its name are: hard links and links of other names are others.
struct NamedPaths {
    /// In their order.
    private(set) var paths: [FilePath] = []
    private var places: Set<Place> = []
    /// The folder that was looked at last: mostly the next path's, too.
    private var folder: (path: FilePath, number: FileWalk.FileNumber)?

    private struct Place: Hashable {
        /// A folder's own, or that of a file's folder.
        let folder: FileWalk.FileNumber
        let name: FilePath.Component?
    }

    init(_ paths: [FilePath]) {
        guard paths.count > 1 else {
            self.paths = paths
            return
        }
        for path in paths {
            var status = stat()
            // What is not there is refused each time.
            guard path.withPlatformString({ stat($0, &status) }) == 0, let place = place(of: path, status) else {
                self.paths.append(path)
                continue
            }
            if places.insert(place).inserted { self.paths.append(path) }
        }
    }

    /// Whether what a walk comes upon was named itself.
    mutating func contains(_ path: FilePath, _ status: stat) -> Bool {
        if places.isEmpty { return false }
        return place(of: path, status).map(places.contains) ?? false
    }

    private mutating func place(of path: FilePath, _ status: stat) -> Place? {
        if status.st_mode & S_IFMT == S_IFDIR { return Place(folder: FileWalk.FileNumber(status), name: nil) }
        let parent = path.removingLastComponent()
        if folder?.path != parent {
            var status = stat()
            let isThere = parent.withPlatformString { stat($0, &status) } == 0
            folder = isThere ? (parent, FileWalk.FileNumber(status)) : nil
        }
        guard let folder else { return nil }
        return Place(folder: folder.number, name: path.lastComponent)
    }
}
