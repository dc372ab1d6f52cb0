internal import CLinux
internal import SubmitPlatform
internal import SystemPackage

/// Putting what was written on the disk, as far as its file system can.
enum Durability {
    /// A file's content, size, times and permissions.
    static func sync(file: CInt) throws(Errno) {
        if fsync(file) == 0 { return }
        guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else { throw Errno(rawValue: errno) }
        // Nothing is synced on its own there.
        let error = submit_sync_file_system(file)
        guard [0, EINVAL, ENOSYS, EOPNOTSUPP].contains(error) else { throw Errno(rawValue: error) }
    }

    /// The names in a folder. Many file systems that servers and programs have cannot do this, or call it none of ours.
    static func sync(folder: CInt) throws(Errno) {
        guard fsync(folder) == 0 || [EINVAL, EBADF, ENOSYS, EOPNOTSUPP].contains(errno) else {
            throw Errno(rawValue: errno)
        }
    }

    /// Whether writing a file failed, of which `syncfs` may not tell: it tells nothing before Linux 5.8, nor whoever opened
    /// the folder after somebody else was told. Costs nothing where all is written.
    static func verify(file: CInt) throws(Errno) {
        let error = submit_finish_writing(file, 0, 0)
        switch error {
        case 0: return
        // It cannot be asked so.
        case ESPIPE, EINVAL, ENOSYS, EOPNOTSUPP: try sync(file: file)
        default: throw Errno(rawValue: error)
        }
    }
}
