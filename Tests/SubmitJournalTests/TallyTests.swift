import Foundation
import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

/// How much stands where is known without counting.
@Suite struct TallyTests {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }
    private let failure = SubmitFailure(.giveUp, code: "test", "It failed.")

    private func items(_ count: Int) -> [NewItem] {
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
                ])
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
        let claims = try await journal.claim(destination: "a", batches: [batch], limit: 6)
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
        try await journal.leave([batch])
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
                    DELETE FROM grdb_migrations WHERE identifier LIKE '3:%' OR identifier LIKE '4:%'; DROP TABLE removal;
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

    @Test func `what people ask all the time looks at no more rows than it tells of`() async throws {
        let journal = try Journal(path: path)
        let batch = try await journal.begin()
        _ = try await journal.accept(items(3), in: batch)
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
        _ = try journal.tallies(SubmissionSelection())
        _ = try journal.owedCounts()
        _ = try journal.destinationNames()
        _ = try journal.nextWaiting(SubmissionSelection(batch: batch, destination: "a"))
        _ = try journal.unknownOutcomes(SubmissionSelection(batch: batch))
        _ = try journal.submissions(SubmissionSelection(batch: batch), after: 2, limit: 2)
        _ = try journal.submissions(SubmissionSelection(), state: .failed, after: 2, limit: 2)
        _ = try journal.nextDue(destination: "a", batches: [batch])
        try await journal.leave([batch])
        _ = try await journal.adopt()
        _ = try await journal.claim(destination: "a", batches: [batch], limit: 2)
        try await journal.recover()
        let statements = Set(asked.withLock { $0 }.filter { $0.contains("submission") || $0.contains("tally") })
        #expect(statements.count > 10, "the listener hears nothing")
        try journal.read { db in
            for statement in statements where !statement.hasPrefix("--") {
                for step in try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(statement)") {
                    let detail: String = step["detail"]
                    #expect(!detail.hasPrefix("SCAN submission") && !detail.hasPrefix("SCAN item"), "\(statement)")
                    #expect(!detail.contains("TEMP B-TREE") || !statement.contains("LIMIT"), "\(statement): \(detail)")
                }
            }
        }
    }
}
