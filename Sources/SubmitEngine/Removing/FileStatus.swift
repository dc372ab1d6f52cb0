internal import CLinux
internal import Submit
internal import SubmitPlatform
internal import SubmitStore
internal import SystemPackage

/// What the file system says of a name.
struct FileStatus {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let modified: Timestamp
    let owner: uid_t
    let isFile: Bool
    let isFolder: Bool
    let isSticky: Bool

    static func of(_ path: FilePath, followsLinks: Bool = false) throws(Errno) -> FileStatus {
        var status = stat()
        let result = path.withPlatformString { followsLinks ? stat($0, &status) : lstat($0, &status) }
        guard result == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: SourceIdentity(status).modified, owner: status.st_uid,
            isFile: status.st_mode & S_IFMT == S_IFREG, isFolder: status.st_mode & S_IFMT == S_IFDIR,
            isSticky: status.st_mode & S_ISVTX != 0)
    }

    /// Whether anything has the name. A name that cannot be looked at counts as taken.
    static func exists(_ path: FilePath) -> Bool {
        do throws(Errno) {
            _ = try of(path)
            return true
        } catch {
            return error != .noSuchFileOrDirectory && error != .notDirectory
        }
    }
}

extension FilePath {
    /// Gives a file another name on its disk, and replaces nothing.
    func renamed(to other: FilePath) throws(Errno) {
        let result = withPlatformString { from in
            // Absolute paths: no folder to begin at is needed.
            other.withPlatformString { submit_rename_exclusive(AT_FDCWD, from, $0) }
        }
        if result == 0 { return }
        let error = Errno(rawValue: result)
        // Some file systems cannot refuse to replace when they rename, but have hard links: NFS. Some have neither.
        guard error == .invalidArgument || error == .noFunction else { throw error }
        if withPlatformString({ from in other.withPlatformString { link(from, $0) } }) == 0 {
            guard withPlatformString({ unlink($0) }) == 0 else { throw Errno(rawValue: errno) }
            return
        }
        guard errno != EEXIST, !FileStatus.exists(other) else { throw .fileExists }
        guard withPlatformString({ from in other.withPlatformString { rename(from, $0) } }) == 0 else {
            throw Errno(rawValue: errno)
        }
    }
}
