/// What a file system does otherwise than ext4.
enum FileManner: String, Sendable, Hashable, CaseIterable {
    /// Names that differ in case are one, under the first spelling: `vfat_cmpi` (fs/fat/namei_vfat.c), exFAT, SMB.
    case foldsCase
    /// The same, and the other spelling is not found, though it cannot be made: vfat by `iocharset=utf8` (systemd#3740).
    case hidesFoldedNames
    /// `:?*|<>"\` and control characters are refused: `vfat_bad_char`, NTFS by `windows_names`.
    case refusesCharacters
    /// No name with such characters is there: `is_allowed` of exFAT by FUSE.
    case knowsNoCharacters
    /// Dots at the end are left out, and a space there is refused: `vfat_striptail_len`, `vfat_is_used_badchars`.
    case dropsEnds
    /// Accents are stored on their own, and found either way: `hfsplus_asc2uni` (fs/hfsplus/unicode.c).
    case decomposes
    /// No name has more than 143 bytes: eCryptfs (nextcloud/desktop#467).
    case shortNames
    /// Times are whole pairs of seconds: `fat_truncate_mtime` (fs/fat/misc.c).
    case coarseTimes
    /// Files have no links: MTP (android-file-transfer-linux#283), and the kernel links no such file (fuse-mt#23).
    case countsNoLinks
    /// A file has another number at each look: IPFS (kubo#11429).
    case numbersAnew
    /// A file has another number under another name: mergerfs by `inodecalc=path-hash`.
    case numbersByPath
    /// Files are sent away at close, which says what became of that, and not at fsync: `SyncFile` of goofys, rclone's
    /// `WriteFileHandle.Flush`.
    case uploadsAtClose
    /// `syncfs` tells no error of a file: Linux before 5.8 (syncfs(2)).
    case deafSyncAll
    /// A server or a program keeps the data: NFS, SMB, FUSE.
    case isShare
    /// Blocks are shared between files: btrfs, XFS.
    case clones
    /// `copy_file_range` says that there is nothing to copy: SMB (golang#42400).
    case copiesNothing
    /// Half of what was asked for is read, or written: read(2), write(2).
    case readsShort, writesShort
    /// A lock is held by somebody for ever: NFS without its lock manager.
    case locksHang
    /// A listing lacks what came lately, and has what went lately: sshfs (PR#375), csi-driver-smb#1008.
    case listsLate
    /// Open files that are removed stay under another name until they are closed: `hide_node` of libfuse, NFS.
    case hidesOpen
    /// No file has more than 150,000 bytes: FAT has 4 GiB.
    case smallFiles
    /// The room that is left is a number that cannot be multiplied: libsmb2#44, retro-fuse#5.
    case oddRoom
}

/// A call that a file system refuses, always or under the conditions that are told.
enum FileRefusal: String, Sendable, Hashable, CaseIterable {
    /// `renameat2` with `RENAME_NOREPLACE`: `fuse_rename2`, sshfs, NFS, ZFS (rust-atomicwrites#64).
    case exclusiveRename
    /// `s3fs_link`, rclone, `sshfs_link`, vfat, at the most links of a file.
    case link
    /// Renaming to a name that is there: `sshfs_do_rename` (Win32-OpenSSH#467).
    case replacing
    /// Renaming, linking and removing what is open: docker/for-win#5565, WSL#2243, virtnbdbackup#28.
    case whileOpen
    /// Reading what is open for writing: rclone's `WriteFileHandle.ReadAt`, MTP (go-mtpfs#80).
    case readingBack
    /// gocryptfs#587, libgit2#5356.
    case folderSync
    /// syncthing#5704.
    case fileSync
    /// sync_file_range(2).
    case rangeSync
    /// libuv#2596, copy-file#41, proftpd#80.
    case times, mode
    /// flock(2), nvc#417.
    case lock
    /// libuv#3354, libuv#3123, openzfs#11150.
    case copy

    /// With which it was seen.
    var errors: [FileError] {
        switch self {
        case .exclusiveRename: [.EINVAL, .ENOSYS, .EOPNOTSUPP]
        case .link: [.EPERM, .EOPNOTSUPP, .ENOSYS, .EMLINK]
        case .replacing: [.EPERM, .EEXIST]
        case .whileOpen: [.EBUSY, .ETXTBSY, .EACCES]
        case .readingBack: [.EPERM, .EBADF, .EOPNOTSUPP]
        case .folderSync: [.EINVAL, .EOPNOTSUPP, .EBADF, .ENOSYS]
        case .fileSync: [.EOPNOTSUPP, .EINVAL, .ENOSYS]
        case .rangeSync: [.ESPIPE, .EINVAL, .ENOSYS, .EOPNOTSUPP]
        case .times, .mode: [.EPERM, .EACCES, .ENOENT, .EOPNOTSUPP]
        case .lock: [.ENOLCK, .EBADF, .ENOSYS, .EOPNOTSUPP]
        case .copy: [.EPERM, .EACCES, .EINVAL, .EIO, .EOPNOTSUPP]
        }
    }
}

/// What a file system says, as errno(3) calls it.
enum FileError: Int32, Sendable, Hashable {
    case EPERM = 1
    case ENOENT = 2
    case EINTR = 4
    case EIO = 5
    case EBADF = 9
    case EACCES = 13
    case EBUSY = 16
    case EEXIST = 17
    case EINVAL = 22
    case ETXTBSY = 26
    case EFBIG = 27
    case ENOSPC = 28
    case ESPIPE = 29
    case EROFS = 30
    case EMLINK = 31
    case EWOULDBLOCK = 11
    case ENAMETOOLONG = 36
    case ENOLCK = 37
    case ENOSYS = 38
    case EOPNOTSUPP = 95
    case ECONNABORTED = 103
    case ENOTCONN = 107
    case ETIMEDOUT = 110
    case ESTALE = 116
    case EDQUOT = 122
}

/// What goes wrong at one call, or from it on.
enum FileTrouble: String, Sendable, Hashable, CaseIterable {
    /// The process dies before it is done, when half of the bytes are there, or after it was done.
    case killedBefore, killedMidway, killedAfter
    /// It is not done.
    case eio, estale, enospc
    /// It is done, and not told so: NFS by `soft`, sshfs.
    case lostAnswer
    /// It is done twice, since the answer to the first was lost, and the second is told: NFS (link(2), "BUGS").
    case replayed
    /// From now on until much later nothing fits, which is told at once, or by fsync(2) and close(2).
    case full, fullLate
    /// Until much later nothing can be changed: ext4 by `errors=remount-ro`.
    case readOnly
    /// Until much later nobody answers: FUSE, whose program died (hubicfuse#98).
    case disconnected
    /// Until much later another folder is there, which is empty.
    case away
    /// What is written now does not reach the disk, which is told once to each who has it open: errseq_t, and
    /// wiki.postgresql.org/wiki/Fsync_Errors.
    case lostPages
    /// The next file that is closed is not stored.
    case failsAtClose
    /// Somebody else puts a file under the name of the first item, if there is none.
    case stranger
}
