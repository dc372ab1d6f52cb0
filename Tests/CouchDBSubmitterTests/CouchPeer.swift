import Foundation
import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import SubmitTesting
import Testing

@testable import CouchDBSubmitter

/// A database that a test has to itself: at a server in memory, or at a real one.
///
/// The real one is that of `SUBMIT_COUCHDB=http://USER:PASSWORD@HOST:PORT`, an administrator's.
struct CouchPeer: Sendable {
    let transport: any HTTPTransport
    let origin: String
    let database: String
    let user: String
    let password: String
    let fake: FakeCouch?

    static func fake(_ fake: FakeCouch = FakeCouch()) -> CouchPeer {
        CouchPeer(
            transport: fake, origin: fake.origin, database: "photos", user: FakeCouch.user,
            password: FakeCouch.secret, fake: fake)
    }

    private static let address = ProcessInfo.processInfo.environment["SUBMIT_COUCHDB"].flatMap {
        URLComponents(string: $0)
    }
    private static let curl = Result { try CurlTransport(CurlConfiguration(userAgent: "submit-tests")) }

    static var hasReal: Bool { address != nil }

    /// A fresh database of the real server.
    static func real() async throws -> CouchPeer {
        let address = try #require(address)
        let peer = CouchPeer(
            transport: try curl.get(), origin: "http://\(address.host ?? ""):\(address.port ?? 5984)",
            database: "submit-test-\(UUID().uuidString.lowercased())", user: address.user ?? "",
            password: address.password ?? "", fake: nil)
        #expect(try await peer.ask("PUT", "").status == 201)
        return peer
    }

    /// Both, where there is a real one.
    enum Kind: String, CaseIterable, Sendable {
        case fake, real

        static var there: [Kind] { hasReal ? [.fake, .real] : [.fake] }
    }

    static func peer(_ kind: Kind) async throws -> CouchPeer {
        switch kind {
        case .fake: fake()
        case .real: try await real()
        }
    }

    func remove() async {
        if fake == nil { _ = try? await ask("DELETE", "") }
    }

    /// - Parameter values: settings beside those that it takes to get there.
    func submitter(
        _ values: [String: String] = [:], transport: (any HTTPTransport)? = nil, database: String? = nil
    ) throws(SubmitFailure) -> any Submitter {
        try CouchDBSubmitter.submitterType(transport: transport ?? self.transport).make(
            DestinationSettings(
                destination: "couch",
                values: values.merging(["url": origin, "database": database ?? self.database, "user": user]) { $1 },
                secrets: ["password": password]))
    }

    func tell(
        _ documents: [CatalogueDocument], _ values: [String: String] = [:], transport: (any HTTPTransport)? = nil
    ) async throws -> [CatalogueOutcome] {
        try await #require(try submitter(values, transport: transport).facets.catalogue).tell(documents)
    }

    // MARK: By other means than the submitter

    func ask(_ method: String, _ path: String, _ json: String? = nil) async throws -> HTTPResponse {
        let basic = Data("\(user):\(password)".utf8).base64EncodedString()
        return try await (fake ?? transport).send(
            HTTPRequest(
                method: method, url: "\(origin)/\(database)\(path)",
                headers: [("Authorization", "Basic \(basic)"), ("Content-Type", "application/json")],
                body: json.map { .bytes(Array($0.utf8)) } ?? .none, responseLimit: 64 << 20))
    }

    func object(_ method: String, _ path: String, _ json: String? = nil) async throws -> [String: Any] {
        let answer = try await ask(method, path, json)
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    private func escaped(_ id: String) -> String { PercentEncoding.encode(id) }

    /// The document as it is there; `nil` where there is none.
    func document(_ id: String) async throws -> [String: Any]? {
        let answer = try await ask("GET", "/\(escaped(id))")
        guard answer.status == 200 else { return nil }
        return try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    }

    /// The winners by id, deleted ones too.
    func winners(_ ids: [String]) async throws -> [String: (revision: String, isDeleted: Bool)] {
        let keys = String(decoding: try JSONSerialization.data(withJSONObject: ["keys": ids]), as: UTF8.self)
        let rows = try #require(try await object("POST", "/_all_docs", keys)["rows"] as? [[String: Any]])
        var winners: [String: (revision: String, isDeleted: Bool)] = [:]
        for row in rows {
            guard let id = row["id"] as? String, let value = row["value"] as? [String: Any] else { continue }
            winners[id] = (value["rev"] as? String ?? "", value["deleted"] as? Bool ?? false)
        }
        return winners
    }

    /// What is attached to pictures, by their ids.
    func attached() async throws -> [String: [UInt8]] {
        let rows = try #require(try await object("GET", "/_all_docs?include_docs=true")["rows"] as? [[String: Any]])
        var attached: [String: [UInt8]] = [:]
        for row in rows {
            guard let id = row["id"] as? String, let document = row["doc"] as? [String: Any],
                (document["_attachments"] as? [String: Any])?["media"] != nil
            else { continue }
            attached[id] = try await ask("GET", "/\(escaped(id))/media").body
        }
        return attached
    }

    /// Edits a document as somebody else does.
    @discardableResult
    func edit(_ id: String, _ members: String, deletes: Bool = false) async throws -> String {
        let winner = try await winners([id])[id]
        let revision = winner.map { ",\"_rev\":\"\($0.revision)\"" } ?? ""
        let answer = try await ask(
            "PUT", "/\(escaped(id))", "{\(members)\(revision)\(deletes ? ",\"_deleted\":true" : "")}")
        #expect(answer.status == 201 || answer.status == 200)
        return try await winners([id])[id]?.revision ?? ""
    }

    /// Merges a revision in as a replicator does.
    func merge(_ id: String, _ path: [String], isDeleted: Bool = false) async throws {
        let digests = path.map { "\"\($0.drop { $0 != "-" }.dropFirst())\"" }.joined(separator: ",")
        let document =
            "{\"_id\":\"\(id)\",\"_rev\":\"\(path[0])\",\"_revisions\":{\"start\":\(path[0].prefix { $0 != "-" }),"
            + "\"ids\":[\(digests)]}\(isDeleted ? ",\"_deleted\":true" : "")}"
        let answer = try await ask("POST", "/_bulk_docs", "{\"new_edits\":false,\"docs\":[\(document)]}")
        #expect(answer.status == 201)
    }
}

/// A front that does not know ranges.
final class RangelessTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let asked = Locked(0)

    init(_ transport: any HTTPTransport) { self.transport = transport }

    /// How many ranges it was asked for.
    var ranges: Int { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var request = request
        if request.headers.contains(where: { $0.name == "Range" }) { asked.withLock { $0 += 1 } }
        request.headers.removeAll { $0.name == "Range" }
        return try await transport.send(request)
    }
}
