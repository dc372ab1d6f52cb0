import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

/// What is asked all the time costs the same beside a million rows.
@Suite struct QueryPlanTests {
    let folder = TemporaryFolder()

    @Test func `what people ask all the time looks at no more rows than it tells of`() async throws {
        let journal = try Journal(path: folder.path.appending("journal.sqlite"))
        let batch = try await journal.accept(NewItem.photos(3, removal: SourceRemoval(copies: 1)))
        let asked = Locked<[String]>([])
        let listen: @Sendable (Database) -> Void = { db in
            db.trace { event in asked.withLock { $0.append(event.expandedDescription) } }
        }
        try await journal.read(listen)
        try await journal.write { db in listen(db) }
        try await list(journal, batch)
        try await work(journal, batch)
        // Another process dies.
        try await journal.execute("INSERT INTO worker (pid) VALUES (1)")
        try await journal.sweep()
        let tables = ["submission", "tally", "removal", "item", "batch"]
        let statements = Set(asked.withLock { $0 }.filter { text in tables.contains { text.contains($0) } })
        #expect(statements.count > 50, "the listener hears nothing")
        // Those of what is open; their size is what they tell of.
        let short = [
            "INDEX removal_open", "INDEX batch_open", "INDEX submission_waiting", "INDEX submission_running",
            "INDEX submission_failed", "INDEX submission_cancelled",
            // Its first row is enough.
            "INDEX batch_prioritised",
        ]
        try await journal.read { db in
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

    private func list(_ journal: Journal, _ batch: BatchID) async throws {
        let (all, ofBatch) = (SubmissionSelection(), SubmissionSelection(batch: batch))
        _ = try await journal.openBatches()
        _ = try await journal.batches(before: nil, limit: 5)
        _ = try await journal.batches([batch])
        _ = try await journal.latest(at: "a", in: batch, of: [batch], after: nil, limit: 5)
        _ = try await journal.tallies(ofBatch)
        _ = try await journal.tallies(SubmissionSelection(destination: "a"))
        _ = try await journal.destinationNames()
        _ = try await journal.nextWaiting(SubmissionSelection(batch: batch, destination: "a"))
        _ = try await journal.unknownOutcomes(ofBatch)
        _ = try await journal.submissions(ofBatch, after: 2, limit: 2)
        for state in SubmissionState.allCases {
            _ = try await journal.submissions(all, destinations: [], state: state, after: 2, limit: 2)
            _ = try await journal.submissions(ofBatch, destinations: [], state: state, after: 2, limit: 2)
            _ = try await journal.submissions(all, destinations: ["a", "c"], state: state, after: nil, limit: 2)
        }
        _ = try await journal.failedDestinations(all)
        _ = try await journal.failedDestinations(ofBatch)
        _ = try await journal.lastEvidence(at: "a")
        _ = try await journal.waiting(nil)
        _ = try await journal.waiting([batch])
        _ = try await journal.arrivals(at: "a")
        _ = try await journal.known(keys: ["k"])
        _ = try await journal.checkpoints(destination: "a", of: nil)
        _ = try await journal.removalDestinations(batches: nil)
        _ = try await journal.removalDestinations(batches: [batch])
        _ = try await journal.removalBatches()
        _ = try await journal.removals(of: [batch])
    }

    private func work(_ journal: Journal, _ batch: BatchID) async throws {
        let (worker, other) = (try await journal.makeWorker(), try await journal.makeWorker())
        try await worker.attend([batch])
        _ = try await worker.nextDue("a", of: [batch])
        _ = try await worker.nextDue("a", of: nil)
        _ = try await worker.outlook([batch], at: ["a"])
        _ = try await worker.outlook(nil, at: ["a"])
        let open = try await journal.begin(in: batch)
        _ = try await journal.takeUp(open, key: IdempotencyKey())
        _ = try await worker.isTakenByAnother("a")
        let claims = try await other.take(first: [batch], limit: 2)
        _ = try await other.held(at: "a")
        _ = try await other.cancelledClaims()
        _ = try await journal.objection(to: claims[0])
        try await journal.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        try await journal.settle(claims[0], .done(Receipt(remoteID: "x", evidence: .verified)))
        _ = try await worker.news(after: nil)
        _ = try await journal.condemn(item: 3, .scripted, key: IdempotencyKey())
        _ = try await journal.copies(of: journal.submissions(SubmissionSelection(submission: claims[0].id))[0])
        _ = try await journal.claimRemovals(batches: nil, after: 1, limit: 2)
        let source = try await journal.claimRemovals(batches: [batch], after: 0, limit: 2)[0]
        _ = try await journal.need(of: source, besides: [])
        _ = try await journal.beginRemoval(of: source, to: "/aside", besides: [])
        try await journal.settleRemoval(of: source, .removed)
        _ = try await journal.removedSource(of: source.itemID)
        _ = try await journal.retry(SubmissionSelection(batch: batch))
        _ = try await journal.takeUp([batch], at: ["a"])
        _ = try await journal.cancel(SubmissionSelection(batch: batch))
        _ = try await journal.cancel(SubmissionSelection())
    }
}
