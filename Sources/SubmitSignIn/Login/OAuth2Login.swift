public import Submit
public import SubmitHTTP

/// Signing in by OAuth 2: with a browser that comes back (RFC 8252), a pasted code, a code on another device (RFC 8628),
/// or as the application itself (RFC 6749, section 4.4).
public struct OAuth2Login: LoginFacet {
    private let settings: OAuth2Settings
    private let store: any SecretStore
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Timestamp

    /// - Parameter transport: it must not follow redirects.
    public init(
        _ settings: OAuth2Settings, store: any SecretStore, transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.settings = settings
        self.store = store
        self.transport = transport
        self.now = now
    }

    public var secrets: Set<String> {
        let registered = settings.register == nil || settings.client != nil ? [] : OAuthClient.names
        return OAuth2Tokens.names.union(registered).union(settings.moreSecrets)
    }

    public var methods: [LoginMethod] { settings.methods }

    public var redirect: LoginRedirect { settings.redirect }

    /// How long a service lets people take over its page, as far as nobody knows better, in seconds.
    static let patience = Duration.seconds(15 * 60)

    public func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        guard methods.contains(client.method) else {
            throw SubmitFailure(
                .giveUp, code: "no-method",
                message: "“\(settings.destination)” has no login by “\(client.method.rawValue)”: there is "
                    + "\(methods.map(\.rawValue).joined(separator: ", ")).")
        }
        switch client.method {
        case .browser:
            guard let redirect = client.redirect else { throw notConfigured("a browser has nowhere to come back to") }
            return try await codeAttempt(redirect: redirect) { .openAndReturn($0) }
        case .paste: return try await codeAttempt(redirect: settings.redirectToPaste) { .openAndPaste($0) }
        case .device: return try await deviceAttempt()
        case .client:
            let exchange = try await exchange(redirect: nil)
            return ClientAttempt(exchange: exchange, completion: completion)
        case .page, .typed: throw notConfigured("its login is none of OAuth 2")
        }
    }

    private func codeAttempt(
        redirect: String?, _ task: (String) -> LoginTask
    ) async throws(SubmitFailure) -> any LoginAttempt {
        let exchange = try await exchange(redirect: redirect)
        guard let authorization = OAuth2Authorization(settings.service, client: exchange.client, redirect: redirect)
        else {
            throw notConfigured("the page of its login is no https URL")
        }
        return CodeAttempt(
            prompt: LoginPrompt(task(authorization.url), life: Self.patience), authorization: authorization,
            exchange: exchange, completion: completion)
    }

    private func deviceAttempt() async throws(SubmitFailure) -> any LoginAttempt {
        let exchange = try await exchange(redirect: nil)
        let begun: DeviceAuthorization?
        do throws(OAuthFault) {
            begun = try await exchange.beginDevice()
        } catch {
            throw completion.failure(error)
        }
        guard let begun else { throw notConfigured("its service has no login for devices") }
        return DeviceAttempt(begun, exchange: exchange, completion: completion)
    }

    private func exchange(redirect: String?) async throws(SubmitFailure) -> OAuth2Exchange {
        let client: OAuthClient
        if let configured = settings.client {
            client = configured
        } else if let register = settings.register {
            client = try await register(redirect)
        } else {
            throw notConfigured(
                "its client_id is not set: register an application at the service, and set client_id and, where it "
                    + "gives one, client_secret")
        }
        return OAuth2Exchange(settings.service, client: client, transport: transport, now: now)
    }

    private var completion: OAuth2Completion { OAuth2Completion(settings: settings) }

    private func notConfigured(_ why: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "configuration",
            message: "Nobody can sign in at “\(settings.destination)”: \(why).")
    }

    public func whoami() async throws(SubmitFailure) -> LoginAccount? {
        guard let whoami = settings.whoami else { return nil }
        return try await whoami()
    }

    // MARK: Revoking

    public func revoke() async throws(SubmitFailure) -> Revocation {
        let secrets = try await store.read()
        guard let tokens = OAuth2Tokens(secrets) else {
            return .impossible("There are no credentials at “\(settings.destination)”.")
        }
        if let revoke = settings.revoke { return try await revoke(secrets) }
        guard let url = settings.service.revokeURL, let client = OAuthClient(secrets) ?? settings.client else {
            return .impossible(
                "“\(settings.destination)” has no way to revoke a login from here: remove the application in your "
                    + "account's settings there.")
        }
        let exchange = OAuth2Exchange(settings.service, client: client, transport: transport, now: now)
        do throws(OAuthFault) {
            // The refresh token first: what it opens is more, and many services end its access tokens with it.
            var isRevoked = true
            if let refresh = tokens.refresh { isRevoked = try await exchange.revoke(refresh, .refresh) }
            let isAccessRevoked = try await exchange.revoke(tokens.access, .access)
            if tokens.refresh == nil { isRevoked = isAccessRevoked }
            if isRevoked { return .revoked }
        } catch {
            throw error.submitFailure(
                destination: settings.destination, host: Endpoint(originOf: url)?.authority ?? settings.destination)
        }
        return .impossible(
            "“\(settings.destination)” does not revoke such tokens: remove the application in your account's settings "
                + "there.")
    }
}

extension OAuth2Login: CustomStringConvertible, CustomReflectable {
    public var description: String { "login by \(settings)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
