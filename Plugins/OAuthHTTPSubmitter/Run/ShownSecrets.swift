internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// The secrets that requests have shown of late: what a service says may have them in it.
final class ShownSecrets: Sendable {
    private static let most = 32
    private let secrets = Locked<[String]>([])

    func note(_ secret: String) {
        guard secret.utf8.count >= 4 else { return }
        secrets.withLock { secrets in
            secrets.removeAll { $0 == secret }
            secrets.append(secret)
            if secrets.count > Self.most { secrets.removeFirst() }
        }
    }

    /// A text in which they, and these, are replaced by `…`.
    func redacted(_ text: String, besides others: [String]) -> String {
        (secrets.withLock { $0 } + others).sorted { $0.utf8.count > $1.utf8.count }
            .reduce(text) { $0.replacing($1, with: "…") }
    }
}

/// Notes what is in the headers by which requests prove who sends them.
struct NotingTransport: HTTPTransport, CustomStringConvertible, CustomReflectable {
    let transport: any HTTPTransport
    let headerName: String
    let shown: ShownSecrets

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        for header in request.headers where header.name.lowercased() == headerName.lowercased() {
            let value = header.value
            if value.hasPrefix("OAuth "), value.contains("=\"") {
                // What OAuth 1.0a signs with is not in it; its token is (RFC 5849, section 3.5.1).
                for field in value.dropFirst(6).split(separator: ",") {
                    let parts = field.split(separator: "=", maxSplits: 1)
                    guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == "oauth_token" else { continue }
                    shown.note(WebForm.decode("token=\(parts[1].filter { $0 != "\"" })").first?.value ?? "")
                }
            } else {
                shown.note(value.split(separator: " ").last.map(String.init) ?? value)
            }
        }
        return try await transport.send(request)
    }

    var description: String { "noting transport" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
