internal import Submit
public import SubmitHTTP

/// What has to be known of a service to get tokens from it by OAuth 2 (RFC 6749).
public struct OAuth2Service: Sendable {
    /// How the application proves at the token endpoint what it is (RFC 6749, section 2.3).
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// Its id only: a public client.
        case none
        /// Id and secret in the form.
        case post
        /// Id and secret as user and password.
        case basic
    }

    /// Where the person lets us in; `nil` where that is not offered.
    public var authorizeURL: String?
    /// Where tokens are had (RFC 6749, section 3.2).
    public var tokenURL: String
    /// For the device flow (RFC 8628, section 3.1); `nil` where that is not offered.
    public var deviceURL: String?
    /// RFC 7009; `nil` where that is not offered.
    public var revokeURL: String?
    /// What the service calls itself: it is compared where a redirect says who answers (RFC 9207); `nil`: not known.
    public var issuer: String?
    /// What is asked for (RFC 6749, section 3.3); empty: whatever the service gives by itself.
    public var scopes: [String]
    /// What stands between two scopes: a blank by the RFC, a comma at some services.
    public var scopeSeparator: String
    /// PKCE with `S256` (RFC 7636).
    public var usesProofKey: Bool
    /// How the application proves what it is.
    public var clientAuthentication: ClientAuthentication
    /// The grant by which tokens are had for the application itself, without a person (RFC 6749, section 4.4), with its fields.
    public var ownGrant: [WebForm.Field] = [("grant_type", "client_credentials")]
    /// More parameters of the page where the person lets us in.
    public var extraAuthorize: [WebForm.Field]
    /// More fields of every request for tokens.
    public var extraToken: [WebForm.Field]

    /// A service for public clients with PKCE, where nothing else is given.
    public init(
        authorizeURL: String? = nil, tokenURL: String, deviceURL: String? = nil, revokeURL: String? = nil,
        issuer: String? = nil, scopes: [String] = [], scopeSeparator: String = " ", usesProofKey: Bool = true,
        clientAuthentication: ClientAuthentication = .none, extraAuthorize: [WebForm.Field] = [],
        extraToken: [WebForm.Field] = []
    ) {
        self.authorizeURL = authorizeURL
        self.tokenURL = tokenURL
        self.deviceURL = deviceURL
        self.revokeURL = revokeURL
        self.issuer = issuer
        self.scopes = scopes
        self.scopeSeparator = scopeSeparator
        self.usesProofKey = usesProofKey
        self.clientAuthentication = clientAuthentication
        self.extraAuthorize = extraAuthorize
        self.extraToken = extraToken
    }

    /// The scopes as they are asked for; `nil` for none.
    var scope: String? { scopes.isEmpty ? nil : scopes.joined(separator: scopeSeparator) }
}
