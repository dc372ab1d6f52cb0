internal import Foundation
internal import GRDB
internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// A journal's file opened to be read and never written, also where nothing can be written.
enum JournalReading {
    /// Whether it can only be read: it, or the folder in which SQLite needs files of its own.
    static func isAllThatCanBeDone(_ path: FilePath) -> Bool {
        let folder = path.removingLastComponent()
        guard access(path.string, R_OK) == 0 else { return false }
        return access(path.string, W_OK) != 0 || access(folder.isEmpty ? "." : folder.string, W_OK) != 0
    }

    /// The calling thread waits for the disk.
    static func open(_ path: FilePath) throws -> DatabaseQueue {
        do {
            return try queue(path, path)
        } catch let error as DatabaseError
            where [.SQLITE_CANTOPEN, .SQLITE_READONLY].contains(error.resultCode) && size(path) != nil
        {
            // SQLite reads a log by an index beside it, which is not there and cannot be made.
            return try copied(path)
        }
    }

    /// - Parameter path: by what sentences call it.
    private static func queue(_ file: FilePath, _ path: FilePath) throws -> DatabaseQueue {
        if size(file) == 0 { throw SubmitFailure.emptyJournal(path.string) }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = false
        configuration.label = "journal that is read"
        configuration.prepareDatabase { db in
            try JournalFile.check(db, path)
            try CatalogueFunctions.install(db)
        }
        return try DatabaseQueue(path: file.string, configuration: configuration)
    }

    /// Reads a copy that nobody else sees, and that is gone with the value: it has no name any more.
    private static func copied(_ path: FilePath) throws -> DatabaseQueue {
        let folder = FilePath(NSTemporaryDirectory()).appending("submit-journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let (log, copy) = (FilePath(path.string + "-wal"), folder.appending("journal.sqlite"))
        // Somebody elsewhere may write it: both have to be of one moment.
        for _ in 0..<5 {
            let before = [Mark(path), Mark(log)]
            try replace(copy, with: path)
            if size(log) ?? 0 > 0 { try replace(FilePath(copy.string + "-wal"), with: log) }
            if before == [Mark(path), Mark(log)] {
                let queue = try queue(copy, path)
                // Afterwards all that it needs is open.
                _ = try queue.inDatabase { db in try Int.readOne(db, sql: "SELECT count(*) FROM sqlite_master") }
                return queue
            }
        }
        throw DatabaseError(resultCode: .SQLITE_BUSY)
    }

    private static func replace(_ copy: FilePath, with file: FilePath) throws {
        unlink(copy.string)
        try FileManager.default.copyItem(atPath: file.string, toPath: copy.string)
        chmod(copy.string, 0o600)
    }

    private static func size(_ path: FilePath) -> Int64? { JournalFile.size(path) }

    /// What another state of a file changes.
    private struct Mark: Equatable {
        private var values: [Int] = []

        init(_ path: FilePath) {
            var status = stat()
            guard path.withPlatformString({ stat($0, &status) }) == 0 else { return }
            values = [
                Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }
}
