public import Submit
public import SubmitHTTP

/// A transport that signs the requests to some origins by OAuth 1.0a, and no others.
///
/// The fields of a form are signed, and of other bodies `HTTPRequest.signedFields`. Where a request is refused and the
/// server's clock is far from ours, it is sent once more by that clock.
///
/// Belongs inside a `RedirectingTransport`, never around one. A request that brings its own `Authorization` is sent as
/// it is.
public struct OAuth1Transport: HTTPTransport {
    private let transport: any HTTPTransport
    private let signer: @Sendable () async throws(SubmitFailure) -> OAuth1Signer
    private let origins: AllowedOrigins
    private let clock: ServerClock
    private let showsSecrets: Bool

    /// - Parameters:
    ///   - client: the application; one that is kept in `store` is taken before it.
    ///   - store: where the token is.
    ///   - origins: those that get signed requests.
    public init(
        _ transport: any HTTPTransport, destination: String, client: OAuthClient?, store: any SecretStore,
        method: OAuth1Signature.Method = .hmacSHA1, origins: AllowedOrigins, clock: ServerClock = ServerClock()
    ) {
        self.transport = transport
        self.origins = origins
        self.clock = clock
        showsSecrets = method == .plaintext
        signer = { () throws(SubmitFailure) in
            let secrets = try await store.read()
            guard let token = OAuth1Token(secrets), let client = OAuthClient(secrets) ?? client else {
                throw .needsLogin(destination)
            }
            return OAuth1Signer(client, token: token, method: method)
        }
    }

    /// Sends a request, up to twice, and returns the last answer.
    ///
    /// - Throws: what the transport throws; `HTTPFailure.credentials(_:)` when nobody has signed in, and
    ///   `HTTPFailure.refusedAuthentication(_:)` where `PLAINTEXT` would show the secrets to the network.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard origins.contains(request.url),
            !request.headers.contains(where: { $0.name.lowercased() == "authorization" })
        else { return try await transport.send(request) }
        guard !showsSecrets || Endpoint(originOf: request.url)?.isPrivate == true else {
            throw .refusedAuthentication(.bearerNotAllowed)
        }
        let signer: OAuth1Signer
        do throws(SubmitFailure) {
            signer = try await self.signer()
        } catch {
            throw error == .cancelled ? .cancelled : .credentials(error)
        }
        let time = clock.time
        let answer = try await transport.send(signed(request, signer, at: time))
        guard [400, 401].contains(answer.status), clock.correct(by: answer, used: time) else { return answer }
        return try await transport.send(signed(request, signer, at: clock.time))
    }

    private func signed(_ request: HTTPRequest, _ signer: OAuth1Signer, at time: Timestamp) -> HTTPRequest {
        var request = request
        let value = signer.authorization(
            method: request.method, url: request.url, fields: request.formFields + request.signedFields, at: time)
        request.headers.append(("Authorization", value))
        // A signature is good once: what is sent again is refused.
        request.isSentOnce = true
        return request
    }
}

extension OAuth1Transport: CustomStringConvertible, CustomReflectable {
    public var description: String { "signing transport" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPRequest {
    /// The fields of a body that is a form (RFC 5849, section 3.4.1.3.1).
    fileprivate var formFields: [WebForm.Field] {
        guard case .bytes(let bytes) = body,
            let type = headers.first(where: { $0.name.lowercased() == "content-type" })?.value.lowercased(),
            type.prefix(while: { $0 != ";" }).filter({ $0 != " " }) == WebForm.type
        else { return [] }
        return WebForm.decode(String(decoding: bytes, as: UTF8.self))
    }
}
