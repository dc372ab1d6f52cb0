internal import Submit
internal import SubmitConcurrency

/// Keeps those of this process apart who write one document: each looks what stands there, and then writes after that.
///
/// Telling never waits for a photo that is uploaded: it is told later.
final class DocumentClaims: Sendable {
    /// For all destinations: two may be one database.
    static let all = DocumentClaims()

    private let turns = KeyedLock()
    /// By how many.
    private let uploads = Locked<[String: Int]>([:])

    /// What a document is claimed by.
    static func name(_ id: String, at database: String) -> String { "\(database) \(id)" }

    /// Runs `body` while nobody else tells these documents.
    ///
    /// - Parameter body: gets those that are being uploaded meanwhile, and may not be told.
    func telling<Result: Sendable>(
        _ names: [String], _ body: (Set<String>) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        // In one order, lest two wait for each other.
        let names = names.sorted()
        var held = 0
        defer { for name in names[..<held] { turns.release(name) } }
        for name in names {
            guard await turns.acquire(name) else { throw .cancelled }
            held += 1
        }
        return try await body(uploads.withLock { uploads in Set(names.filter { uploads[$0] != nil }) })
    }

    /// Runs `body` while nobody tells this document.
    func uploading<Result: Sendable>(
        _ name: String, _ body: () async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        guard await turns.acquire(name) else { throw .cancelled }
        uploads.withLock { $0[name, default: 0] += 1 }
        turns.release(name)
        defer { uploads.withLock { $0[name] = $0[name] == 1 ? nil : $0[name]! - 1 } }
        return try await body()
    }
}
