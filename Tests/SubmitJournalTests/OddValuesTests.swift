import Foundation
import GRDB
import Submit
import SubmitCatalogue
import SubmitStore
import SystemPackage
import Testing

@testable import SubmitJournal

/// Values that submit never writes, in every column of every table. A read that ends the process ends these tests.
@Suite struct OddValuesTests {
    private let folder = TemporaryFolder()

    /// What may stand in a damaged column, as SQL.
    private static let values = [
        "'odd'", "NULL", "x'ff00fe'", "-5", "9223372036854775807", "-9223372036854775808", "1e300",
    ]

    @Test(arguments: values)
    func `a journal with an odd value is read or called damaged, and never ends the process`(value: String) async throws
    {
        let base = try await filled()
        let columns = try base.columns()
        #expect(columns.count > 150)
        var codes: Set<String> = []
        for (table, column) in columns {
            let path = folder.path.appending("odd.sqlite")
            try base.copy(to: path, setting: column, of: table, to: value)
            codes.formUnion(await Self.codes(reading: path))
        }
        codes.subtract(["journal-damaged", "journal", "journal-foreign", "journal-newer", "journal-older", "no-batch"])
        // One of the reads also writes, and the journal is opened as it is.
        codes.remove("journal-unwritable")
        #expect(codes.isEmpty, "\(codes)")
    }

    @Test func `an odd value is called damage`() async throws {
        let base = try await filled()
        let path = folder.path.appending("odd.sqlite")
        for (table, column) in [("item", "size"), ("submission", "tries"), ("batch", "created"), ("invite", "expires")]
        {
            try base.copy(to: path, setting: column, of: table, to: "'odd'")
            #expect(await Self.codes(reading: path).contains("journal-damaged"), "\(table).\(column)")
        }
    }

    /// A journal with a row in every table.
    private func filled() async throws -> Base {
        let path = folder.path.appending("base.sqlite")
        do {
            let journal = try Journal(path: path)
            try await journal.accept(NewItem.photos(3, removal: SourceRemoval(copies: 1)))
            _ = try await journal.begin()
            try await journal.execute(
                """
                UPDATE submission SET state = 2, remote_id = 'r', evidence = 'verified', settled = 1, was_there = 0
                WHERE id = 1
                """)
        }
        return try Base(path)
    }

    private struct Base {
        private let path: FilePath

        init(_ path: FilePath) throws {
            self.path = path
            try DatabaseQueue(path: path.string).writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
                for table in try Self.tables(db) where try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") == 0 {
                    let columns = try db.columns(in: table)
                    let values = columns.map { column in
                        switch column.type {
                        case "INTEGER": "1"
                        case "BLOB": "x'07'"
                        case "REAL", "DOUBLE": "1.5"
                        default: "'x'"
                        }
                    }
                    try? db.execute(sql: "INSERT OR IGNORE INTO \(table) VALUES (\(values.joined(separator: ", ")))")
                }
                try db.checkpoint(.truncate)
            }
        }

        private static func tables(_ db: Database) throws -> [String] {
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                        AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'picture_search%' AND name <> 'grdb_migrations'
                    """)
        }

        func columns() throws -> [(table: String, column: String)] {
            try DatabaseQueue(path: path.string).read { db in
                try Self.tables(db).flatMap { table in try db.columns(in: table).map { (table, $0.name) } }
            }
        }

        /// A copy in which a column of a table's first row has another value, whatever its declaration says.
        func copy(to copy: FilePath, setting column: String, of table: String, to value: String) throws {
            for end in ["", "-wal", "-shm"] { unlink(copy.string + end) }
            try FileManager.default.copyItem(atPath: path.string, toPath: copy.string)
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            let queue = try DatabaseQueue(path: copy.string, configuration: configuration)
            let sql = try queue.writeWithoutTransaction { db in
                let sql = try String.fetchOne(
                    db, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [table])
                try db.execute(sql: "PRAGMA writable_schema = ON")
                try db.execute(
                    sql: "UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = ?",
                    arguments: [table])
                return sql
            }
            try queue.close()
            let loose = try DatabaseQueue(path: copy.string, configuration: configuration)
            try loose.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON")
                // Keys take no such value: those columns stay as they are.
                try? db.execute(sql: "UPDATE OR IGNORE \(table) SET \(column) = \(value)")
                try db.execute(sql: "UPDATE sqlite_master SET sql = ? WHERE name = ?", arguments: [sql, table])
            }
            try loose.close()
        }
    }

    /// Reads all that can be read of a journal.
    ///
    /// - Returns: the codes of what failed.
    private static func codes(reading path: FilePath) async -> Set<String> {
        var codes: Set<String> = []
        func note(_ body: () async throws(SubmitFailure) -> Any?) async {
            do throws(SubmitFailure) {
                _ = try await body()
            } catch {
                codes.insert(error.code)
            }
        }
        _ = JournalExamination.of(path, isThorough: true)
        let journal: Journal
        do throws(SubmitFailure) {
            journal = try Journal(asItIs: path)
        } catch {
            return [error.code]
        }
        let all = SubmissionSelection()
        await note { () throws(SubmitFailure) in try await journal.batches() }
        await note { () throws(SubmitFailure) in try await journal.openBatches() }
        await note { () throws(SubmitFailure) in try await journal.unfinishedBatches() }
        await note { () throws(SubmitFailure) in try await journal.submissions(all).map { String(describing: $0) } }
        await note { () throws(SubmitFailure) in
            try await journal.latest(at: "a", in: nil, of: [1], after: nil, limit: 10)
        }
        await note { () throws(SubmitFailure) in try await journal.submissions(ofSource: "/photos/0.jpg", limit: 10) }
        await note { () throws(SubmitFailure) in try await journal.nextWaiting(all) }
        await note { () throws(SubmitFailure) in try await journal.attempts(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.states(of: [1, 2]) }
        await note { () throws(SubmitFailure) in try await journal.tallies(all) }
        await note { () throws(SubmitFailure) in try await journal.skipped([1]) }
        await note { () throws(SubmitFailure) in try await journal.proofs([1]) }
        await note { () throws(SubmitFailure) in try await journal.waiting(nil) }
        await note { () throws(SubmitFailure) in try await journal.waiting([1]) }
        await note { () throws(SubmitFailure) in try await journal.removals(of: [1]) }
        await note { () throws(SubmitFailure) in try await journal.state(of: "a") }
        await note { () throws(SubmitFailure) in try await journal.destinationStates() }
        await note { () throws(SubmitFailure) in try await journal.destinationNames() }
        await note { () throws(SubmitFailure) in try await journal.checkpointNames() }
        await note { () throws(SubmitFailure) in try await journal.checkpoints(destination: "a", of: nil) }
        await note { () throws(SubmitFailure) in try await journal.arrivals(at: "a") }
        await note { () throws(SubmitFailure) in try await journal.lastEvidence(at: "a") }
        await note { () throws(SubmitFailure) in try await journal.removalDestinations(batches: nil) }
        await note { () throws(SubmitFailure) in try await journal.removedSource(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.openAcceptances(of: nil) }
        await note { () throws(SubmitFailure) in try await journal.invites(nil) }
        await note { () throws(SubmitFailure) in try await journal.sessions(of: InviteID(rawValue: "x")) }
        await note { () throws(SubmitFailure) in try await journal.openIncomingFiles() }
        await note { () throws(SubmitFailure) in try await journal.incomingFiles(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.note("x", of: "x") }
        await note { () throws(SubmitFailure) in try await journal.rendition(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.revisions(of: 1) }
        await note { () throws(SubmitFailure) in try await journal.forgotten(before: nil, limit: 10) }
        await note { () throws(SubmitFailure) in try await journal.untoldTallies() }
        if let query = try? CatalogueQuery() {
            await note { () throws(SubmitFailure) in try await journal.pictures(query) }
        }
        await note { () throws(SubmitFailure) in try await journal.catalogueFlaws() }
        return codes
    }
}
