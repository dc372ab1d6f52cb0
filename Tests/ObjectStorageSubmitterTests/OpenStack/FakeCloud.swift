import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// Identity v3, v1 authentication and an object store in memory, behind a transport.
final class FakeCloud: HTTPTransport {
    struct Sent: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var body: [UInt8]

        subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    }

    /// Answers instead of the cloud; `nil` lets it answer.
    typealias Script = @Sendable (Sent) -> Result<HTTPResponse, HTTPFailure>?

    private struct State {
        var sent: [Sent] = []
        var lastToken = 0
        var good: Set<String> = []
        var now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
    }

    static let identity = "https://identity.example"
    static let store = "https://store.example/v1/AUTH_1"
    static let password = "s3cr3t-password"
    /// Of a token, in seconds.
    static let life = 3600

    private let script: Script
    private let state = Locked(State())

    init(script: @escaping Script = { _ in nil }) {
        self.script = script
    }

    var sent: [Sent] { state.withLock { $0.sent } }
    /// How often someone signed in.
    var signIns: Int { sent.filter(\.isSignIn).count }
    var now: @Sendable () -> Timestamp { { self.state.withLock { $0.now } } }

    func pass(seconds: Int) {
        state.withLock { $0.now.nanoseconds += Int64(seconds) * 1_000_000_000 }
    }

    func revokeAll() {
        state.withLock { $0.good = [] }
    }

    func keeper(
        _ values: [String: String] = [:], secrets: [String: String] = ["password": FakeCloud.password],
        environment: [String: String] = [:]
    ) throws(SubmitFailure) -> StorageTokenClient {
        let all = ["auth_url": Self.identity, "username": "tester", "project_name": "photos"].merging(values) { $1 }
        return try StorageTokenClient(
            DestinationSettings(destination: "cloud", values: all, secrets: secrets), environment: environment,
            transport: self,
            now: now)
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        var body: [UInt8] = []
        if case .bytes(let bytes) = request.body { body = bytes }
        let sent = Sent(method: request.method, url: request.url, headers: request.headers, body: body)
        state.withLock { $0.sent.append(sent) }
        await Task.yield()
        if Task.isCancelled { throw .cancelled }
        if let answer = script(sent) { return try answer.get() }
        guard sent.isSignIn else {
            let isGood = state.withLock { $0.good.contains(sent["x-auth-token"] ?? "") }
            return HTTPResponse(status: isGood ? 200 : 401)
        }
        let (token, now) = state.withLock { state in
            state.lastToken += 1
            state.good.insert("token-\(state.lastToken)")
            return ("token-\(state.lastToken)", state.now)
        }
        if sent.method == "GET" {
            return HTTPResponse(
                status: 200,
                headers: [
                    ("X-Auth-Token", token), ("X-Storage-Url", Self.store), ("X-Auth-Token-Expires", "\(Self.life)"),
                ])
        }
        return .token(token, issued: now.seconds, life: Self.life)
    }
}

extension FakeCloud.Sent {
    var isSignIn: Bool { url.hasPrefix(FakeCloud.identity) }
}

extension HTTPResponse {
    /// What Keystone answers; its clock is an hour ahead.
    static func token(
        _ token: String, issued: Int64 = 1_800_000_000, life: Int = 3600, catalogue: String = catalogue
    ) -> HTTPResponse {
        func text(_ seconds: Int64) -> String {
            Date(timeIntervalSince1970: Double(seconds + 3600)).ISO8601Format().dropLast() + ".000000Z"
        }
        let body = """
            {"token": {"methods": ["password"], "issued_at": "\(text(issued))", "expires_at":
            "\(text(issued + Int64(life)))", "catalog": \(catalogue), "user": {"name": "tester"}}}
            """
        return HTTPResponse(
            status: 201, headers: [("Content-Type", "application/json"), ("X-Subject-Token", token)],
            body: Array(body.utf8))
    }

    static let catalogue = endpoints([("public", "RegionOne", FakeCloud.store)])

    /// A catalogue with an identity service, and an object store at these addresses.
    static func endpoints(_ all: [(interface: String, region: String, url: String)]) -> String {
        let list = all.map {
            """
            {"interface": "\($0.interface)", "region": "\($0.region)", "region_id": "\($0.region)", "url": "\($0.url)"}
            """
        }
        return """
            [{"type": "identity", "name": "keystone", "endpoints": [{"interface": "public", "region": "RegionOne",
            "url": "https://identity.example/v3"}]},
            {"type": "object-store", "name": "any", "endpoints": [\(list.joined(separator: ","))]}]
            """
    }

    /// What Keystone answers when it refuses something.
    static func refusal(
        _ status: Int, _ message: String, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: headers + [("Content-Type", "application/json")],
            body: Array("{\"error\":{\"code\":\(status),\"message\":\"\(message)\",\"title\":\"No\"}}".utf8))
    }
}

extension StorageTokenClient {
    /// A request for a container.
    @discardableResult
    func list(file: String? = nil) async throws(SubmitFailure) -> HTTPResponse {
        try await send(file: file) { storage in HTTPRequest(method: "GET", url: storage.url("/photos")) }
    }
}
