import Foundation
import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP
import TestServers

/// A CouchDB in memory, behind a transport: with a revision tree of its own for each document, and answers as they were measured
/// at CouchDB 3.5.0. It knows nothing of the submitter's code.
final class FakeCouch: HTTPTransport {
    struct Attachment: Sendable {
        var type: String
        var bytes: [UInt8]

        /// The server compresses these (default.ini, `compressible_types`).
        var isCompressed: Bool {
            type.hasPrefix("text/")
                || ["application/json", "application/javascript", "application/xml"].contains(type)
        }

        var md5: String {
            let stored = isCompressed ? Array("gzip:".utf8) + bytes : bytes
            return "md5-" + Data(FakeCouch.md5(stored)).base64EncodedString()
        }

        var told: [String: Any] {
            var told: [String: Any] = [
                "content_type": type, "length": bytes.count, "digest": md5, "stub": true, "revpos": 0,
            ]
            if isCompressed { told["encoding"] = "gzip" }
            return told
        }
    }

    /// One revision of a document.
    struct Node: Sendable {
        var parent: String?
        /// The members without those that begin with `_`, as JSON; `nil` for one that is only known by its name.
        var body: Data?
        var isDeleted = false
        var attachments: [String: Attachment] = [:]
    }

    struct Document: Sendable {
        var nodes: [String: Node] = [:]

        var leaves: [String] {
            let parents = Set(nodes.values.compactMap(\.parent))
            return nodes.keys.filter { !parents.contains($0) }
        }

        /// Not deleted, then the longest history, then the greatest text.
        var winner: String? {
            leaves.max { a, b in
                let (first, second) = (nodes[a]!, nodes[b]!)
                if first.isDeleted != second.isDeleted { return first.isDeleted }
                let (x, y) = (FakeCouch.generation(a), FakeCouch.generation(b))
                return x != y ? x < y : a < b
            }
        }

        /// - Parameter path: newest first.
        mutating func merge(_ path: [String], _ node: Node) {
            guard let newest = path.first, nodes[newest]?.body == nil else { return }
            if nodes[newest] != nil {
                let parent = nodes[newest]!.parent
                nodes[newest] = node
                nodes[newest]!.parent = parent
            } else {
                nodes[newest] = node
            }
            for (child, parent) in zip(path, path.dropFirst()) {
                if nodes[child]!.parent == nil { nodes[child]!.parent = parent }
                if nodes[parent] == nil { nodes[parent] = Node() }
            }
        }
    }

    struct State: Sendable {
        var databases: [String: [String: Document]] = [:]
        /// Such as `POST /photos/_all_docs`.
        var log: [String] = []
        var sentBodies = 0
        var taken: Int64 = 0
        var cookies = 0
        /// Numbers of revisions of local documents.
        var local: [String: Int] = [:]
        var under = 0
        var widest = 0
    }

    /// What to do with a request in place of answering it; `nil` lets it be answered.
    typealias Script = @Sendable (HTTPRequest, FakeCouch) async throws(HTTPFailure) -> HTTPResponse?

    /// Of its own: those of one process who write to one database wait for each other.
    let origin = "http://\(UUID().uuidString.lowercased()).localhost:9"
    static let user = "couch-user"
    static let secret = "fake-couch-s3cret"

    private let script: Script
    let state: Locked<State>

    init(databases: [String] = ["photos"], script: @escaping Script = { _, _ in nil }) {
        self.script = script
        state = Locked(State(databases: Dictionary(uniqueKeysWithValues: databases.map { ($0, [:]) })))
    }

    var log: [String] { state.withLock { $0.log } }
    var sentBodies: Int { state.withLock { $0.sentBodies } }
    func forgetLog() { state.withLock { ($0.log, $0.sentBodies) = ([], 0) } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if let answer = try await script(request, self) { return answer }
        return try await answer(request)
    }

    /// As the server does, whatever the script says.
    func answer(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let body = try await read(request)
        return state.withLock { state in
            var call = Call(request, body)
            state.log.append("\(call.method) /\(call.path.joined(separator: "/"))")
            guard call.isFrom(state) else {
                if call.path == ["_session"] { return call.signIn(&state) }
                return .error(401, "unauthorized", "Name or password is incorrect.")
            }
            return call.answer(&state)
        }
    }

    private func read(_ request: HTTPRequest) async throws(HTTPFailure) -> [UInt8] {
        guard case .media(let media, let range) = request.body else {
            do throws(SubmitFailure) { return try request.body.contents() } catch { throw .body(error) }
        }
        state.withLock { state in
            state.under += 1
            state.widest = max(state.widest, state.under)
        }
        defer { state.withLock { $0.under -= 1 } }
        var bytes: [UInt8] = []
        while Int64(bytes.count) < range.upperBound - range.lowerBound {
            if Task.isCancelled { throw .cancelled }
            let start = range.lowerBound + Int64(bytes.count)
            do throws(SubmitFailure) {
                let piece = try media.bytes(in: start..<min(start + (64 << 10), range.upperBound))
                bytes += piece
                state.withLock { $0.taken += Int64(piece.count) }
            } catch {
                throw .body(error)
            }
            request.sent?(Int64(bytes.count))
            await Task.yield()
        }
        if Task.isCancelled { throw .cancelled }
        return bytes
    }

    static func generation(_ revision: String) -> Int { Int(revision.prefix { $0 != "-" }) ?? 0 }

    static func md5(_ bytes: [UInt8]) -> [UInt8] {
        var pass = DigestPass([.md5])
        bytes.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.md5]!
    }
}

extension HTTPResponse {
    static func json(_ status: Int, _ value: Any) -> HTTPResponse {
        let data = try! JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed])
        return HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(data))
    }

    static func error(_ status: Int, _ error: String, _ reason: String) -> HTTPResponse {
        json(status, ["error": error, "reason": reason])
    }
}
