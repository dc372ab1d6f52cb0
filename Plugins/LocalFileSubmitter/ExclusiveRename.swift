internal import CLinux
internal import SubmitPlatform
internal import SystemPackage

/// Giving a file its final name without ever replacing another file.
enum ExclusiveRename {
    /// With which file systems say that they cannot refuse to replace.
    private static let unknown = [EINVAL, ENOSYS, EOPNOTSUPP]
    /// With which they say that they have no hard links; the last where they count none at all.
    private static let unlinkable = [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, ENOENT]

    /// - Parameter from: a file that nobody has open: some file systems rename no others, or keep them under another name.
    /// - Returns: false if the name is taken.
    static func rename(in directory: CInt, _ from: String, to: String) throws(Errno) -> Bool {
        switch submit_rename_exclusive(directory, from, to) {
        case 0: return true
        case EEXIST: return false
        case let error where unknown.contains(error): return try linkAndUnlink(in: directory, from, to: to)
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
        case let error where unlinkable.contains(error): return try renameOverPlaceholder(in: directory, from, to: to)
        case let error: throw Errno(rawValue: error)
        }
    }

    /// Whether names are given as in ``renameOverPlaceholder(in:_:to:)`` here. Finds out by trying with a file of ours.
    static func needsPlaceholder(in directory: CInt, _ from: String, to free: String) -> Bool {
        guard unknown.contains(submit_rename_exclusive(directory, from, free)) else { return false }
        return linkat(directory, from, directory, free, 0) != 0 && unlinkable.contains(errno)
    }

    /// For file systems that have neither, such as exFAT: an empty file holds the name until it is replaced.
    static func renameOverPlaceholder(in directory: CInt, _ from: String, to: String) throws(Errno) -> Bool {
        let placeholder = openat(directory, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard placeholder >= 0 else {
            if errno == EEXIST { return false }
            throw Errno(rawValue: errno)
        }
        close(placeholder)
        if renameat(directory, from, directory, to) == 0 { return true }
        let error = Errno(rawValue: errno)
        // It may have been done all the same, as by a server whose answer was lost. All twice, as an empty file would be
        // another's for whoever tries again.
        guard (0..<2).contains(where: { _ in isEmpty(to, in: directory) }) else { throw error }
        let isFree = (0..<2).contains { _ in unlinkat(directory, to, 0) == 0 || errno == ENOENT }
        // Who replaces nothing refuses to replace: SFTP.
        guard isFree, [.notPermitted, .fileExists].contains(error) else { throw error }
        if renameat(directory, from, directory, to) == 0 { return true }
        if [EPERM, EEXIST].contains(errno), faccessat(directory, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0 { return false }
        throw error
    }

    /// Replaces a file that was looked at. Where nothing is ever replaced it is put aside first, and put back where the new
    /// one does not get its name.
    ///
    /// - Parameter aside: a name of ours, for that moment. Who is killed in it leaves it to ``putBack(in:_:to:)``.
    /// - Returns: false if the name was another's by then.
    static func replace(in directory: CInt, _ from: String, to: String, aside: String) throws(Errno) -> Bool {
        if renameat(directory, from, directory, to) == 0 { return true }
        guard [EPERM, EEXIST].contains(errno) else { throw Errno(rawValue: errno) }
        guard renameat(directory, to, directory, aside) == 0 else {
            if errno == ENOENT { return false }
            throw Errno(rawValue: errno)
        }
        if renameat(directory, from, directory, to) == 0 {
            guard unlinkat(directory, aside, 0) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
            return true
        }
        let second = Errno(rawValue: errno)
        let isBack = try putBack(in: directory, aside, to: to)
        guard isBack else { return false }
        throw second
    }

    /// What was put aside gets its name again; where somebody else has it by now it is replaced, as was asked for.
    ///
    /// - Returns: false if somebody else has it.
    @discardableResult
    static func putBack(in directory: CInt, _ aside: String, to: String) throws(Errno) -> Bool {
        let isBack = try rename(in: directory, aside, to: to)
        guard isBack || unlinkat(directory, aside, 0) == 0 || errno == ENOENT else { throw Errno(rawValue: errno) }
        return isBack
    }

    private static func isEmpty(_ name: String, in directory: CInt) -> Bool {
        var status = stat()
        return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size == 0
    }
}
