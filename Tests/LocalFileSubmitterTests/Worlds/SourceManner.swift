/// What a file system from which photos are read does otherwise than ext4.
enum SourceManner: String, Sendable, Hashable, CaseIterable {
    /// Half of what was asked for is read: read(2), FUSE by `direct_io`.
    case readsShort
    /// Every other reading is interrupted: read(2), signal(7).
    case interrupts
    /// A file has another number whenever it is opened: IPFS (kubo#11429), FUSE without `use_ino`.
    case numbersAnew
    /// Times are whole pairs of seconds: `fat_truncate_mtime` (fs/fat/misc.c).
    case coarseTimes
    /// Nobody says how much there is, and it can be read all the same: proc(5), Google's documents in rclone's mount.
    case tellsNothing
    /// There is more than is told: files of 4 GiB and more by MTP, whose sizes have 32 bits.
    case tellsLess
    /// There is less than is told: sysfs, whose files have 4096 bytes.
    case tellsMore
    /// `copy_file_range` says that there is nothing to copy: SMB (golang#42400), procfs.
    case copiesNothing
    /// Blocks are shared between files: btrfs, XFS.
    case clones
}

/// What goes wrong with a source at one call, or from it on.
enum SourceTrouble: String, Sendable, Hashable, CaseIterable {
    /// It is not done, once: a cable, a server that starts anew, a share by `soft` or `softerr` (nfs(5)), a cloud's
    /// mount that hit its limit.
    case eio, estale, etimedout, eagain, enotconn
    /// From now on the second half cannot be read: a bad sector.
    case badSector
    /// From now on it may not be opened.
    case forbidden
    /// It is being written: it shrinks, grows, or gets other bytes in place.
    case shrinks, grows, rewritten
    /// It gets other bytes, and keeps its times: mmap(2), `exiftool -P`, times of two seconds.
    case rewrittenSilently
    /// It keeps its bytes, and gets other times: touch(1), backups that put back times.
    case touched
    /// Another file of its size gets its name: rename(2), as editors save.
    case replaced
    /// It is moved away.
    case vanishes
    /// One reading gets zeros for a page, or all do from now on: lost pages, sectors that a card forgot.
    case zeroedOnce, zeroed

    /// Nothing of the source is another afterwards.
    var passes: Bool { [.eio, .estale, .etimedout, .eagain, .enotconn, .touched, .zeroedOnce].contains(self) }

    /// What is told in a call's place.
    var error: FileError? {
        switch self {
        case .eio: .EIO
        case .estale: .ESTALE
        case .etimedout: .ETIMEDOUT
        case .eagain: .EWOULDBLOCK
        case .enotconn: .ENOTCONN
        default: nil
        }
    }
}
