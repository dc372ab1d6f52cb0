internal import Foundation
package import Submit
internal import SubmitPlatform
package import SystemPackage

/// A lock between processes, and between the tasks of one. It is let go with this value, or with the process.
///
/// Source: flock(2). The lock belongs to the open file and not to the process, so that two of one process exclude each
/// other too; programs we start do not inherit it.
package final class FileLock: Sendable {
    private let file: FileDescriptor

    private init(opening path: FilePath) throws(SubmitFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path.removingLastComponent().string, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            file = try FileDescriptor.open(
                path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
        } catch {
            throw Self.failure(path)
        }
    }

    deinit { try? file.close() }

    /// Waits for it without letting the thread go: for what is held for moments.
    package static func blocking(_ path: FilePath) throws(SubmitFailure) -> FileLock {
        let lock = try FileLock(opening: path)
        while flock(lock.file.rawValue, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(path) }
        }
        return lock
    }

    /// - Returns: `nil` where somebody else has it.
    package static func free(_ path: FilePath) throws(SubmitFailure) -> FileLock? {
        let lock = try FileLock(opening: path)
        while flock(lock.file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw failure(path) }
        }
        return lock
    }

    /// Waits for it, for as long as it takes or until the task is cancelled.
    package static func waiting(_ path: FilePath) async throws(SubmitFailure) -> FileLock {
        let lock = try FileLock(opening: path)
        var gap = Duration.milliseconds(2)
        while flock(lock.file.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(path) }
            do {
                try await Task.sleep(for: gap)
            } catch {
                throw .cancelled
            }
            gap = min(gap * 2, .milliseconds(100))
        }
        return lock
    }

    private static func failure(_ path: FilePath) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "secrets",
            message: "\(path) cannot be locked: check that you own its folder.")
    }
}
