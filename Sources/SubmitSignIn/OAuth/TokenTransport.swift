internal import Submit
public import SubmitHTTP

/// A transport that puts an account's access token on the requests to some origins, and on no others.
///
/// It has a new token in time, and once when a request is refused; then the request is sent again, with its body from
/// its start. The second answer is handed back, a second 401 too, unless the new token has ended meanwhile as well.
///
/// Belongs inside a `RedirectingTransport`, never around one: each hop is then a request of its own. A request that
/// brings the header itself is sent as it is.
public struct TokenTransport: HTTPTransport {
    /// How the token is written (RFC 6750, section 2.1).
    public struct Header: Sendable, Hashable {
        /// The header's name.
        public var name: String
        /// What stands before the token, with the blank: `Bearer `.
        public var prefix: String

        /// `Authorization: Bearer TOKEN`, where nothing else is given.
        public init(name: String = "Authorization", prefix: String = "Bearer ") {
            self.name = name
            self.prefix = prefix
        }
    }

    private let transport: any HTTPTransport
    private let keeper: OAuth2TokenSource
    private let origins: AllowedOrigins
    private let header: Header
    private let allowsPlain: Bool
    private let isRefused: @Sendable (HTTPResponse) -> Bool

    /// - Parameters:
    ///   - origins: those that may have the token.
    ///   - allowsPlain: the token may go over `http` to other machines.
    ///   - isRefused: whether an answer says that the token is no good.
    public init(
        _ transport: any HTTPTransport, keeper: OAuth2TokenSource, origins: AllowedOrigins, header: Header = Header(),
        allowsPlain: Bool = false, isRefused: @escaping @Sendable (HTTPResponse) -> Bool = { $0.status == 401 }
    ) {
        self.transport = transport
        self.keeper = keeper
        self.origins = origins
        self.header = header
        self.allowsPlain = allowsPlain
        self.isRefused = isRefused
    }

    /// Sends a request, twice where its token is refused, and returns the last answer.
    ///
    /// - Throws: what the transport throws; `HTTPFailure.credentials(_:)` when there is no token to send it with, and
    ///   `HTTPFailure.refusedAuthentication(_:)` where the token would be shown to the network.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let name = header.name.lowercased()
        guard origins.contains(request.url), !request.headers.contains(where: { $0.name.lowercased() == name }) else {
            return try await transport.send(request)
        }
        guard allowsPlain || Endpoint(originOf: request.url)?.isPrivate == true else {
            throw .refusedAuthentication(.bearerNotAllowed)
        }
        var tokens: OAuth2Tokens
        do throws(SubmitFailure) {
            tokens = try await keeper.tokens(sending: request.body.length ?? 0)
        } catch {
            throw error == .cancelled ? .cancelled : .credentials(error)
        }
        var answer = try await transport.send(authorized(request, tokens))
        var renewals = 0
        while isRefused(answer), renewals == 0 || keeper.isOver(tokens), renewals < Self.mostRenewals {
            let next: OAuth2Tokens?
            do throws(SubmitFailure) {
                next = try await keeper.tokens(insteadOf: tokens)
            } catch {
                throw error == .cancelled ? .cancelled : .credentials(error)
            }
            guard let next, next.access != tokens.access else { return answer }
            tokens = next
            renewals += 1
            answer = try await transport.send(authorized(request, tokens))
        }
        return answer
    }

    /// How often a request is sent again at most, where tokens end while it is on its way.
    private static let mostRenewals = 5

    private func authorized(_ request: HTTPRequest, _ tokens: OAuth2Tokens) -> HTTPRequest {
        var request = request
        request.headers.append((header.name, header.prefix + tokens.access))
        return request
    }
}

extension TokenTransport: CustomStringConvertible, CustomReflectable {
    public var description: String { "token transport" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
