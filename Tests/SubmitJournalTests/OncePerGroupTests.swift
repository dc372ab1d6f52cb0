import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

/// What is done for every submission is done once for many of them, or not at all.
@Suite struct OncePerGroupTests {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }

    /// What a journal asks SQLite for from now on, with the statements of triggers, which begin with `--`.
    private func listen(to journal: Journal) async throws -> Locked<[String]> {
        let asked = Locked<[String]>([])
        let listen: @Sendable (Database) -> Void = { db in
            db.trace { event in asked.withLock { $0.append(event.description) } }
        }
        try await journal.read(listen)
        _ = try journal.glance(listen)
        try await journal.write { db in listen(db) }
        asked.withLock { $0 = [] }
        return asked
    }

    private func count(_ asked: Locked<[String]>, _ word: String) -> Int {
        asked.withLock { $0.count { $0.contains(word) } }
    }

    @Test func `what moves together is counted with one statement, and others' moves are counted too`() async throws {
        let journal = try Journal(path: path)
        let worker = try await journal.makeWorker()
        let asked = try await listen(to: journal)
        let batch = try await journal.accept(NewItem.photos(40))
        // Those that are waiting for `a`, for `b`, and the one that `b` refuses.
        #expect(count(asked, "INSERT INTO tally") == 3)
        asked.withLock { $0 = [] }
        let claims = try await worker.take(first: [batch], limit: 40)
        #expect(claims.count == 40 && count(asked, "INSERT INTO tally") == 2)
        asked.withLock { $0 = [] }
        let arrivals = claims.dropFirst().map {
            Arrival(claim: $0, receipt: Receipt(remoteID: "x", evidence: .verified))
        }
        #expect(try await journal.settle { arrivals } == arrivals.map { _ in Settled(.done) })
        #expect(count(asked, "INSERT INTO tally") == 2 && count(asked, "attendance") == 1)
        #expect(count(asked, "COMMIT") == 1)
        #expect(count(asked, "tally_moved") == 0, "nothing is counted for each row")
        // By whatever SQL.
        try await journal.execute("UPDATE submission SET state = 4 WHERE state = 0")
        #expect(count(asked, "tally_moved") == 39)
        try await TallyTableTests.expectRight(journal, "cancelled")
        try await journal.execute(
            """
            INSERT INTO submission (batch, item, destination, conflict, state)
                SELECT batch, item, 'c', conflict, 0 FROM submission WHERE destination = 'a'
            """)
        try await TallyTableTests.expectRight(journal, "copied")
    }

    @Test func `before an attempt nothing is asked, until anybody pauses or cancels anything`() async throws {
        let (journal, other) = (try Journal(path: path), try Journal(path: path))
        try await journal.accept(NewItem.photos(3))
        let worker = try await journal.makeWorker()
        let claims = try await worker.take(limit: 2)
        let asked = try await listen(to: journal)
        for claim in claims { #expect(try await journal.objection(to: claim) == nil) }
        #expect(asked.withLock { $0 } == [])
        _ = try await other.cancel(SubmissionSelection(submission: claims[1].id))
        #expect(try await journal.objection(to: claims[0]) == nil)
        #expect(try await journal.objection(to: claims[1]) == .cancelled)
        try await other.setPaused(true, ["a"])
        #expect(try await journal.objection(to: claims[0]) == .paused)
        try await other.setPaused(false, ["a"])
        #expect(try await journal.objection(to: claims[0]) == nil)
        let later = try #require(try await worker.take(limit: 1).first)
        asked.withLock { $0 = [] }
        #expect(try await journal.objection(to: later) == nil)
        #expect(asked.withLock { $0 } == [])
    }

    @Test func `a file of an unknown path is looked for once`() async throws {
        let journal = try Journal(path: path)
        let batch = try await journal.accept(NewItem.photos(2))
        let asked = try await listen(to: journal)
        let queries = ["/photos/0.jpg", "/elsewhere/0.jpg"].map {
            SourceQuery(path: $0, likeness: .bytes(Array(repeating: 7, count: 32)))
        }
        let known = try await journal.known(sources: queries)
        #expect(known.map(\.isKnownPath) == [true, false])
        #expect(known[0].submissions.map(\.batch) == [batch, batch] && known[1].submissions.isEmpty)
        #expect(count(asked, "FROM item") == 3)
    }

    @Test func `a journal whose rows are counted one by one goes on when it is opened`() async throws {
        let before = try Journal(path: path)
        let batch = try await before.accept(NewItem.photos(5))
        try await before.execute(
            """
            DROP TRIGGER submission_accepted; DROP TRIGGER submission_moved; DROP TRIGGER tally_moved; DROP VIEW tally_move;
            ALTER TABLE submission DROP COLUMN counted;
            CREATE TRIGGER submission_moved AFTER UPDATE OF state ON submission WHEN OLD.state <> NEW.state BEGIN
                UPDATE tally SET count = 100;
            END;
            DELETE FROM grdb_migrations WHERE identifier LIKE '16:%';
            """)
        let opened = try Journal(path: path)
        let worker = try await opened.makeWorker()
        let claims = try await worker.take(first: [batch], limit: 3)
        try await opened.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        _ = try await opened.cancel(SubmissionSelection(batch: batch, destination: "b"))
        try await opened.accept(NewItem.photos(2))
        try await TallyTableTests.expectRight(opened, "opened")
    }

    @Test(arguments: ["", "é", String(repeating: "x", count: 5000)])
    func `text and paths come back as they were written`(caption: String) async throws {
        let journal = try Journal(path: path)
        var item = NewItem.photos(1)[0]
        item.item.caption = caption
        item.item.source = FilePath("/photos/\(caption.prefix(20))\u{fffd}.jpg")
        item.item.modified = item.identity.modified
        try await journal.accept([item])
        let claim = try #require(try await journal.makeWorker().take().first)
        #expect(claim.item == item.item)
        try await journal.settle(claim, .done(Receipt(remoteID: caption, evidence: .verified, note: caption)))
        let record = try await journal.submissions(SubmissionSelection(submission: claim.id))[0]
        #expect(record.item == item.item && record.receipt?.remoteID == caption && record.receipt?.note == caption)
    }
}
