import Foundation
import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

/// What lies where the journal should be, and is none.
@Suite struct `A file in the journal's place` {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }

    private func bytes(_ path: FilePath) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path.string)) }

    private func expectForeign() {
        let failure = #expect(throws: SubmitFailure.self) { try Journal(path: path) }
        #expect(failure?.code == "journal-foreign" && failure?.isOfJournal == true, "\(String(describing: failure))")
        let trouble = JournalExamination.of(path)?.trouble
        #expect(trouble == failure?.message || trouble == nil)
    }

    @Test func `that is empty never becomes one`() throws {
        try Data().write(to: URL(fileURLWithPath: path.string))
        expectForeign()
        #expect(try bytes(path).isEmpty)
    }

    @Test(arguments: [
        "CREATE TABLE photos (id INTEGER PRIMARY KEY)", "PRAGMA user_version = 7",
        "CREATE TABLE journal (identity TEXT); CREATE TABLE grdb_migrations (identifier TEXT)",
        "PRAGMA application_id = 1; CREATE TABLE batch (id INTEGER)",
    ])
    func `that is another program's database is left as it is`(sql: String) throws {
        try DatabaseQueue(path: path.string).write { db in try db.execute(sql: sql) }
        let before = try bytes(path)
        expectForeign()
        #expect(try bytes(path) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path.string) == ["journal.sqlite"])
    }

    @Test func `of which the log alone is left is not begun anew over it`() throws {
        let log = FilePath(path.string + "-wal")
        try Data(repeating: 1, count: 99).write(to: URL(fileURLWithPath: log.string))
        expectForeign()
        #expect(try bytes(log).count == 99 && !FileManager.default.fileExists(atPath: path.string))
    }

    @Test func `that was begun and never ended does not stay`() throws {
        let draft = JournalFile.draft(of: path)
        try Data(repeating: 0, count: 5000).write(to: URL(fileURLWithPath: draft.string))
        let journal = try Journal(path: path)
        #expect(!FileManager.default.fileExists(atPath: draft.string))
        #expect(try journal.pool.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
    }

    @Test func `has a durable name before anything is accepted, also when whoever made it was killed`() async throws {
        for _ in 0..<2 {
            let journal = try Journal(path: path)
            #expect(try await journal.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 1)
            try await journal.execute("PRAGMA user_version = 0")
        }
    }

    @Test func `says in its header that it is one, also when an older version made it`() async throws {
        func id() throws -> [UInt8] { try Array(bytes(path)[68..<72]) }
        var journal: Journal? = try Journal(path: path)
        #expect(try id() == Array("Subm".utf8))
        try await journal?.execute(
            "PRAGMA application_id = 0; DELETE FROM grdb_migrations WHERE identifier LIKE '14:%'")
        journal = nil
        #expect(try id() == [0, 0, 0, 0])
        journal = try Journal(path: path)
        #expect(journal?.migratedFrom == JournalExamination.ownVersion - 1)
        journal = nil
        #expect(try id() == Array("Subm".utf8))
    }
}
