import CDrawnFiles
import Glibc

/// What a ``DrawnFileSystem`` is made of. Whoever calls holds its lock, and is past its own manners.
struct DrawnDisk {
    let manners: Set<FileManner>
    let refusals: [FileRefusal: FileError]
    var troubles: [Int: FileTrouble]
    let root: String
    /// What is at the root's path while its disk is away.
    let elsewhere: String
    var sleeps = false
    var stranger = (name: "", content: [UInt8]())

    var calls = 0
    /// What was asked for.
    var seen: Set<FileCallKind> = []
    var complaints: [String] = []
    var isDead = false
    /// Microseconds that somebody meant to sleep.
    var slept = 0
    /// What lasts until much later; then nothing does any more.
    var outage: FileTrouble?
    var isLater = false
    /// A copy has its name: which folder is the destination's is known from then on.
    var isUsed = false
    var failsAtClose = false

    struct Open {
        /// The true one.
        var path: String
        var inode: UInt64
        var isFolder: Bool
        var writes: Bool
        /// By which call.
        var since: Int
        /// Errors of its file, and of all files, that it need not be told.
        var told: (own: Int, all: Int)
        var isListedOut = false
    }
    var open: [Int32: Open] = [:]
    /// Errors of files by number, and of all.
    var errors: (own: [UInt64: Int], all: Int) = ([:], 0)
    /// Since which call the disk has other bytes than memory.
    var lost: [UInt64: Int] = [:]
    var unsynced: (files: Set<UInt64>, names: Set<String>) = ([], [])
    /// When names came, and went.
    var changed: (came: [String: Int], went: [String: Int]) = ([:], [:])
    /// Who has the lock of what, by number.
    var locks: [UInt64: Int32] = [:]
    /// Removed files that are still open, by number.
    var hidden: [UInt64: String] = [:]

    init(
        manners: Set<FileManner>, refusals: [FileRefusal: FileError], troubles: [Int: FileTrouble], root: String,
        elsewhere: String
    ) {
        (self.manners, self.refusals, self.troubles) = (manners, refusals, troubles)
        (self.root, self.elsewhere) = (root, elsewhere)
    }

    /// What a call is told.
    mutating func answer(_ call: inout FileCall) -> Int64 {
        seen.insert(call.kind)
        switch call.kind {
        // Nobody is kept from these, and a dead process does the first.
        case .close: return close(call.descriptor)
        case .listed: return listed(&call)
        case .sleep:
            slept += call.count
            call.count = min(call.count, 500)
            return sleeps ? drawn_files_perform(&call) : 0
        case .advise: return 0
        default: break
        }
        if isDead { return failure(.EIO) }
        calls += 1
        if calls > DrawnFileSystem.mostCalls {
            if calls == DrawnFileSystem.mostCalls + 1 { complaints.append("\(calls) calls") }
            // Whoever goes on all the same has to end somewhere.
            if calls > 3 * DrawnFileSystem.mostCalls { fatalError("calls without an end") }
            return failure(.EIO)
        }
        switch troubles[calls - 1] {
        case nil: return done(&call)
        case .killedBefore:
            isDead = true
            return failure(.EIO)
        case .killedMidway:
            if [.write, .copy].contains(call.kind) { call.count = max(1, call.count / 2) }
            let failure = doneInVain(&call)
            isDead = true
            return failure
        case .killedAfter:
            let failure = doneInVain(&call)
            isDead = true
            return failure
        case .eio: return failure(.EIO)
        case .estale: return failure(.ESTALE)
        case .enospc: return failure([.write, .copy, .open, .makeFolder, .sync].contains(call.kind) ? .ENOSPC : .EIO)
        case .lostAnswer: return doneInVain(&call)
        case .replayed:
            let result = done(&call)
            guard result >= 0 else { return result }
            switch call.kind {
            case .makeFolder, .link: return failure(.EEXIST)
            case .unlink, .rename: return failure(.ENOENT)
            case .open where call.flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL:
                _ = close(Int32(result))
                return failure(.EEXIST)
            default: return result
            }
        case .away where !isUsed: break
        case .full, .fullLate, .readOnly, .disconnected, .away: if !isLater { outage = troubles[calls - 1] }
        case .lostPages: lose()
        case .failsAtClose: failsAtClose = true
        case .stranger:
            let path = real("\(root)/\(stranger.name)")
            if access(path, F_OK) != 0 {
                Self.write(stranger.content, to: path)
                if let inode = Self.inode(path) { forget(inode) }
            }
        }
        return done(&call)
    }

    /// It is done, and not told so.
    private mutating func doneInVain(_ call: inout FileCall) -> Int64 {
        let result = done(&call)
        if call.kind == .open, result >= 0 { _ = close(Int32(result)) }
        return failure(.EIO)
    }

    func failure(_ error: FileError) -> Int64 { -Int64(error.rawValue) }

    func refusal(_ refusal: FileRefusal) -> Int64? { refusals[refusal].map(failure) }

    /// What is done and told where nothing goes wrong.
    private mutating func done(_ call: inout FileCall) -> Int64 {
        if outage == .disconnected { return failure(.ENOTCONN) }
        if outage == .readOnly, changes(call) { return failure(.EROFS) }
        switch call.kind {
        case .open, .makeFolder, .unlink, .link, .rename, .look, .access, .room: return doneToName(&call)
        case .lookOpen:
            let result = drawn_files_perform(&call)
            if result == 0, let status = call.status { tell(status, open[call.descriptor]?.path ?? "") }
            return result
        case .read, .write, .copy, .clone, .times, .mode: return doneToContent(&call)
        case .sync, .syncAll, .syncRange: return synced(call)
        case .lock:
            if let refused = refusal(.lock) { return refused }
            return locked(call)
        case .kind:
            // As FUSE and ext4 call themselves.
            call.mode = manners.contains(.isShare) ? 0x6573_5546 : 0xef53
            return drawn_files_perform(&call)
        // Those that number their files as they please, and servers, know of none.
        case .birth: return manners.isDisjoint(with: [.isShare, .numbersAnew]) ? 0 : failure(.ENOSYS)
        case .close, .listed, .sleep, .advise: return 0
        }
    }

    private mutating func locked(_ call: FileCall) -> Int64 {
        guard let inode = open[call.descriptor]?.inode else { return failure(.EBADF) }
        if call.flags & LOCK_UN != 0 {
            if locks[inode] == call.descriptor { locks[inode] = nil }
            return 0
        }
        guard manners.contains(.locksHang) || locks[inode].map({ $0 != call.descriptor }) ?? false else {
            locks[inode] = call.descriptor
            return 0
        }
        if call.flags & LOCK_NB != 0 { return failure(.EWOULDBLOCK) }
        complaints.append("a lock is waited for without an end")
        return failure(.ENOLCK)
    }

    private func changes(_ call: FileCall) -> Bool {
        switch call.kind {
        case .open: call.flags & (O_CREAT | O_WRONLY | O_RDWR) != 0
        case .makeFolder, .unlink, .link, .rename, .write, .copy, .clone, .times, .mode: true
        default: false
        }
    }

    /// Makes a status what this file system tells.
    func tell(_ status: UnsafeMutableRawPointer, _ path: String) {
        let status = status.assumingMemoryBound(to: stat.self)
        let isFile = status.pointee.st_mode & S_IFMT == S_IFREG
        if manners.contains(.coarseTimes) {
            status.pointee.st_mtim = timespec(tv_sec: status.pointee.st_mtim.tv_sec & ~1, tv_nsec: 0)
            status.pointee.st_ctim = status.pointee.st_mtim
        }
        if manners.contains(.countsNoLinks), isFile { status.pointee.st_nlink = 0 }
        if manners.contains(.numbersAnew) { status.pointee.st_ino += UInt(calls) << 32 }
        if manners.contains(.numbersByPath) {
            status.pointee.st_ino = path.utf8.reduce(5381) { ($0 &* 33) ^ UInt($1) }
        }
    }
}
