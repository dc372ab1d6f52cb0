internal import CLinuxFile
internal import Glibc
internal import SystemPackage

/// Giving a file its final name without ever replacing another file.
enum ExclusiveRename {
    /// Returns false if the name is taken.
    static func rename(in directory: CInt, _ from: String, to: String) throws(Errno) -> Bool {
        switch submit_rename_exclusive(directory, from, to) {
        case 0: return true
        case EEXIST: return false
        case EINVAL, ENOSYS: return try linkAndUnlink(in: directory, from, to: to)
        case let error: throw Errno(rawValue: error)
        }
    }

    /// For file systems that cannot refuse to replace when they rename, but have hard links: NFS.
    static func linkAndUnlink(in directory: CInt, _ from: String, to: String) throws(Errno) -> Bool {
        if linkat(directory, from, directory, to, 0) == 0 {
            guard unlinkat(directory, from, 0) == 0 else { throw Errno(rawValue: errno) }
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, ENOTSUP, ENOSYS, EMLINK: return try renameOverPlaceholder(in: directory, from, to: to)
        default: throw Errno(rawValue: errno)
        }
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
