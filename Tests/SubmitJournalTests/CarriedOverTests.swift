import Foundation
import GRDB
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitJournal

/// The journal's file as somebody finds it who stores it away.
@Suite(.timeLimit(.minutes(2))) struct `What stands in the log alone` {
    let folder = TemporaryFolder()
    private var path: FilePath { folder.path.appending("journal.sqlite") }

    /// The batches of a copy of the one file.
    private func stored() throws -> Int? {
        let copy = folder.path.appending("stored-\(UUID().uuidString).sqlite").string
        try FileManager.default.copyItem(atPath: path.string, toPath: copy)
        return try DatabaseQueue(path: copy).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM batch") }
    }

    @Test func `is carried over, so that the file alone is whole`() async throws {
        let (journal, other) = (try Journal(path: path), try Journal(path: path))
        try await journal.accept(NewItem.photos(2))
        try await other.accept(NewItem.photos(2))
        #expect(try stored() == 0)
        try carryOver(journal)
        #expect(try stored() == 2)
        #expect(JournalFile.size(FilePath(path.string + "-wal")) == 0)
    }

    @Test func `stays there as long as somebody reads or writes, who is not waited for`() async throws {
        let (journal, other) = (try Journal(path: path), try Journal(path: path))
        try await journal.accept(NewItem.photos(1))
        let end = DispatchSemaphore(value: 0)
        await onThread { began in
            try? other.pool.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM batch")
                began()
                end.wait()
            }
        }
        try await journal.accept(NewItem.photos(1))
        let start = ContinuousClock.now
        try carryOver(journal)
        await onThread { began in
            try? other.pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    began()
                    end.wait()
                    return .commit
                }
            }
        }
        try carryOver(journal)
        #expect(ContinuousClock.now - start < .seconds(10), "others may have it for 20 s")
        #expect(try stored() ?? 0 < 2)
        for _ in 0..<2 { end.signal() }
        try await journal.accept(NewItem.photos(1))
        // The reader may need a moment to end.
        repeat { try carryOver(journal) } while try stored() != 3
    }

    private func carryOver(_ journal: Journal) throws { try #require(journal.pool as? DatabasePool).carryOver() }

    /// Runs something that blocks its thread, until it says that it has begun.
    private func onThread(_ body: @escaping @Sendable (_ began: @escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in
            Thread { body { continuation.resume() } }.start()
        }
    }
}
