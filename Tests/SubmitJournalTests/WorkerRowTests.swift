import GRDB
import Submit
import SystemPackage
import Testing

@testable import SubmitJournal

/// Who works, as the journal writes it down.
@Suite struct WorkerRowTests {
    let folder = TemporaryFolder()

    private func open() throws -> Journal { try Journal(path: folder.path.appending("journal.sqlite")) }

    @Test func `one process is written down once, however many begin at the same moment`() async throws {
        let journal = try open()
        let batches = try await withThrowingTaskGroup(of: BatchID.self) { group in
            for _ in 0..<40 { group.addTask { try await journal.begin().batch } }
            var begun: [BatchID] = []
            for try await batch in group { begun.append(batch) }
            return begun
        }
        #expect(try await journal.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM worker") } == 1)
        #expect(Set(try await journal.unfinishedBatches()) == Set(batches))
    }

    @Test func `who could not be written down is taken for no other`() async throws {
        let (journal, other) = (try open(), try open())
        await #expect(throws: SubmitFailure.self) {
            try await journal.write { db in
                _ = try journal.own.id(db)
                throw CancellationError()
            }
        }
        _ = try await other.begin()
        _ = try await journal.begin()
        #expect(try await journal.sweep() == 0)
        let workers = try await journal.read { db in try journal.workers(db) }
        #expect(workers.count == 2)
        #expect(workers.values.allSatisfy { $0 })
    }

    /// One that was stopped says nothing for as long.
    @Test func `who has not said for long that it goes on holds up nobody`() async throws {
        let journal = try open()
        try await journal.accept(NewItem.photos(4))
        let (one, other) = (try await journal.makeWorker(), try await journal.makeWorker())
        #expect(try await one.take(limit: 2, inOrder: true).count == 2)
        #expect(try await other.take(limit: 2, inOrder: true).isEmpty)
        try await journal.execute("UPDATE worker SET beat = 0")
        #expect(try await other.isTakenByAnother("a") == false)
        #expect(try await other.outlook(nil, at: ["a"]).elsewhere == 0)
        #expect(try await other.take(limit: 1, inOrder: true).count == 1)
        #expect(try await journal.sweep() == 0, "it lives")
        try await one.beat()
        #expect(try await other.isTakenByAnother("a"))
    }
}
