public import Submit

/// How people sign in at one destination by OAuth 2.
public struct OAuth2Settings: Sendable {
    /// Where a service sends people whose browser is elsewhere.
    public enum PasteRedirect: Sendable, Hashable {
        /// To an address on their own computer, which does not answer: they paste the address that the browser shows.
        case unanswered
        /// To this one, such as `urn:ietf:wg:oauth:2.0:oob`, which makes the service show the code.
        case fixed(String)
        /// It is told nothing, which makes it show the code.
        case none
    }

    /// The destination's name, for sentences.
    public var destination: String
    /// The URLs of the service, and what it is asked for.
    public var service: OAuth2Service
    /// The application as configured; `nil` where it is not, which is well where it can be registered.
    public var client: OAuthClient?
    /// Of `LoginMethod.browser`, `LoginMethod.paste`, `LoginMethod.device` and `LoginMethod.client`, best first.
    public var methods: [LoginMethod]
    /// Where a browser comes back to that is on this computer.
    public var redirect: LoginRedirect
    /// Where a browser is sent to that is elsewhere, for `LoginMethod.paste`.
    public var pasteRedirect: PasteRedirect
    /// Registers the application where none is configured (as RFC 7591 does); gets the redirect, if there is one.
    public var register: (@Sendable (String?) async throws(SubmitFailure) -> OAuthClient)?
    /// What is to be done with tokens before they are kept, such as asking whose they are or having better ones.
    ///
    /// Gets what came of the login, and the secrets as they would be kept. What it returns is kept over and beside them:
    /// a secret of the same name takes the place of the one there.
    public var afterLogin: (@Sendable (OAuth2Grant, [String: String]) async throws(SubmitFailure) -> LoginGrant)?
    /// The names of the secrets that ``afterLogin`` adds.
    public var moreSecrets: Set<String>
    /// Asks whose the credentials in use are.
    public var whoami: (@Sendable () async throws(SubmitFailure) -> LoginAccount?)?
    /// Makes the credentials in use worthless, where the service does it in a way of its own.
    public var revoke: (@Sendable ([String: String]) async throws(SubmitFailure) -> Revocation)?

    /// Settings by which nothing more is done with tokens than to keep them.
    ///
    /// - Parameters:
    ///   - destination: its name, for sentences.
    ///   - client: `nil` where none is configured: then ``register`` has to give one.
    public init(
        destination: String, service: OAuth2Service, client: OAuthClient?, methods: [LoginMethod],
        redirect: LoginRedirect = LoginRedirect(), pasteRedirect: PasteRedirect = .unanswered
    ) {
        self.destination = destination
        self.service = service
        self.client = client
        self.methods = methods
        self.redirect = redirect
        self.pasteRedirect = pasteRedirect
        moreSecrets = []
    }

    /// The redirect of a login in which an address is pasted; `nil` for none.
    var redirectToPaste: String? {
        switch pasteRedirect {
        // Nothing listens at it as a rule; whoever did would need the proof key too.
        case .unanswered: redirect.url(port: redirect.port ?? 53681)
        case .fixed(let url): url
        case .none: nil
        }
    }
}

extension OAuth2Settings: CustomStringConvertible, CustomReflectable {
    public var description: String { "OAuth 2 at \(service.tokenURL)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
