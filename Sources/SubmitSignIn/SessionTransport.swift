internal import Submit
internal import SubmitConcurrency
public import SubmitHTTP

/// A transport that signs in by a form, as CouchDB's `/_session` wants it, and sends the cookie that it got to one origin and
/// to no other.
///
/// It signs in before the first request, once for all who wait, and again when a request is refused: then that request is sent
/// once more, with its body from its start. A cookie that the server renews takes the place of the one before. The cookie ends
/// with the process.
///
/// Belongs inside a `RedirectingTransport`, never around one. A request that brings its own `Cookie` is sent as it is.
public struct SessionTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let login: HTTPRequest
    private let origins: AllowedOrigins
    private let cookieName: String
    private let allowsPlain: Bool
    private let cookie = Locked<String?>(nil)
    private let signingIn = SingleFlight<Outcome>(.withTheLast)

    private enum Outcome: Sendable {
        case signedIn(String)
        /// What the server says to those whom it does not let in.
        case refused(HTTPResponse)
        case failed(HTTPFailure)
    }

    /// - Parameters:
    ///   - url: where the form with `name` and `password` goes (docs.couchdb.org, `/_session`).
    ///   - cookieName: what the cookie is called, such as `AuthSession`.
    ///   - origin: scheme, host and port of it are those that may have the password and the cookie.
    ///   - allowsPlain: they may go over `http` to other machines.
    public init(
        _ transport: any HTTPTransport, url: String, user: String, password: String, cookieName: String,
        origin: Endpoint, allowsPlain: Bool
    ) {
        KnownSecrets.add(password, isConfigured: true)
        self.transport = transport
        self.cookieName = cookieName
        self.allowsPlain = allowsPlain || origin.isPrivate
        origins = AllowedOrigins(origin)
        login = HTTPRequest(
            method: "POST", url: url, headers: [("Content-Type", WebForm.type), ("Accept", "application/json")],
            body: .bytes(Array(WebForm.encode([("name", user), ("password", password)]).utf8)), responseLimit: 64 << 10)
    }

    /// Sends a request, twice where its cookie is refused, and returns the last answer: that to the sign-in, where the server
    /// refuses that.
    ///
    /// - Throws: what the transport throws, and `HTTPFailure.refusedAuthentication(_:)` where the password would be shown to
    ///   the network. Where signing in failed, `afterBody` is false: the request itself was not sent.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard origins.contains(request.url), !request.headers.contains(where: { $0.name.isName("cookie") }) else {
            return try await transport.send(request)
        }
        guard allowsPlain else { throw .refusedAuthentication(.basicNotAllowed) }
        var refused: String?
        while true {
            let current = cookie.withLock { $0 == refused ? nil : $0 }
            let used: String
            if let current {
                used = current
            } else {
                switch await signingIn.outcome({ await self.signIn(for: request) }) {
                case .signedIn(let new)?: used = new
                case .refused(let answer)?: return answer
                case .failed(let failure)?: throw failure
                case nil: throw .cancelled
                }
            }
            var authorized = request
            authorized.headers.append(("Cookie", "\(cookieName)=\(used)"))
            let answer = try await transport.send(authorized)
            if let next = setCookie(answer) { cookie.withLock { if $0 == used { $0 = next } } }
            guard answer.status == 401, refused == nil else { return answer }
            refused = used
        }
    }

    private func signIn(for request: HTTPRequest) async -> Outcome {
        var login = login
        login.clientCertificate = request.clientCertificate
        login.certificateAuthority = request.certificateAuthority
        do throws(HTTPFailure) {
            let answer = try await transport.send(login)
            guard (200...299).contains(answer.status), let new = setCookie(answer) else {
                // What has no sessions lets nobody in.
                return .refused(answer.status < 300 ? HTTPResponse(status: 401) : answer)
            }
            cookie.withLock { $0 = new }
            return .signedIn(new)
        } catch {
            switch error {
            case .stalled: return .failed(.stalled(afterBody: false))
            case .broken(let text, _): return .failed(.broken(text, afterBody: false))
            default: return .failed(error)
            }
        }
    }

    /// The cookie's value in an answer (RFC 6265, section 4.1.1); `nil` where it sets none, or takes it away.
    private func setCookie(_ answer: HTTPResponse) -> String? {
        for (name, value) in answer.headers where name.isName("set-cookie") {
            let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0] == cookieName, SecretText.isToken(String(pair[1])) else { continue }
            KnownSecrets.add(String(pair[1]))
            return String(pair[1])
        }
        return nil
    }
}

extension SessionTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "session transport" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
