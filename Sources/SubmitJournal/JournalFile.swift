internal import CLinux
internal import Foundation
internal import GRDB
internal import Submit
internal import SubmitPlatform
internal import SystemPackage

/// The file that a journal is: made whole or not at all, and told from files that are none.
enum JournalFile {
    /// In the file's header, “Subm” (https://www.sqlite.org/fileformat.html#application_id).
    static let applicationID = 0x5375_626D

    /// A name for it while it is made, and for nothing else.
    static func draft(of path: FilePath) -> FilePath { FilePath(path.string + "-new") }

    /// The file that a path leads to, through links; the path itself as long as there is no file.
    static func resolved(_ path: FilePath) -> FilePath {
        guard let real = realpath(path.string, nil) else { return path }
        defer { free(real) }
        return FilePath(platformString: real)
    }

    /// Whether there is one; an empty file is none, and neither is what a part of one was left of.
    static func exists(_ path: FilePath) throws -> Bool {
        if let size = size(path) {
            if size == 0 { throw SubmitFailure.emptyJournal(path.string) }
            return true
        }
        // SQLite would play it into the new one.
        if let size = size(FilePath(path.string + "-wal")), size > 0 {
            throw SubmitFailure.lostJournal(path.string)
        }
        return false
    }

    /// - Throws: where others can write it, or its folder: it says which files are sent, where to, and which are removed.
    static func checkTrust(_ path: FilePath) throws {
        var (file, folder) = (stat(), stat())
        let parent = path.removingLastComponent()
        guard path.withPlatformString({ stat($0, &file) }) == 0 else { return }
        let isOpen = file.st_mode & (S_IWGRP | S_IWOTH) != 0
        if isOpen { throw SubmitFailure.exposedJournal("The journal \(path)", "chmod go-w \(path)") }
        guard (parent.isEmpty ? "." : parent).withPlatformString({ stat($0, &folder) }) == 0,
            folder.st_mode & S_IWOTH != 0, folder.st_mode & S_ISVTX == 0
        else { return }
        throw SubmitFailure.exposedJournal("The folder of the journal \(path)", "chmod o-w \(parent)")
    }

    /// Makes an empty journal that only its owner can read. Killed at any instant it leaves none, or a whole one. Whoever opens
    /// it has yet to make its name durable, and says in it (`user_version`) that this was done.
    ///
    /// One process at a time does that: ``OpeningLock``.
    static func make(at path: FilePath) throws {
        let draft = draft(of: path)
        unlink(draft.string)
        do {
            try FileDescriptor.open(
                draft, .readWrite, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite]
            ).close()
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { db in
                // So that what a prune frees goes back to the disk in small steps. Nobody sees it before it is synced.
                try db.execute(
                    sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            }
            let queue = try DatabaseQueue(path: draft.string, configuration: configuration)
            try JournalSchema.migrator.migrate(queue)
            try queue.close()
            try sync(draft)
            try move(draft, to: path)
        } catch {
            unlink(draft.string)
            throw error
        }
    }

    /// - Throws: for a database that is none of ours, be it an empty one.
    static func check(_ db: Database, _ path: FilePath) throws {
        if try Int.readOne(db, sql: "PRAGMA application_id") == applicationID { return }
        // Journals from before its 14th migration have none.
        let tables = try Int.readOne(
            db,
            sql: """
                SELECT count(*) FROM sqlite_master
                WHERE type = 'table' AND name IN ('journal', 'grdb_migrations', 'batch', 'item', 'submission')
                """)
        let id = try Int.readOne(db, sql: "PRAGMA application_id")
        guard tables == 5, id == 0 else { throw SubmitFailure.foreignJournal(path.string) }
    }

    /// Gives a file another name in its folder, where nothing has that name.
    static func move(_ file: FilePath, to path: FilePath) throws {
        switch submit_rename_exclusive(AT_FDCWD, file.string, path.string) {
        case 0: return
        // The file system cannot do that; others that make a journal wait for us.
        case EINVAL, ENOSYS, EOPNOTSUPP:
            if size(path) != nil { throw Errno.fileExists }
            guard rename(file.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        case let code: throw Errno(rawValue: code)
        }
    }

    static func sync(_ file: FilePath) throws {
        let descriptor = try FileDescriptor.open(file, .readOnly, options: [.closeOnExec])
        defer { try? descriptor.close() }
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Bytes of a file; `nil` where there is none.
    static func size(_ path: FilePath) -> Int64? {
        var status = stat()
        return path.withPlatformString({ stat($0, &status) }) == 0 ? Int64(status.st_size) : nil
    }

    static func makePrivateFolder(_ folder: FilePath) throws {
        if folder.isEmpty { return }
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// SQLite syncs its files and the folder they lie in; that folder and those above may be as new as the journal.
    static func makeDurable(_ folder: FilePath) {
        var folder = folder
        while true {
            // One that cannot be opened, or synced, was not made by us.
            if let descriptor = try? FileDescriptor.open(
                folder.isEmpty ? "." : folder, .readOnly, options: [.directory])
            {
                fsync(descriptor.rawValue)
                try? descriptor.close()
            }
            if !folder.removeLastComponent() { return }
        }
    }
}

/// One process at a time makes or migrates a journal: SQLite waits for no one while a database becomes one with a
/// write-ahead log, and two that migrate at once would make the same tables.
final class OpeningLock {
    private let folder: FileDescriptor

    init(in folder: FilePath) throws {
        self.folder = try FileDescriptor.open(folder.isEmpty ? "." : folder, .readOnly, options: [.directory])
        // A file system without such locks is no reason to refuse the journal.
        while flock(self.folder.rawValue, LOCK_EX) != 0, errno == EINTR {}
    }

    deinit {
        try? folder.close()
    }
}
