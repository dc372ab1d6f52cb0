internal import Foundation
internal import GRDB
package import Submit
internal import SubmitPlatform
package import SystemPackage

/// A copy of a journal, of one moment, while others write it.
package enum JournalBackup {
    /// Makes one that only its owner can read. Killed at any instant there is what was there before, or the whole copy.
    ///
    /// The journal is read, whoever has it open, and of whatever version it is. The calling thread waits for the disk.
    ///
    /// - Parameter isReplacing: an earlier backup of that name gives way, and nothing else does.
    /// - Returns: bytes of the copy.
    /// - Throws: `backup-exists`, `backup-foreign`, `backup-busy` or `backup-unwritable`, and those of reading a journal.
    package static func make(
        of journal: FilePath, at file: FilePath, isReplacing: Bool
    ) throws(SubmitFailure) -> Int64 {
        guard JournalFile.size(journal) != nil else {
            throw failure("journal-missing", "There is no journal \(journal) yet: nothing was submitted.")
        }
        if isThere(file) {
            guard isReplacing else {
                throw failure("backup-exists", "“\(file)” is there already and was left as it is: give another name.")
            }
            guard isBackup(file) else {
                throw failure(
                    "backup-foreign", "“\(file)” is no backup of a journal and was left as it is: give another name.")
            }
        }
        let queue: DatabaseQueue
        do {
            queue = try JournalReading.open(journal)
        } catch {
            throw SubmitFailure(journal: error, path: journal.string)
        }
        do {
            return try copy(queue, to: file, isReplacing: isReplacing)
        } catch let error as SubmitFailure {
            throw error
        } catch Errno.fileExists {
            throw failure("backup-exists", "“\(file)” came to be meanwhile and was left as it is: give another name.")
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            throw SubmitFailure(journal: error, path: journal.string)
        } catch {
            let why = (error as? DatabaseError)?.message ?? "\(error)"
            throw failure(
                "backup-unwritable", "“\(file)” could not be written (\(why)): see that there is room and it is yours.")
        }
    }

    private static func copy(_ queue: DatabaseQueue, to file: FilePath, isReplacing: Bool) throws -> Int64 {
        let folder = file.removingLastComponent()
        let name = ".\(file.lastComponent?.string ?? "").submit-new"
        // Each has its own: none can put another one's half of a file in place.
        let draft = folder.appending("\(name)-\(UInt32.random(in: 0...(.max)))")
        // On a file of its own: a lock on the draft keeps SQLite from it where locks are mandatory, as on SMB (flock(2)).
        let locked = folder.appending(".\(file.lastComponent?.string ?? "").submit-lock")
        let lock = try FileDescriptor.open(
            locked, .readWrite, options: [.create, .noFollow, .closeOnExec], permissions: [.ownerReadWrite])
        defer { try? lock.close() }
        let isLocked = flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0
        // Not so on shares that have no locks; and whoever had it before may have taken its name away.
        guard isLocked ? isSame(lock, locked) : errno == ENOLCK || errno == EOPNOTSUPP else {
            throw failure("backup-busy", "Another backup to “\(file)” is being made: wait for its end.")
        }
        defer { unlink(locked.string) }
        do {
            // Of those that were broken off.
            for left in isLocked ? (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? [] : []
            where left.hasPrefix(name + "-") {
                unlink(folder.appending(left).string)
            }
            try FileDescriptor.open(
                draft, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite]
            ).close()
            // Does not begin anew when somebody writes, as SQLite's backup does.
            try queue.inDatabase { db in try db.execute(sql: "VACUUM INTO ?", arguments: [draft.string]) }
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { db in try db.execute(sql: "PRAGMA journal_mode = MEMORY") }
            let copy = try DatabaseQueue(path: draft.string, configuration: configuration)
            try copy.inDatabase { db in
                // Those of older versions do not say what they are; and it may get another place.
                try db.execute(
                    sql: "PRAGMA application_id = \(JournalFile.applicationID); PRAGMA user_version = 0")
            }
            try copy.close()
            try JournalFile.sync(draft)
            if isReplacing {
                guard rename(draft.string, file.string) == 0 else { throw Errno(rawValue: errno) }
            } else {
                try JournalFile.move(draft, to: file)
            }
        } catch {
            unlink(draft.string)
            throw error
        }
        JournalFile.makeDurable(folder)
        return JournalFile.size(file) ?? 0
    }

    /// Whether a file still has its name.
    private static func isSame(_ file: FileDescriptor, _ path: FilePath) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(file.rawValue, &own) == 0 && path.withPlatformString { lstat($0, &named) } == 0
            && own.st_ino == named.st_ino && own.st_dev == named.st_dev
    }

    private static func isThere(_ file: FilePath) -> Bool {
        var status = stat()
        return file.withPlatformString { lstat($0, &status) } == 0
    }

    /// Whether a file is a copy of a journal and none that is at work: those say that they have a log
    /// (https://www.sqlite.org/fileformat.html#file_format_version_numbers).
    private static func isBackup(_ path: FilePath) -> Bool {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        else { return false }
        defer { try? file.close() }
        var header = [UInt8](repeating: 0, count: 100)
        guard (try? header.withUnsafeMutableBytes({ try file.read(into: $0) })) == header.count else { return false }
        let id = header[68..<72].reduce(0) { $0 << 8 | Int($1) }
        return header.starts(with: Array("SQLite format 3\0".utf8)) && header[18] == 1
            && id == JournalFile.applicationID
    }

    private static func failure(_ code: String, _ sentence: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: code, message: sentence)
    }
}
