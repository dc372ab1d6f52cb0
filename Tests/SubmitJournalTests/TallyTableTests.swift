import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

/// How much stands where is known without counting.
@Suite struct TallyTableTests {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }

    /// What the table says, and what the rows say.
    static func expectRight(_ journal: Journal, _ what: Comment) async throws {
        try await journal.read { db in
            let told = try Row.fetchAll(db, sql: "SELECT * FROM tally ORDER BY 1, 2, 3")
            let counted = try Row.fetchAll(
                db,
                sql: """
                    SELECT submission.batch, destination, state, count(*) AS count, sum(size) AS bytes
                    FROM submission JOIN item ON item.id = submission.item GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
                    """)
            #expect(told == counted, what)
        }
    }

    @Test func `what is counted is what the rows say, whatever becomes of them`() async throws {
        let journal = try Journal(path: path)
        let worker = try await journal.makeWorker()
        let batch = try await journal.accept(NewItem.photos(9))
        try await Self.expectRight(journal, "accepted")
        let claims = try await worker.take(first: [batch], limit: 6)
        try await Self.expectRight(journal, "claimed")
        try await journal.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        try await journal.settle(claims[1], .failed(.scripted))
        try await journal.settle(claims[2], .waiting(.scripted, after: .zero, counts: true))
        try await journal.settle(claims[3], .released)
        try await journal.settle(claims[4], .cancelled)
        try await Self.expectRight(journal, "settled")
        try await journal.settle(claims[5], .untried)
        #expect(try await journal.retry(SubmissionSelection(batch: batch)) == 2)
        _ = try await journal.condemn(item: claims[1].itemID, .scripted, key: IdempotencyKey())
        _ = try await journal.cancel(SubmissionSelection(batch: batch, destination: "b"))
        try await Self.expectRight(journal, "tried again, condemned, cancelled")
    }

    @Test func `a journal of before is counted when it is opened`() async throws {
        let now = try Journal(path: path)
        let batch = try await now.accept(NewItem.photos(5))
        try await now.execute(
            MigrationTests.back11 + """
                DROP TRIGGER submission_accepted; DROP TRIGGER submission_moved; DROP TABLE tally;
                DROP INDEX submission_failed; DROP INDEX submission_put_off; DROP INDEX batch_open;
                DROP TABLE removal; DELETE FROM grdb_migrations WHERE substr(identifier, 1, 1) >= '3';
                """)
        let opened = try Journal(path: path)
        try await Self.expectRight(opened, "opened")
        #expect(try await opened.tallies(SubmissionSelection(batch: batch)).map(\.count) == [5, 4, 1])
    }

    @Test func `of many batches those are unfinished that are owed something or were cut off`() async throws {
        let journal = try Journal(path: path)
        try await journal.execute(
            """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
            INSERT INTO batch (id, created, complete) SELECT n, 0, 1 FROM number;
            INSERT INTO tally SELECT id, 'a', 2, 1, 1 FROM batch;
            INSERT INTO tally VALUES (7, 'a', 0, 1, 1), (7, 'b', 0, 1, 1), (300, 'a', 0, 1, 1), (400, 'a', 0, 1, 1),
                (450, 'a', 1, 1, 1);
            UPDATE batch SET complete = 0 WHERE id IN (20, 30);
            INSERT INTO acceptance (batch, request, after) VALUES (20, 'all', 0);
            """)
        #expect(try await journal.unfinishedBatches() == [7, 20, 300, 400, 450])
    }
}
