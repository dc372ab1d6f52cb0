internal import Foundation
internal import GRDB
package import Submit
internal import SubmitPlatform
internal import SubmitStore
package import SystemPackage

/// What can be said of a journal's file by looking at it alone: nothing is made, migrated or written.
package struct JournalExamination: Sendable {
    /// Bytes of the file, and of what was not yet carried over into it.
    package var size: Int64 = 0
    package var logSize: Int64 = 0
    package var mode: UInt32 = 0
    /// The version of its tables, and the one that this program has.
    package var version = 0
    package static var ownVersion: Int { JournalSchema.migrator.migrations.count }
    /// What SQLite finds wrong; `ok` where that is nothing.
    package var integrity = "not looked at"
    /// How many submissions are in which state.
    package var counts: [String: Int] = [:]
    package var batches = 0
    package var workers = (alive: 0, dead: 0)
    /// The acceptance of what waits longest.
    package var oldestWaiting: Timestamp?
    /// What breaks a rule between rows; only looked for where that was asked for.
    package var flaws: [String] = []
    /// Why not all of this could be found out.
    package var trouble: String?

    package static var sqlite: String {
        (try? DatabaseQueue().read { db in try String.readOne(db, sql: "SELECT sqlite_version()") }) ?? "unknown"
    }

    /// Looks at a journal, or at a backup of one; `nil` where there is none. The calling thread waits for the disk.
    ///
    /// - Parameter isThorough: looks at every row and every index.
    package static func of(_ path: FilePath, isThorough: Bool = false) -> JournalExamination? {
        var found = JournalExamination()
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        (found.size, found.mode) = (Int64(status.st_size), status.st_mode & 0o7777)
        if FilePath(path.string + "-wal").withPlatformString({ stat($0, &status) }) == 0 {
            found.logSize = Int64(status.st_size)
        }
        do {
            try JournalReading.open(path).read { db in
                found.integrity = try String.readAll(db, sql: "PRAGMA \(isThorough ? "integrity" : "quick")_check(5)")
                    .joined(separator: "; ")
                let migrator = JournalSchema.migrator
                found.version = try migrator.appliedIdentifiers(db).count
                if try migrator.hasBeenSuperseded(db) {
                    found.trouble = SubmitFailure.newerJournal(path.string).message
                    return
                }
                try found.count(db, path)
                if isThorough, found.version == ownVersion { found.flaws = try Self.flaws(db) }
            }
        } catch {
            found.trouble = "\(SubmitFailure(journal: error, path: path.string).message)"
        }
        return found
    }

    private mutating func count(_ db: Database, _ path: FilePath) throws {
        for row in try Row.fetchAll(db, sql: "SELECT state, count(*) FROM submission GROUP BY state") {
            let state: SubmissionState = try row.value(0)
            counts[state.name] = try row.value(1)
        }
        batches = try Int.readOne(db, sql: "SELECT count(*) FROM batch") ?? 0
        let oldest = try Int64.readOne(
            db,
            sql:
                "SELECT min(batch.created) FROM submission JOIN batch ON batch.id = submission.batch WHERE submission.state = 0"
        )
        oldestWaiting = oldest.map { Timestamp(nanoseconds: $0) }
        let ids = try WorkerID.readAll(db, sql: "SELECT id FROM worker")
        if !ids.isEmpty {
            let looker = WorkerIdentity(lookingBeside: JournalFile.resolved(path))
            let alive = ids.filter { (try? looker.isAlive($0)) == true }.count
            workers = (alive, ids.count - alive)
        }
    }
}
