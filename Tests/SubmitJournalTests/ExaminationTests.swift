import Submit
import SubmitStore
import SystemPackage
import Testing

@testable import SubmitJournal

/// What a doctor finds in a journal's file, and leaves as it is.
@Suite struct `A journal that is only looked at` {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }

    @Test func `of this version is told with what stands in it`() async throws {
        let journal = try Journal(path: path)
        _ = try await journal.accept(NewItem.photos(3))
        let found = try #require(JournalExamination.of(path))
        #expect(found.trouble == nil && found.integrity == "ok" && found.version == JournalExamination.ownVersion)
        #expect(found.batches == 1 && found.counts == ["waiting": 5, "failed": 1], "\(found)")
    }

    @Test func `of an older version stays one`() async throws {
        var journal: Journal? = try Journal(path: path)
        _ = try await journal?.accept(NewItem.photos(1))
        try await journal?.execute(MigrationTests.back11)
        journal = nil
        for _ in 0..<2 {
            let found = try #require(JournalExamination.of(path))
            #expect(found.trouble == nil && found.version < JournalExamination.ownVersion)
        }
    }

    @Test func `of a newer version is told as what every verb makes of it`() async throws {
        let journal = try Journal(path: path)
        try await journal.execute("INSERT INTO grdb_migrations VALUES ('99: of a version to come')")
        let found = try #require(JournalExamination.of(path))
        let failure = #expect(throws: SubmitFailure.self) { try Journal(path: path) }
        #expect(failure?.code == "journal-newer" && found.trouble == failure?.message, "\(found)")
    }
}
