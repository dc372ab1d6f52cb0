internal import Crypto
public import Submit
public import SubmitHTTP

/// The header by which AtomPub services are told who asks: a digest of a password that only fits one time.
///
/// Source: "Hatena Fotolife AtomPub" (developer.hatena.ne.jp/ja/documents/fotolife/apis/atom), after the UsernameToken
/// of WS-Security.
public struct WSSE: Sendable {
    private let user: String
    private let key: String

    /// - Parameter key: the password, or the API key that stands for it.
    public init(user: String, key: String) {
        KnownSecrets.add(key, isConfigured: true)
        self.user = user
        self.key = key
    }

    /// The value of `X-WSSE`.
    ///
    /// - Parameters:
    ///   - time: the service refuses those that are far off.
    ///   - nonce: bytes that are used once; `nil` for new ones.
    /// - Returns: `nil` for a user whose name cannot stand in the header.
    public func header(at time: Timestamp, nonce: [UInt8]? = nil) -> String? {
        let isPlain = user.utf8.allSatisfy {
            (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard isPlain, !user.isEmpty else { return nil }
        let nonce = nonce ?? SecretText.randomBytes(20)
        let created = time.iso8601
        let digest = Base64.text(of: Insecure.SHA1.hash(data: nonce + Array(created.utf8) + Array(key.utf8)))
        return "UsernameToken Username=\"\(user)\", PasswordDigest=\"\(digest)\", Nonce=\"\(Base64.text(of: nonce))\", "
            + "Created=\"\(created)\""
    }
}

extension WSSE: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the user, not the key.
    public var description: String { "the key of “\(user)”" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A transport that puts a fresh `X-WSSE` on the requests to some origins, and on no others.
///
/// Where a request is refused and the server's clock is far from ours, it is sent once more by that clock. Belongs inside
/// a `RedirectingTransport`, never around one.
public struct WSSETransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let wsse: WSSE
    private let origins: AllowedOrigins
    private let clock: ServerClock

    /// - Parameters:
    ///   - origins: those that may have the header.
    ///   - clock: one for all that ask the same server.
    public init(
        _ transport: any HTTPTransport, _ wsse: WSSE, origins: AllowedOrigins, clock: ServerClock = ServerClock()
    ) {
        self.transport = transport
        self.wsse = wsse
        self.origins = origins
        self.clock = clock
    }

    /// Sends a request, up to twice, and returns the last answer.
    ///
    /// - Throws: what the transport throws, and `HTTPFailure.badRequest(_:)` for a user that no header can name.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard origins.contains(request.url), !request.headers.contains(where: { $0.name.lowercased() == "x-wsse" })
        else {
            return try await transport.send(request)
        }
        let time = clock.time
        let answer = try await transport.send(try authorized(request, at: time))
        guard answer.status == 401, clock.correct(by: answer, used: time) else { return answer }
        return try await transport.send(try authorized(request, at: clock.time))
    }

    private func authorized(_ request: HTTPRequest, at time: Timestamp) throws(HTTPFailure) -> HTTPRequest {
        guard let value = wsse.header(at: time) else { throw .badRequest("a user of such a name") }
        var request = request
        request.headers.append(("X-WSSE", value))
        if !request.headers.contains(where: { $0.name.lowercased() == "authorization" }) {
            request.headers.append(("Authorization", "WSSE profile=\"UsernameToken\""))
        }
        // A nonce is good once: what is sent again is refused.
        request.isSentOnce = true
        return request
    }
}

extension WSSETransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "WSSE transport" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
