internal import Submit
internal import SubmitPlatform
package import SystemPackage

/// The folders of this machine in which destinations store their copies. A walk for one of these destinations leaves them out:
/// the copies would be sent to where they are.
package struct CopyFolders: Sendable {
    private var folders: [CopyFolder]

    private struct CopyFolder: Sendable {
        let path: FilePath
        /// `nil` until the folder exists: the first copy creates it, perhaps during the walk.
        var number: FileWalk.FileNumber?
    }

    /// - Parameter paths: absolute ones. The folders need not exist.
    package init(_ paths: [FilePath]) {
        folders = paths.map { CopyFolder(path: $0) }
    }

    init(of destinations: [Destination]) {
        self.init(destinations.compactMap { $0.submitter.facets.home?.folder })
    }

    /// Whether this is one of the folders, by whatever path a walk found it. May block its thread.
    package mutating func contains(_ path: FilePath) -> Bool {
        if folders.isEmpty { return false }
        let number = FileWalk.FileNumber(of: path.string)
        for index in folders.indices {
            if folders[index].number == nil {
                folders[index].number = FileWalk.FileNumber(of: folders[index].path.string)
            }
            if folders[index].number != nil, folders[index].number == number { return true }
        }
        return false
    }
}
