import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

/// How much stands where is known without counting.
@Suite struct TallyTests {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }
    private let failure = SubmitFailure(.giveUp, code: "test", message: "It failed.")

    private func items(_ count: Int, removal: SourceRemoval? = nil) -> [NewItem] {
        (0..<count).map { number in
            NewItem(
                item: MediaItem(
                    source: FilePath("/photos/\(number).jpg"), name: "\(number).jpg", size: Int64(number) + 1,
                    type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
                    modified: .now, digests: Digests([.sha256: Array(repeating: 7, count: 32)])),
                identity: SourceIdentity(size: Int64(number) + 1, modified: .now, inode: 1, device: 1),
                submissions: [
                    NewSubmission(destination: "a"),
                    NewSubmission(destination: "b", refusal: number == 0 ? failure : nil),
                ], removal: removal)
        }
    }

    /// What the table says, and what the rows say.
    private func expectRight(_ journal: Journal, _ what: Comment) throws {
        try journal.read { db in
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
        let batch = try await journal.begin()
        _ = try await journal.accept(items(9), in: batch)
        try expectRight(journal, "accepted")
        let claims = try await journal.claim(destination: "a", first: [batch], limit: 6)
        try expectRight(journal, "claimed")
        let receipt = Receipt(remoteID: "x", evidence: .verified)
        try await journal.settle(claims[0], .done(receipt))
        try await journal.settle(claims[1], .failed(failure))
        try await journal.settle(claims[2], .waits(failure, until: .now, counts: true))
        try await journal.settle(claims[3], .released)
        try await journal.settle(claims[4], .cancelled)
        try expectRight(journal, "settled")
        // Too late: another has it.
        #expect(try await journal.settle(claims[0], .failed(failure)) == nil)
        try await journal.settle(claims[5], .untried)
        try expectRight(journal, "given back")
        #expect(try await journal.retry(SubmissionSelection(batch: batch)) == 2)
        _ = try await journal.condemn(item: claims[1].itemID, failure)
        _ = try await journal.cancel(SubmissionSelection(batch: batch, destination: "b"))
        try expectRight(journal, "tried again, condemned, cancelled")
        #expect(try journal.tallies(SubmissionSelection(submission: claims[0].id)).map(\.bytes) == [1])
        #expect(try journal.destinationNames() == ["a", "b"])
        #expect(try journal.owedCounts() == ["a": 6])
    }

    @Test func `a journal of before is counted when it is opened`() async throws {
        let now = try Journal(path: path)
        let batch = try await now.begin()
        _ = try await now.accept(items(5), in: batch)
        try await now.write { db in
            try db.execute(
                sql: """
                    DROP TRIGGER submission_accepted; DROP TRIGGER submission_moved; DROP TABLE tally;
                    DROP INDEX submission_failed; DROP INDEX submission_put_off; DROP INDEX batch_open;
                    DROP TABLE removal; DELETE FROM grdb_migrations WHERE substr(identifier, 1, 1) >= '3';
                    """)
        }
        let opened = try Journal(path: path)
        try expectRight(opened, "opened")
        #expect(try opened.tallies(SubmissionSelection(batch: batch)).map(\.count) == [5, 4, 1])
    }

    @Test func `history is read page after page, and what is open is found beside a long one`() async throws {
        let journal = try Journal(path: path)
        var batches: [BatchID] = []
        for number in 0..<7 {
            let batch = try await journal.begin()
            if number != 2 { try await journal.seal(batch) }
            if number == 4 { _ = try await journal.accept(items(1), in: batch) }
            batches.append(batch)
        }
        let first = try journal.batches(limit: 3).map(\.id)
        #expect(first == batches.reversed().prefix(3).map(\.self))
        #expect(try journal.batches(before: first[2], limit: 3).map(\.id) == Array(batches[1...3].reversed()))
        #expect(try journal.batches([batches[5], 999, batches[0]]).map(\.id) == [batches[5], batches[0]])
        #expect(try journal.openBatches().map(\.id) == [batches[6], batches[4], batches[2]])
    }

    @Test func `of many batches those are unfinished that are owed something or were cut off`() async throws {
        let journal = try Journal(path: path)
        try await journal.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 500)
                    INSERT INTO batch (id, created, sealed) SELECT n, 0, 1 FROM number;
                    INSERT INTO tally SELECT id, 'a', 2, 1, 1 FROM batch;
                    INSERT INTO tally VALUES (7, 'a', 0, 1, 1), (7, 'b', 0, 1, 1), (300, 'a', 0, 1, 1), (400, 'a', 0, 1, 1),
                        (450, 'a', 1, 1, 1);
                    UPDATE batch SET sealed = 0 WHERE id IN (20, 30);
                    INSERT INTO acceptance (batch, request, after) VALUES (20, 'all', 0);
                    """)
        }
        #expect(try journal.unfinishedBatches() == [7, 20, 300, 400, 450])
    }

    @Test func `removals are known by their batches`() async throws {
        let journal = try Journal(path: path)
        var batches: [BatchID] = []
        for removal in [SourceRemoval(copies: 1), nil, SourceRemoval(copies: 2)] {
            let batch = try await journal.begin()
            _ = try await journal.accept(items(3, removal: removal), in: batch)
            batches.append(batch)
        }
        #expect(try journal.removalBatches() == [batches[0], batches[2]])
        #expect(try journal.removalDestinations(batches: nil) == ["a", "b"])
        #expect(try journal.removalDestinations(batches: [batches[1]]).isEmpty)
        #expect(try await journal.claimRemovals(batches: batches.reversed(), after: 1, limit: 3).map(\.itemID) == [2, 3, 7])
        #expect(try await journal.claimRemovals(batches: nil, after: 3, limit: 2).map(\.itemID) == [7, 8])
        let mine = try await journal.claimRemovals(batches: [batches[0]], after: 0, limit: 9)
        #expect(mine.map(\.batch) == Array(repeating: batches[0], count: 3))
        try await journal.settleRemoval(of: mine[0], .removed)
        for source in mine[1...] { try await journal.settleRemoval(of: source, .kept, failure) }
        let tally = try journal.removals(of: [batches[0], batches[1]])
        #expect(tally.removed == 1 && tally.kept == 2 && tally.wanted == 0)
        #expect(try journal.removalBatches() == [batches[2]])
        #expect(try journal.removalDestinations(batches: [batches[0]]).isEmpty)
        let kept = try await journal.cancel(SubmissionSelection(batch: batches[0])).keptSources
        #expect(kept == 0, "what is settled stays written down")
    }

    @Test func `whatever is the same file needs a source, also when it is owed again`() async throws {
        let journal = try Journal(path: path)
        let batch = try await journal.begin()
        // One inode, two names.
        _ = try await journal.accept([items(1, removal: SourceRemoval(copies: 1))[0], items(2)[1]], in: batch)
        let source = try #require(try await journal.claimRemovals(batches: nil, after: 0, limit: 1).first)
        func need() throws -> SourceNeed? {
            try journal.need(of: source, covers: { _, _ in false })
        }
        #expect(try need() == .submission(1, destination: "a", isFailed: false), "its own, first")
        for destination in ["a", "b"] {
            for claim in try await journal.claim(destination: destination, first: [batch], limit: 9) {
                try await journal.settle(claim, .done(Receipt(remoteID: "\(claim.id)", evidence: .verified)))
            }
        }
        #expect(try need() == nil, "what was refused beforehand needs nothing")
        let lost = LostCopy(submission: 3, outcome: "vanished", finding: failure, onConflict: .rename)
        _ = try await journal.owe(again: [lost])
        #expect(try need() == .submission(3, destination: "a", isFailed: false))
    }

    @Test func `other copies are those at other places, of each the last`() async throws {
        let journal = try Journal(path: path)
        let batch = try await journal.begin()
        _ = try await journal.accept(items(4), in: batch)
        for claim in try await journal.claim(destination: "a", first: [batch], limit: 9) {
            let place = claim.itemID < 3 ? "one" : "other"
            try await journal.settle(claim, .done(Receipt(remoteID: place, evidence: .accepted)))
        }
        let claim = try await journal.claim(destination: "b", first: [batch], limit: 1)[0]
        try await journal.settle(claim, .done(Receipt(remoteID: "one", evidence: .verified)))
        let records = try journal.submissions(SubmissionSelection(batch: batch), state: .done)
        #expect(records.map(\.id) == [1, 3, 4, 5, 7])
        for _ in 0..<2 {
            #expect(try await journal.copies(of: records[0]).map(\.id) == [7, 4], "neither itself nor what is in its place")
        }
        #expect(try journal.lastEvidence(at: "a") == .accepted && journal.lastEvidence(at: "b") == .verified)
        #expect(try journal.lastEvidence(at: "c") == nil)
        #expect(try journal.failedDestinations(SubmissionSelection()) == ["b"])
        #expect(try journal.failedDestinations(SubmissionSelection(destination: "a")).isEmpty)
        #expect(try journal.failedDestinations(SubmissionSelection(submission: 2)) == ["b"])
    }

    @Test func `what people ask all the time looks at no more rows than it tells of`() async throws {
        let journal = try Journal(path: path)
        let batch = try await journal.begin()
        _ = try await journal.accept(items(3, removal: SourceRemoval(copies: 1)), in: batch)
        let asked = Locked<[String]>([])
        let listen: @Sendable (Database) -> Void = { db in
            db.trace { event in asked.withLock { $0.append(event.expandedDescription) } }
        }
        try journal.read(listen)
        try await journal.write { db in listen(db) }
        _ = try journal.openBatches()
        _ = try journal.batches(limit: 5)
        _ = try journal.batches([batch])
        _ = try journal.tallies(SubmissionSelection(batch: batch))
        _ = try journal.tallies(SubmissionSelection(destination: "a"))
        _ = try journal.owedCounts()
        _ = try journal.destinationNames()
        _ = try journal.nextWaiting(SubmissionSelection(batch: batch, destination: "a"))
        _ = try journal.unknownOutcomes(SubmissionSelection(batch: batch))
        _ = try journal.submissions(SubmissionSelection(batch: batch), after: 2, limit: 2)
        for state in SubmissionState.allCases {
            _ = try journal.submissions(SubmissionSelection(), state: state, after: 2, limit: 2)
            _ = try journal.submissions(SubmissionSelection(batch: batch), state: state, after: 2, limit: 2)
            _ = try journal.submissions(SubmissionSelection(), destinations: ["a", "c"], state: state, limit: 2)
        }
        _ = try journal.failedDestinations(SubmissionSelection())
        _ = try journal.failedDestinations(SubmissionSelection(batch: batch))
        _ = try journal.lastEvidence(at: "a")
        _ = try journal.nextDue(destination: "a", batches: [batch])
        _ = try journal.nextDue(destination: "a")
        _ = try journal.owed(nil)
        _ = try journal.owed([batch])
        let worker = try journal.makeWorker()
        try await journal.attend([batch], worker)
        _ = try journal.outlook([batch], at: ["a"], for: worker)
        _ = try journal.outlook(nil, at: ["a"], for: worker)
        let open = try await journal.beginAcceptance("x", in: batch)
        _ = try await journal.takeUp(open)
        _ = try await journal.news(for: worker)
        _ = try journal.checkpoints(destination: "a")
        _ = try journal.isTaken("a", besides: worker)
        let claims = try await journal.claim(destination: "a", first: [batch], limit: 2)
        _ = try journal.cancelledClaims(of: worker)
        try await journal.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        _ = try await journal.condemn(item: 3, failure)
        _ = try await journal.copies(of: journal.submissions(SubmissionSelection(submission: claims[0].id))[0])
        _ = try journal.removalDestinations(batches: nil)
        _ = try journal.removalDestinations(batches: [batch])
        _ = try journal.removalBatches()
        _ = try journal.removals(of: [batch])
        _ = try await journal.claimRemovals(batches: nil, after: 1, limit: 2)
        let source = try await journal.claimRemovals(batches: [batch], after: 0, limit: 2)[0]
        _ = try journal.need(of: source, covers: { _, _ in false })
        _ = try await journal.beginRemoval(of: source, to: "/aside", covers: { _, _ in false })
        try await journal.settleRemoval(of: source, .removed)
        _ = try journal.removedSource(of: source.itemID)
        _ = try await journal.retry(SubmissionSelection(batch: batch))
        _ = try await journal.cancel(SubmissionSelection(batch: batch))
        _ = try await journal.cancel(SubmissionSelection())
        // Another process dies.
        try await journal.write { db in
            try db.execute(sql: "INSERT INTO worker (pid) VALUES (1)")
        }
        try await journal.recover()
        let tables = ["submission", "tally", "removal", "item", "batch"]
        let statements = Set(asked.withLock { $0 }.filter { text in tables.contains { text.contains($0) } })
        #expect(statements.count > 50, "the listener hears nothing")
        // Those of what is open; their size is what they tell of.
        let short = [
            "INDEX removal_open", "INDEX batch_open", "INDEX submission_waiting", "INDEX submission_running",
            "INDEX submission_failed", "INDEX submission_cancelled",
        ]
        try journal.read { db in
            for statement in statements where !["--", "CREATE"].contains(where: statement.hasPrefix) {
                for step in try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(statement)") {
                    let detail: String = step["detail"]
                    let what: Comment = "\(statement): \(detail)"
                    let isScan = tables.contains { detail.hasPrefix("SCAN \($0)") }
                    let isShort = short.contains(where: detail.contains)
                    #expect(!isScan || isShort, what)
                    #expect(!detail.contains("TEMP B-TREE") || !statement.contains("LIMIT"), what)
                    // From number to number, of whatever state: what is done is nearly all.
                    let isOfState = statement.contains("state =") && !statement.contains("AND state = 2 ORDER")
                    #expect(!isOfState || !detail.contains("(rowid>?)"), what)
                    // An open batch is found beside a million open photos of others.
                    let isOfBatch = statement.contains("submission.batch = ") && !statement.contains("rowid=?")
                    #expect(!isOfBatch || !isShort, what)
                }
            }
        }
    }
}
