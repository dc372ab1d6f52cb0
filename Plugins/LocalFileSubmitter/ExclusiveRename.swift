internal import CLinuxFile
internal import Glibc
internal import SystemPackage

/// Giving a file its final name without ever replacing another file.
enum ExclusiveRename {
    /// - Parameter closing: called before an old name is unlinked beside a new one. FUSE calls an open file that is unlinked
    ///   `.fuse_hidden…` until it is closed.
    /// - Returns: false if the name is taken.
    static func rename(
        in directory: CInt, _ from: String, to: String, closing: () -> Void = {}
    ) throws(Errno) -> Bool {
        switch submit_rename_exclusive(directory, from, to) {
        case 0: return true
        case EEXIST: return false
        case EINVAL, ENOSYS: return try linkAndUnlink(in: directory, from, to: to, closing: closing)
        case let error: throw Errno(rawValue: error)
        }
    }

    /// For file systems that cannot refuse to replace when they rename, but have hard links: NFS.
    static func linkAndUnlink(
        in directory: CInt, _ from: String, to: String, closing: () -> Void = {}
    ) throws(Errno) -> Bool {
        if linkat(directory, from, directory, to, 0) == 0 {
            closing()
            guard unlinkat(directory, from, 0) == 0 else { throw Errno(rawValue: errno) }
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, ENOSYS, EMLINK: return try renameOverPlaceholder(in: directory, from, to: to)
        default: throw Errno(rawValue: errno)
        }
    }

    /// Whether names are given as in ``renameOverPlaceholder(in:_:to:)`` here. Finds out by trying with a file of ours.
    static func needsPlaceholder(in directory: CInt, _ from: String, to free: String) -> Bool {
        guard [EINVAL, ENOSYS].contains(submit_rename_exclusive(directory, from, free)) else { return false }
        return linkat(directory, from, directory, free, 0) != 0 && [EPERM, ENOTSUP, ENOSYS, EMLINK].contains(errno)
    }

    /// For file systems that have neither, such as exFAT: an empty file holds the name until it is replaced.
    static func renameOverPlaceholder(in directory: CInt, _ from: String, to: String) throws(Errno) -> Bool {
        let placeholder = openat(directory, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard placeholder >= 0 else {
            if errno == EEXIST { return false }
            throw Errno(rawValue: errno)
        }
        close(placeholder)
        guard renameat(directory, from, directory, to) == 0 else {
            let error = Errno(rawValue: errno)
            unlinkat(directory, to, 0)
            throw error
        }
        return true
    }
}
