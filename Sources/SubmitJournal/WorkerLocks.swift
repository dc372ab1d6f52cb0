internal import Glibc
internal import Submit
internal import SystemPackage

/// Which of those who work on a journal are alive: each holds a lock on a byte of its own of a file beside it.
///
/// The kernel takes it back when its process ends in whatever way, and tells of it in every container that has the same
/// folder, where numbers of processes mean something else (fcntl(2), "Open file description locks").
final class WorkerLocks: Sendable {
    private let file: FileDescriptor

    /// Not in all C libraries' headers as Swift reads them.
    private static let (get, set): (CInt, CInt) = (36, 37)

    init(beside journal: FilePath) throws {
        file = try FileDescriptor.open(
            FilePath(journal.string + "-workers"), .readWrite, options: [.create, .closeOnExec],
            permissions: [.ownerReadWrite])
    }

    deinit { try? file.close() }

    /// Takes the lock of a worker that nobody else is.
    func take(_ worker: WorkerID) throws(Errno) { _ = try apply(Self.set, F_WRLCK, worker) }

    /// Gives it back: the worker was not written down after all, and its number will be another's.
    func release(_ worker: WorkerID) { _ = try? apply(Self.set, F_UNLCK, worker) }

    /// Whether somebody else has the lock of a worker.
    func isHeld(_ worker: WorkerID) throws(Errno) -> Bool { try apply(Self.get, F_WRLCK, worker).l_type != F_UNLCK }

    private func apply(_ command: CInt, _ type: CInt, _ worker: WorkerID) throws(Errno) -> flock {
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
        (lock.l_start, lock.l_len) = (off_t(worker), 1)
        while fcntl(file.rawValue, command, &lock) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
        return lock
    }
}
