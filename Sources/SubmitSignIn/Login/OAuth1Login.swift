public import Submit
public import SubmitHTTP

/// How people sign in at one destination by OAuth 1.0a.
public struct OAuth1Settings: Sendable {
    /// The destination's name, for sentences.
    public var destination: String
    /// The URLs of the service, and how it wants requests signed.
    public var service: OAuth1Service
    /// The application as configured.
    public var client: OAuthClient?
    /// Of `LoginMethod.browser` and `LoginMethod.paste`, best first.
    public var methods: [LoginMethod]
    /// Where a browser comes back to that is on this computer.
    public var redirect: LoginRedirect
    /// What is to be done with a token before it is kept; see ``OAuth2Settings/afterLogin``.
    public var afterLogin: (@Sendable (OAuth1Grant, [String: String]) async throws(SubmitFailure) -> LoginGrant)?
    /// The names of the secrets that ``afterLogin`` adds.
    public var moreSecrets: Set<String>
    /// Asks whose the credentials in use are.
    public var whoami: (@Sendable () async throws(SubmitFailure) -> LoginAccount?)?
    /// Makes the credentials in use worthless, where the service does it: OAuth 1.0a has no way of its own.
    public var revoke: (@Sendable ([String: String]) async throws(SubmitFailure) -> Revocation)?

    /// Settings by which nothing more is done with a token than to keep it.
    ///
    /// - Parameters:
    ///   - destination: its name, for sentences.
    ///   - client: `nil` where none is configured: then nobody can sign in.
    public init(
        destination: String, service: OAuth1Service, client: OAuthClient?,
        methods: [LoginMethod] = [.browser, .paste], redirect: LoginRedirect = LoginRedirect()
    ) {
        self.destination = destination
        self.service = service
        self.client = client
        self.methods = methods
        self.redirect = redirect
        moreSecrets = []
    }
}

extension OAuth1Settings: CustomStringConvertible, CustomReflectable {
    public var description: String { "OAuth 1.0a at \(service.requestURL)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signing in by OAuth 1.0a (RFC 5849, section 2): with a browser that comes back, or with a code that is pasted.
public struct OAuth1Login: LoginFacet {
    private let settings: OAuth1Settings
    private let store: any SecretStore
    private let transport: any HTTPTransport
    private let clock: ServerClock

    /// - Parameter transport: it must not follow redirects.
    public init(
        _ settings: OAuth1Settings, store: any SecretStore, transport: any HTTPTransport,
        clock: ServerClock = ServerClock()
    ) {
        self.settings = settings
        self.store = store
        self.transport = transport
        self.clock = clock
    }

    public var secrets: Set<String> { OAuth1Token.names.union(settings.moreSecrets) }

    public var methods: [LoginMethod] { settings.methods }

    public var redirect: LoginRedirect { settings.redirect }

    public func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        guard methods.contains(client.method), client.method == .paste || client.redirect != nil else {
            throw SubmitFailure(
                .giveUp, code: "no-method",
                message: "“\(settings.destination)” has no login by “\(client.method.rawValue)”: there is "
                    + "\(methods.map(\.rawValue).joined(separator: ", ")).")
        }
        guard let application = settings.client else {
            throw SubmitFailure(
                misconfigured, code: "configuration",
                message:
                    "Nobody can sign in at “\(settings.destination)”: its client_id is not set: register an application at "
                    + "the service, and set client_id and client_secret.")
        }
        let exchange = OAuth1Exchange(settings.service, client: application, transport: transport, clock: clock)
        do throws(OAuthFault) {
            let begun = try await exchange.begin(callback: client.method == .browser ? client.redirect : nil)
            let task: LoginTask = client.method == .browser ? .openAndReturn(begun.url) : .openAndPaste(begun.url)
            return OAuth1Attempt(
                prompt: LoginPrompt(task, life: OAuth2Login.patience), authorization: begun, exchange: exchange,
                settings: settings)
        } catch {
            throw settings.failure(error)
        }
    }

    public func whoami() async throws(SubmitFailure) -> LoginAccount? {
        guard let whoami = settings.whoami else { return nil }
        return try await whoami()
    }

    public func revoke() async throws(SubmitFailure) -> Revocation {
        let secrets = try await store.read()
        guard OAuth1Token(secrets) != nil else {
            return .impossible("There are no credentials at “\(settings.destination)”.")
        }
        if let revoke = settings.revoke { return try await revoke(secrets) }
        return .impossible(
            "“\(settings.destination)” has no way to revoke a login from here: remove the application in your account's "
                + "settings there.")
    }
}

extension OAuth1Login: CustomStringConvertible, CustomReflectable {
    public var description: String { "login by \(settings)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A login by OAuth 1.0a that was begun.
struct OAuth1Attempt: LoginAttempt {
    let prompt: LoginPrompt
    let authorization: OAuth1Authorization
    let exchange: OAuth1Exchange
    let settings: OAuth1Settings

    /// Nothing can be seen of it from here.
    func poll() async throws(SubmitFailure) -> LoginProgress { .pending(after: .seconds(1)) }

    func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress {
        let verifier: String
        do throws(OAuth2Authorization.Refusal) {
            verifier =
                switch answer {
                case .redirected(let url): try authorization.verifier(redirected: url)
                case .pasted(let text): try authorization.verifier(pasted: text)
                case .typed: throw .foreign("This is no code")
                }
        } catch {
            switch error {
            case .foreign(let what):
                throw SubmitFailure(
                    .retry(after: nil), code: "login-answer",
                    message: "\(what): the login at “\(settings.destination)” goes on waiting.")
            case .refused(let code, let explanation):
                throw settings.failure(.refused(code: code, explanation: explanation))
            }
        }
        let grant: OAuth1Grant
        do throws(OAuthFault) {
            grant = try await exchange.token(verifier: verifier, authorization)
        } catch {
            throw settings.failure(error)
        }
        return .done(try await settings.completed(grant))
    }
}

extension OAuth1Attempt: CustomStringConvertible, CustomReflectable {
    var description: String { "login at \(authorization)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension OAuth1Settings {
    fileprivate func completed(_ grant: OAuth1Grant) async throws(SubmitFailure) -> LoginGrant {
        var secrets: [String: String] = [:]
        grant.token.write(to: &secrets)
        var result = LoginGrant(account: "", secrets: [:])
        if let afterLogin { result = try await afterLogin(grant, secrets) }
        result.secrets.merge(secrets) { changed, _ in changed }
        if result.account.isEmpty {
            result.account = grant.fields["username"] ?? grant.fields["screen_name"] ?? grant.client.id
        }
        return result
    }

    fileprivate func failure(_ fault: OAuthFault) -> SubmitFailure {
        let host = Endpoint(originOf: service.requestURL)?.authority ?? destination
        guard case .refused(let code, let explanation) = fault, code != "invalid_client" else {
            return fault.submitFailure(destination: destination, host: host)
        }
        let said = explanation.isEmpty ? code : "\(code): \(explanation)"
        return SubmitFailure(
            .giveUp, code: code == "access_denied" ? "login-denied" : "login-refused",
            message: "“\(host)” let nobody in for “\(destination)” (\(said)): sign in again.")
    }
}
