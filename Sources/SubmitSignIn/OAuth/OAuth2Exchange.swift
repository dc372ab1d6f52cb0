public import Submit
public import SubmitHTTP

/// Asks a service for tokens (RFC 6749), and has them revoked. One request a call: nothing is tried again.
///
/// Each call throws ``OAuthFault``: the service's refusal, its trouble, or why it could not be asked. What it says is told
/// without the secrets that were sent. Cancelling the task ends the request, with ``OAuthFault/transport(_:)`` of
/// `HTTPFailure.cancelled`.
public struct OAuth2Exchange: Sendable {
    /// Whom it asks.
    public let service: OAuth2Service
    /// In whose name it asks.
    public let client: OAuthClient
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp

    /// - Parameter transport: it must not follow redirects: secrets go to the service's own URLs only.
    public init(
        _ service: OAuth2Service, client: OAuthClient, transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.service = service
        self.client = client
        self.transport = transport
        self.now = now
    }

    /// Tokens for a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    ///
    /// - Throws: ``OAuthFault``: `invalid_grant` where the code was used before or is too old.
    public func tokens(code: String, _ authorization: OAuth2Authorization) async throws(OAuthFault) -> OAuth2Grant {
        var fields: [WebForm.Field] = [("grant_type", "authorization_code"), ("code", code)]
        if let redirect = authorization.redirect { fields.append(("redirect_uri", redirect)) }
        if let key = authorization.proofKey { fields.append(("code_verifier", key.verifier)) }
        KnownSecrets.add(code)
        return try await tokens(fields)
    }

    /// Tokens for a refresh token (RFC 6749, section 6). Where the answer has no new refresh token, the old one stays.
    ///
    /// - Throws: ``OAuthFault``: `invalid_grant` where it is worth nothing any more, so that somebody has to sign in again.
    public func tokens(refreshing refresh: String) async throws(OAuthFault) -> OAuth2Grant {
        var grant: OAuth2Grant
        do throws(OAuthFault) {
            grant = try await tokens([("grant_type", "refresh_token"), ("refresh_token", refresh)])
        } catch {
            // X calls a refresh token that it does not take an invalid request.
            if case .refused("invalid_request", let explanation) = error {
                throw .refused(code: "invalid_grant", explanation: explanation)
            }
            throw error
        }
        grant.tokens.refresh = grant.tokens.refresh ?? refresh
        return grant
    }

    /// Tokens for what the application is (RFC 6749, section 4.4).
    ///
    /// - Throws: ``OAuthFault``.
    public func tokensOfClient() async throws(OAuthFault) -> OAuth2Grant {
        var fields = service.ownGrant
        if let scope = service.scope { fields.append(("scope", scope)) }
        return try await tokens(fields)
    }

    /// Tokens for any other grant, such as the exchange of a short token for a long-lived one.
    ///
    /// - Parameter fields: with `grant_type`, without what the client proves itself with.
    /// - Throws: ``OAuthFault``; what helps says ``OAuthFault/submitFailure(destination:host:)``.
    public func tokens(_ fields: [WebForm.Field]) async throws(OAuthFault) -> OAuth2Grant {
        let answer = try await post(service.tokenURL, fields + service.extraToken)
        return try TokenAnswer.read(
            answer, client: client, separator: service.scopeSeparator, now: now())
    }

    // MARK: Devices

    /// A code for the person to type (RFC 8628, section 3.1); `nil` where the service has no such flow.
    ///
    /// - Throws: ``OAuthFault``.
    public func beginDevice() async throws(OAuthFault) -> DeviceAuthorization? {
        guard let url = service.deviceURL else { return nil }
        var fields: [WebForm.Field] = []
        if let scope = service.scope { fields.append(("scope", scope)) }
        let answer = try await post(url, fields)
        let found = try TokenAnswer.fields(of: answer, now: now())
        guard (200...299).contains(answer.status), let begun = DeviceAuthorization(found) else {
            throw .notUnderstood(status: answer.status)
        }
        return begun
    }

    /// Looks whether the person has typed the code (RFC 8628, section 3.4).
    ///
    /// - Throws: ``OAuthFault/refused(code:explanation:)`` with `authorization_pending` and `slow_down` as long as not.
    public func tokens(_ device: DeviceAuthorization) async throws(OAuthFault) -> OAuth2Grant {
        try await tokens(
            [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device.deviceCode)])
    }

    // MARK: Revoking

    /// What kind of token it is (RFC 7009, section 2.1).
    public enum TokenKind: String, Sendable {
        /// One by which the next access token is had.
        case refresh = "refresh_token"
        /// One that goes with requests.
        case access = "access_token"
    }

    /// Makes a token worthless (RFC 7009). Does nothing to one that is so already.
    ///
    /// - Returns: false where the service does not do that, for this kind of token or at all.
    /// - Throws: ``OAuthFault`` where it may be worth something still.
    public func revoke(_ token: String, _ kind: TokenKind) async throws(OAuthFault) -> Bool {
        guard let url = service.revokeURL else { return false }
        KnownSecrets.add(token)
        let answer = try await post(url, [("token", token), ("token_type_hint", kind.rawValue)])
        if (200...299).contains(answer.status), AnswerFields(answer.body)?["error"] == nil { return true }
        do throws(OAuthFault) {
            _ = try TokenAnswer.fields(of: answer, now: now())
        } catch {
            switch error {
            case .refused("unsupported_token_type", _): return false
            // Some let only those revoke who can prove what they are.
            case .refused("invalid_client", _) where client.secret == nil: return false
            case .refused("invalid_token", _), .refused("invalid_grant", _): return true
            default: throw error
            }
        }
        throw .notUnderstood(status: answer.status)
    }

    // MARK: Requests

    /// Posts a form to one of the service's own URLs, with what the client proves itself with (RFC 6749, section 2.3.1).
    private func post(_ url: String, _ fields: [WebForm.Field]) async throws(OAuthFault) -> HTTPResponse {
        guard let origin = Endpoint(originOf: url) else { throw .noURL }
        guard origin.isPrivate else { throw .insecure }
        var fields = fields
        var headers: [(name: String, value: String)] = [("Accept", "application/json")]
        switch (service.clientAuthentication, client.secret) {
        case (.basic, let secret?):
            let pair = "\(WebForm.encode(client.id)):\(WebForm.encode(secret))"
            headers.append(("Authorization", "Basic \(Base64.text(of: pair.utf8))"))
        case (.post, let secret?): fields += [("client_id", client.id), ("client_secret", secret)]
        default: fields.append(("client_id", client.id))
        }
        headers.append(("Content-Type", WebForm.type))
        let request = HTTPRequest(
            method: "POST", url: url, headers: headers, body: .bytes(Array(WebForm.encode(fields).utf8)),
            responseLimit: 256 << 10)
        do throws(HTTPFailure) {
            return try await transport.send(request)
        } catch {
            throw .transport(error)
        }
    }
}

extension OAuth2Exchange: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(client) at \(service.tokenURL)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A code that a person types on another device (RFC 8628, section 3.2).
public struct DeviceAuthorization: Sendable {
    /// What the person types.
    public let userCode: String
    /// Where.
    public let url: String
    /// A page that has the code in it already.
    public let completeURL: String?
    /// For how long it can be typed.
    public let seconds: Int
    /// How many seconds to let pass between two looks.
    public let interval: Int
    let deviceCode: String

    init?(_ fields: AnswerFields) {
        // Google wrote it before there was a standard.
        guard let device = fields["device_code"], let user = fields["user_code"],
            let url = fields["verification_uri"] ?? fields["verification_url"], Self.isPage(url),
            SecretText.isToken(user.replacing(" ", with: "-")), user.utf8.count <= 64
        else { return nil }
        let complete = fields["verification_uri_complete"] ?? fields["verification_url_complete"]
        self.userCode = user
        self.url = url
        completeURL = complete.flatMap { Self.isPage($0) ? $0 : nil }
        seconds = Self.number(fields["expires_in"], in: 1...86_400) ?? 600
        interval = Self.number(fields["interval"], in: 1...600) ?? 5
        deviceCode = device
        KnownSecrets.add(device)
    }

    private static func isPage(_ url: String) -> Bool {
        SecretText.isToken(url) && Endpoint(originOf: url)?.isPrivate == true
    }

    private static func number(_ text: String?, in range: ClosedRange<Int>) -> Int? {
        guard let number = text.flatMap({ Double($0) }), number.isFinite else { return nil }
        return min(max(range.lowerBound, Int(min(number, 1e9))), range.upperBound)
    }
}

extension DeviceAuthorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "device authorization" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
