import Submit
import SubmitConcurrency

@testable import ObjectStorageSubmitter
@testable import SubmitHTTP

/// Answers requests as a test says, and notes them.
final class ScriptedService: HTTPTransport {
    typealias Script = @Sendable (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>

    private let script: Script
    private let sent = Locked<[HTTPRequest]>([])

    init(_ script: @escaping Script) {
        self.script = script
    }

    /// Answers everything with one text.
    convenience init(_ status: Int, _ body: String) {
        self.init { _ in .success(HTTPResponse(status: status, body: Array(body.utf8))) }
    }

    /// Fails the test's expectations on ``log`` when it is asked at all.
    static var untouched: ScriptedService { ScriptedService { _ in .failure(.cannotConnect("untouched")) } }

    var requests: [HTTPRequest] { sent.withLock { $0 } }
    /// Such as `GET http://169.254.170.2/v2/credentials`.
    var log: [String] { requests.map { "\($0.method) \($0.url)" } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        sent.withLock { $0.append(request) }
        return try script(request).get()
    }
}

extension HTTPRequest {
    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

extension AccessKey {
    /// Whether these are its secrets, and are known as such.
    func holds(secret: String, token: String? = nil) -> Bool {
        self.secret == secret && (token == nil || sessionToken == token)
            && [secret, token].allSatisfy {
                KnownSecrets.redacted($0 ?? "…") == "…" || ($0?.utf8.count ?? 0) < KnownSecrets.shortest
            }
    }
}
