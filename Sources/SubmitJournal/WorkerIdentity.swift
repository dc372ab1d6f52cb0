internal import GRDB
internal import Submit
internal import SubmitConcurrency
internal import SubmitPlatform
internal import SystemPackage

/// Who works on a journal, and has what it claimed: alive as long as this value is, and its process.
///
/// Each holds a lock on a byte of its own of a file beside the journal. The kernel takes it back when the process ends in
/// whatever way, and tells of it in every container that has the same folder, where numbers of processes mean something else
/// (fcntl(2), "Open file description locks").
package final class WorkerIdentity: Sendable {
    /// `nil` where there is none: nobody has ever worked on it.
    private let file: FileDescriptor?
    /// `nil` where they cannot be shared, or there is nothing to control.
    let controls: ControlCount?
    private let registration = Locked<WorkerID?>(nil)

    /// Not in all C libraries' headers as Swift reads them.
    private static let (get, set): (CInt, CInt) = (36, 37)

    init(beside journal: FilePath) throws {
        file = try FileDescriptor.open(
            FilePath(journal.string + "-workers"), .readWrite, options: [.create, .closeOnExec],
            permissions: [.ownerReadWrite])
        controls = file.flatMap(ControlCount.init)
    }

    /// Looks whether others live, and is nobody itself.
    init(lookingBeside journal: FilePath) {
        file = try? FileDescriptor.open(
            FilePath(journal.string + "-workers"), .readOnly, options: [.closeOnExec])
        controls = nil
    }

    deinit { try? file?.close() }

    /// Its number, as soon as it has claimed anything.
    var registered: WorkerID? { registration.withLock { $0 } }

    /// Its number, written down on first need.
    func id(_ db: Database) throws -> WorkerID {
        if let id = registered { return id }
        try db.execute(
            sql: "INSERT INTO worker (pid, beat) VALUES (?, ?)", arguments: [Int64(getpid()), Journal.uptime])
        let id = WorkerID(rawValue: db.lastInsertedRowID)
        // Before anybody else can see the row.
        _ = try lock(Self.set, F_WRLCK, id)
        // Others of the same transaction use it too; a transaction that fails takes it back.
        registration.withLock { $0 = id }
        db.afterNextTransaction(
            onCommit: { _ in },
            onRollback: { [self] _ in
                registration.withLock { $0 = nil }
                // The number will be another's.
                _ = try? lock(Self.set, F_UNLCK, id)
            })
        return id
    }

    /// Whether somebody has the lock of a worker.
    func isAlive(_ worker: WorkerID) throws(Errno) -> Bool {
        if worker == registered { return true }
        if file == nil { return false }
        return try lock(Self.get, F_WRLCK, worker).l_type != F_UNLCK
    }

    /// Holds an address against other processes.
    ///
    /// - Returns: false if another one holds it.
    func lockAddress(_ name: String) -> Bool {
        // Where locks can't be had, all that works alone.
        guard file != nil, let lock = try? lock(Self.get, F_WRLCK, at: Self.offset(of: name)) else { return true }
        guard lock.l_type == F_UNLCK else { return false }
        do {
            _ = try self.lock(Self.set, F_WRLCK, at: Self.offset(of: name))
            return true
        } catch {
            return ![.resourceTemporarilyUnavailable, .permissionDenied].contains(error)
        }
    }

    func unlockAddress(_ name: String) { _ = try? lock(Self.set, F_UNLCK, at: Self.offset(of: name)) }

    /// Addresses have bytes beyond those of all workers: 2^40 and 48 bits of a hash (FNV-1a), the same in every process.
    private static func offset(of name: String) -> Int64 {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return 1 << 40 + Int64(hash >> 16)
    }

    private func lock(_ command: CInt, _ type: CInt, _ worker: WorkerID) throws(Errno) -> flock {
        try lock(command, type, at: worker.rawValue)
    }

    private func lock(_ command: CInt, _ type: CInt, at offset: Int64) throws(Errno) -> flock {
        guard let file else { throw Errno.badFileDescriptor }
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (off_t(offset), 1)
        while fcntl(file.rawValue, command, &lock) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        return lock
    }
}
