internal import Submit
internal import SubmitHTTP

/// Stores a small local document after an item failed, and removes it.
///
/// Nobody lists or replicates local documents, and a removed one leaves no tombstone (docs.couchdb.org, “Local
/// (non-replicating) Documents”).
struct DocumentTrial: TrialFacet {
    let database: CouchDatabase

    /// Bytes.
    private static let size = 4096

    func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult {
        // The id is not encoded as a whole: CouchDB knows local documents by the slash.
        let url = "\(database.url)/_local/submit-trial-\(context.submission)"
        let text = String(repeating: " ", count: Self.size)
        let answer = try await database.send(
            HTTPRequest(
                method: "PUT", url: url, headers: [("Content-Type", "application/json")],
                body: .bytes(Array("{\"trial\":\"\(text)\"}".utf8))))
        // It may be there whatever the answer says, also from an earlier trial.
        let there = try await database.get(url).json(LocalDocument.self)?.revision
        if let there {
            _ = try await database.send(
                HTTPRequest(method: "DELETE", url: "\(url)?rev=\(PercentEncoding.encode(there))"))
        }
        guard answer.isSuccess, !answer.isPage, there != nil else { throw database.failure(answer, about: nil) }
        return .stored
    }

    private struct LocalDocument: Decodable {
        let revision: String

        enum CodingKeys: String, CodingKey {
            case revision = "_rev"
        }
    }
}
