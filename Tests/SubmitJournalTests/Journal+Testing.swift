import GRDB
import Submit
import SubmitStore
import SystemPackage

@testable import SubmitJournal

extension NewItem {
    /// Photos that are waiting for `a` and for `b`, which refuses the first.
    static func photos(_ count: Int, removal: SourceRemoval? = nil) -> [NewItem] {
        (0..<count).map { number in
            NewItem(
                item: MediaItem(
                    source: FilePath("/photos/\(number).jpg"), name: "\(number).jpg", size: Int64(number) + 1,
                    type: MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg"),
                    modified: .now, digests: Digests([.sha256: Array(repeating: 7, count: 32)])),
                identity: SourceIdentity(size: Int64(number) + 1, modified: .now, inode: 1, device: 1),
                submissions: [
                    NewSubmission(destination: "a"),
                    NewSubmission(destination: "b", refusal: number == 0 ? .scripted : nil),
                ], removal: removal)
        }
    }
}

extension SubmitFailure {
    static let scripted = SubmitFailure(.giveUp, code: "test", message: "It failed.")
}

extension Journal {
    func begin(in batch: BatchID? = nil) async throws -> OpenAcceptance {
        try await beginAcceptance("x", in: batch, key: IdempotencyKey())
    }

    /// Accepts all of a batch.
    @discardableResult
    func accept(_ items: [NewItem]) async throws -> BatchID {
        let acceptance = try await begin()
        _ = try await accept(items, for: acceptance, portion: 0)
        try await complete(acceptance)
        return acceptance.batch
    }

    func execute(_ sql: String) async throws {
        try await write { db in try db.execute(sql: sql) }
    }
}

extension StoreWorker {
    func take(_ destination: String = "a", first: [BatchID] = [], limit: Int = 100, inOrder: Bool = false) async throws
        -> [ClaimedSubmission]
    {
        try await claim(destination, first: first, others: true, limit: limit, inOrder: inOrder)
    }
}
