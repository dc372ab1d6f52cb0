internal import Submit
internal import SubmitHTTP

/// A database of a CouchDB server: where it is, how it is spoken to, and what its answers mean.
struct CouchDatabase: Sendable {
    let endpoint: Endpoint
    let name: String
    /// For sentences.
    let destination: String
    /// Signs in, and follows redirects.
    let transport: any HTTPTransport
    /// The path of a file of certificates to trust, in PEM form.
    let authority: String?
    /// It is told who asks.
    let signsIn: Bool

    /// For sentences: the host, and the port if it is unusual.
    var host: String { endpoint.authority }

    /// The URL of the database.
    var url: String { endpoint.url("/" + PercentEncoding.encode(name)) }

    /// The URL of a document or of what belongs to one. Nothing in an id leads out of the database.
    func url(of id: String, _ rest: String = "") -> String { "\(url)/\(PercentEncoding.encode(id))\(rest)" }

    /// Sends a request and returns its answer, whatever its status.
    ///
    /// - Parameter file: the name of the file it is about, for sentences; `nil` for none.
    func send(_ request: HTTPRequest, about file: String? = nil) async throws(SubmitFailure) -> HTTPResponse {
        var request = request
        request.certificateAuthority = authority
        if !request.headers.contains(where: { $0.name == "Accept" }) {
            request.headers.append(("Accept", "application/json"))
        }
        do throws(HTTPFailure) {
            return try await transport.send(request)
        } catch {
            throw error.submitFailure(after: request, host: host, file: file)
        }
    }

    /// Asks for something by a JSON text.
    func post(_ path: String, _ json: String) async throws(SubmitFailure) -> HTTPResponse {
        try await send(
            HTTPRequest(
                method: "POST", url: "\(url)/\(path)", headers: [("Content-Type", "application/json")],
                body: .bytes(Array(json.utf8)), responseLimit: Self.longestAnswer))
    }

    func get(_ url: String, about file: String? = nil) async throws(SubmitFailure) -> HTTPResponse {
        try await send(HTTPRequest(method: "GET", url: url, responseLimit: Self.longestAnswer), about: file)
    }

    /// Bytes: a document is up to 8 MB.
    private static let longestAnswer = 16 << 20

    /// What stands there, in the order of the ids; `nil` for what was never there.
    ///
    /// - Throws: where that was not said of each: nothing that could not be asked counts as not there.
    func standing(_ ids: [String], about file: String? = nil) async throws(SubmitFailure) -> [StandingRevision?] {
        let answer = try await post("_all_docs", "{\"keys\":\(DocumentJSON.array(ids))}")
        guard answer.status == 200, !answer.isPage else { throw failure(answer, about: file) }
        guard let rows = answer.json(DocumentRows.self)?.rows, rows.map(\.key) == ids else { throw cut(about: file) }
        var standing: [StandingRevision?] = []
        for row in rows {
            if let value = row.value {
                standing.append(StandingRevision(revision: value.rev, isDeleted: value.deleted ?? false))
            } else if row.error == "not_found" {
                standing.append(nil)
            } else {
                throw cut(about: file)
            }
        }
        return standing
    }

    /// Those of these revisions that are not there, by id, each with the leaves that are.
    func missing(_ revisions: [(id: String, revision: String)]) async throws(SubmitFailure) -> [String: [String]] {
        let pairs = revisions.map { "\(DocumentJSON.string($0.id)):\(DocumentJSON.array([$0.revision]))" }
        let answer = try await post("_revs_diff", "{\(pairs.joined(separator: ","))}")
        guard answer.status == 200, !answer.isPage else { throw failure(answer, about: nil) }
        guard let all = answer.json(MissingRevisions.self) else { throw cut(about: nil) }
        var missing: [String: [String]] = [:]
        for (id, revision) in revisions where all[id]?.missing.contains(revision) ?? false {
            missing[id] = all[id]?.ancestors ?? []
        }
        return missing
    }

    /// A document as it is there now.
    ///
    /// - Parameter revision: that one, and no other.
    /// - Returns: `nil` where the database says that there is none.
    func document(
        _ id: String, revision: String? = nil, about file: String? = nil
    ) async throws(SubmitFailure) -> StoredDocument? {
        let query = revision.map { "&rev=\(PercentEncoding.encode($0))" } ?? ""
        let answer = try await get(url(of: id, "?att_encoding_info=true&conflicts=true" + query), about: file)
        if answer.saysNoDocument { return nil }
        guard answer.status == 200, !answer.isPage else { throw failure(answer, about: file) }
        guard let document = answer.json(StoredDocument.self) else { throw cut(about: file) }
        return document
    }

    /// What a document says as it is there now; `nil` where that cannot be told.
    func content(of id: String) async throws(SubmitFailure) -> DocumentContent? {
        let answer = try await get(url(of: id, ""), about: nil)
        return answer.status == 200 && !answer.isPage ? answer.json(DocumentContent.self) : nil
    }
}

extension HTTPResponse {
    /// The database says of a document that it is not there. A database that is not there says 404 too.
    var saysNoDocument: Bool {
        guard status == 404, let error = json(CouchError.self) else { return false }
        return error.error == "not_found" && ["missing", "deleted"].contains(error.reason)
    }

    var isSuccess: Bool { (200..<300).contains(status) }
}
