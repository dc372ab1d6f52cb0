internal import Submit
public import SubmitHTTP

/// Asks a service for tokens by OAuth 1.0a (RFC 5849, section 2). A request that is refused because our clock is off is
/// sent once more; nothing else is tried again.
public struct OAuth1Exchange: Sendable {
    /// Whom it asks.
    public let service: OAuth1Service
    /// In whose name it asks.
    public let client: OAuthClient
    private let transport: any HTTPTransport
    private let clock: ServerClock

    /// - Parameter transport: it must not follow redirects.
    public init(
        _ service: OAuth1Service, client: OAuthClient, transport: any HTTPTransport, clock: ServerClock = ServerClock()
    ) {
        self.service = service
        self.client = client
        self.transport = transport
        self.clock = clock
    }

    /// A temporary token, and with it the page where the person lets us in (sections 2.1 and 2.2).
    ///
    /// - Parameter callback: where the browser comes back to; `nil` for a code that the page shows (`oob`).
    /// - Throws: ``OAuthFault``; ``OAuthFault/insecure`` where the page is not private.
    public func begin(callback: String?) async throws(OAuthFault) -> OAuth1Authorization {
        let fields = try await post(
            service.requestURL, service.extraRequest, token: nil, extra: [("oauth_callback", callback ?? "oob")])
        // Authlib writes it with a capital letter.
        guard let token = OAuth1Token(fields), fields["oauth_callback_confirmed"]?.lowercased() == "true" else {
            throw .notUnderstood(status: 200)
        }
        guard let page = Endpoint(originOf: service.authorizeURL) else { throw .noURL }
        guard page.isPrivate else { throw .insecure }
        return OAuth1Authorization(service, token: token)
    }

    /// The lasting token for a verifier (section 2.3).
    ///
    /// - Returns: it, and all fields of the answer.
    /// - Throws: ``OAuthFault``.
    public func token(
        verifier: String, _ authorization: OAuth1Authorization
    ) async throws(OAuthFault) -> OAuth1Grant {
        let temporary = authorization.token
        KnownSecrets.add(verifier)
        let fields = try await post(
            service.accessURL, [], token: temporary, extra: [("oauth_verifier", verifier)])
        guard let token = OAuth1Token(fields) else { throw .notUnderstood(status: 200) }
        return OAuth1Grant(token: token, fields: fields, client: client)
    }

    private func post(
        _ url: String, _ fields: [WebForm.Field], token: OAuth1Token?, extra: [WebForm.Field]
    ) async throws(OAuthFault) -> [String: String] {
        guard let origin = Endpoint(originOf: url) else { throw .noURL }
        guard origin.isPrivate else { throw .insecure }
        let signer = OAuth1Signer(client, token: token, method: service.method)
        let time = clock.time
        func request(_ time: Timestamp) -> HTTPRequest {
            let value = signer.authorization(method: "POST", url: url, fields: fields, extra: extra, at: time)
            return HTTPRequest(
                method: "POST", url: url, headers: [("Authorization", value), ("Content-Type", WebForm.type)],
                body: .bytes(Array(WebForm.encode(fields).utf8)), responseLimit: 256 << 10)
        }
        var answer = try await send(request(time))
        if [400, 401].contains(answer.status), clock.correct(by: answer, used: time) {
            answer = try await send(request(clock.time))
        }
        return try read(answer)
    }

    private func send(_ request: HTTPRequest) async throws(OAuthFault) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await transport.send(request)
        } catch {
            throw .transport(error)
        }
    }

    /// The fields of an answer that is no refusal; services give them whatever content type.
    private func read(_ answer: HTTPResponse) throws(OAuthFault) -> [String: String] {
        if answer.status == 429 || answer.status >= 500 {
            throw .trouble(status: answer.status, after: answer.retryAfter(now: clock.time))
        }
        let fields = AnswerFields(answer.body)
        if (200...299).contains(answer.status), let fields, fields["oauth_problem"] == nil { return fields.texts }
        let challenge = answer.authenticationChallenges.first { $0.scheme == "oauth" }
        guard let problem = fields?["oauth_problem"] ?? challenge?.parameters["oauth_problem"] ?? fields?["error"]
        else {
            guard [400, 401, 403].contains(answer.status) else { throw .notUnderstood(status: answer.status) }
            let text = String(decoding: answer.body, as: UTF8.self).trimmingBlanks
            let said = text.hasPrefix("<") || text.hasPrefix("{") ? "" : ForeignText.line(text)
            throw .refused(code: String(answer.status), explanation: said)
        }
        let advice = fields?["oauth_problem_advice"] ?? fields?["error_description"] ?? ""
        throw .refused(
            code: Self.standard[problem] ?? ForeignText.code(problem),
            explanation: ForeignText.line(advice))
    }

    /// The problems (as Yahoo's "OAuth Problem Reporting" named them) that are the application's and not the person's.
    private static let standard = [
        "consumer_key_unknown": "invalid_client", "consumer_key_rejected": "invalid_client",
        "consumer_key_refused": "invalid_client", "signature_invalid": "invalid_client",
        "user_refused": "access_denied", "permission_denied": "access_denied",
    ]
}

extension OAuth1Exchange: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(client) at \(service.requestURL)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
