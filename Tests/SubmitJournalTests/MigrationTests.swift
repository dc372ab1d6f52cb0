import GRDB
import Submit
import SubmitCatalogue
import SystemPackage
import Testing

@testable import SubmitJournal

/// Journals of older versions.
@Suite struct MigrationTests {
    let folder = TemporaryFolder()

    private func open() throws -> Journal { try Journal(path: folder.path.appending("journal.sqlite")) }

    @Test func `one from before sources could be removed gets a place for that`() async throws {
        try await open().execute(
            "DROP TABLE removal; DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= 4")
        #expect(try await open().removalBatches().isEmpty)
    }

    @Test(arguments: [true, false])
    func `one whose removals do not know their batch is taught, and others stay as they are`(isOld: Bool) async throws {
        let journal = try open()
        try await journal.accept([])
        let items = NewItem.photos(1, removal: SourceRemoval(copies: 1))
        let batch = try await journal.accept(items)
        if isOld {
            try await journal.execute(
                """
                DROP INDEX removal_open_batch; DROP INDEX removal_batch; DROP INDEX item_path;
                ALTER TABLE removal DROP COLUMN batch;
                """)
        }
        try await journal.execute("DELETE FROM grdb_migrations WHERE identifier LIKE '5:%'")
        let opened = try open()
        #expect(try await opened.removalBatches() == [batch])
        #expect(try await opened.claimRemovals(batches: [batch], after: 0, limit: 10).map(\.batch) == [batch])
        let more = try await opened.begin(in: batch)
        #expect(try await opened.accept(items, for: more, portion: 0)?.count == 1)
    }

    @Test func `one from before others sent things in gets a place for that`() async throws {
        let undoing = "DROP TABLE incoming_file; DROP TABLE receiving_session; DROP TABLE invite;"
        for undoing in [undoing, ""] {
            try await open().execute("\(undoing) DELETE FROM grdb_migrations WHERE identifier LIKE '19:%'")
            let opened = try open()
            #expect(opened.migratedFrom == 20, "the two after it were there")
            #expect(try await opened.openIncomingFiles().isEmpty)
            #expect(try await opened.invites(nil).isEmpty)
        }
    }

    @Test func `one from before the catalogue takes in what was published by then, in the order of acceptance`()
        async throws
    {
        var journal: Journal? = try open()
        var items = NewItem.photos(5)
        for index in items.indices {
            items[index].item.digests[.sha256] = Array(repeating: UInt8(index), count: 32)
            items[index].item.caption = "Photo \(index)"
            items[index].submissions[0].album = "Album"
        }
        _ = try await journal?.accept(items)
        var worker = try await journal?.makeWorker()
        for claim in (try await worker?.take() ?? []).dropFirst().reversed() {
            try await journal?.settle(claim, .done(Receipt(remoteID: claim.item.name, evidence: .verified)))
        }
        let tables = [
            "picture_words", "picture_search", "picture_unsearched", "picture_tag", "picture_album", "picture_item",
            "picture_revision", "picture_gone", "tag", "album", "picture", "document_revision", "follower", "untold",
            "catalogue",
        ]
        try await journal?.execute(
            "DROP VIEW picture_copy;" + tables.map { "DROP TABLE \($0);" }.joined()
                + "DELETE FROM grdb_migrations WHERE identifier LIKE '20:%' OR identifier LIKE '21:%'")
        (worker, journal) = (nil, nil)
        let opened = try open()
        #expect(opened.migratedFrom == 19)
        #expect(try await opened.pictures(try CatalogueQuery(order: [.newest])).pictures.isEmpty)
        while try await opened.catchUp() {}
        let pictures = try await opened.pictures(try CatalogueQuery(order: [.newest])).pictures
        #expect(pictures.map(\.caption) == ["Photo 4", "Photo 3", "Photo 2", "Photo 1"])
        #expect(pictures.allSatisfy { $0.albums == ["Album"] && $0.copies.map(\.destination) == ["a"] })
        #expect(try await opened.countPictures(.everything, try SearchWords("photo")) == 4)
        #expect(try await opened.catalogueFlaws().isEmpty)
        #expect(try await opened.catchUp() == false)
    }

    /// Takes a journal back to what it was before its last step.
    static let back11 = """
        ALTER TABLE destination RENAME COLUMN hold_reason TO parked;
        ALTER TABLE destination RENAME COLUMN hold_until TO parked_until;
        ALTER TABLE destination RENAME COLUMN holds TO parkings;
        ALTER TABLE destination RENAME COLUMN held_by TO parked_by;
        ALTER TABLE batch RENAME COLUMN complete TO sealed;
        DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= 12;
        """
    private static let back10 =
        back11 + """
            ALTER TABLE acceptance DROP COLUMN key; ALTER TABLE acceptance DROP COLUMN portions;
            ALTER TABLE acceptance DROP COLUMN first; ALTER TABLE destination DROP COLUMN parked_by;
            ALTER TABLE submission DROP COLUMN condemned_by; ALTER TABLE item DROP COLUMN acceptance;
            DROP TABLE news;
            CREATE TABLE news (
                worker INTEGER NOT NULL, submission INTEGER NOT NULL, PRIMARY KEY (worker, submission)
            ) WITHOUT ROWID;
            INSERT INTO news SELECT worker, 1 FROM attendance;
            DELETE FROM grdb_migrations WHERE identifier LIKE '11:%';
            """
    private static let back9 = "DROP TABLE idempotency; DELETE FROM grdb_migrations WHERE identifier LIKE '10:%';"

    @Test(arguments: [back11, back10, back10 + back9])
    func `one in which things are under way opens and goes on`(undoing: String) async throws {
        var journal: Journal? = try open()
        let acceptance = try #require(try await journal?.begin())
        _ = try await journal?.accept(NewItem.photos(3), for: acceptance, portion: 0)
        var worker = try await journal?.makeWorker()
        try await worker?.attend([acceptance.batch])
        let claim = try #require(try await worker?.take(limit: 1).first)
        _ = try await journal?.hold("a", .unreachable, .scripted, by: claim, isProbe: false, looks: [.zero])
        try await journal?.execute(undoing)
        (journal, worker) = (nil, nil)

        let opened = try open()
        while try await opened.sweep() == 0 { await Task.yield() }
        // What it was on hold for is told again by another, and counts.
        #expect(try await opened.state(of: "a").hold?.count == 1)
        let (sender, watcher) = (try await opened.makeWorker(), try await opened.makeWorker())
        let probe = try await sender.take()
        #expect(probe.map(\.id) == [claim.id], "one looks whether it works again")
        for _ in 0..<2 {
            let state = try await opened.hold(
                "a", .unreachable, .scripted, by: probe[0], isProbe: true, looks: [.zero])
            #expect(state.hold?.count == 2)
        }
        // It is heard what others make of it.
        try await watcher.attend([acceptance.batch])
        #expect(try await watcher.news(after: nil).news.isEmpty)
        try await opened.settle(probe[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        let news = try await watcher.news(after: nil)
        #expect(news.news.map(\.id) == [claim.id])
        #expect(try await watcher.news(after: news.heard).news.isEmpty)
        // What was cut off is completed, with keys now.
        #expect(try await opened.openAcceptances(of: nil) == [acceptance])
        #expect(try await opened.sources(of: acceptance).count == 3)
        let key = IdempotencyKey()
        for _ in 0..<2 { #expect(try await opened.takeUp(acceptance, key: key)) }
        #expect(try await opened.known(keys: ["k"]).isEmpty)
        var items = NewItem.photos(5).suffix(2).map(\.self)
        items[0].idempotencyKey = "k"
        let first = try #require(try await opened.accept(items, for: acceptance, portion: 0))
        let again = try #require(try await opened.accept(items, for: acceptance, portion: 0))
        #expect(first[1] == again[1])
        #expect(try await opened.known(keys: ["k"]).count == 1)
        try await opened.complete(acceptance)
        #expect(try await opened.batches([acceptance.batch]).map(\.isComplete) == [true])
        #expect(try await opened.tallies(SubmissionSelection()).map(\.count) == [4, 1, 4, 1])
    }
}
