internal import Submit

/// A token of OAuth 1.0a with its secret, temporary or lasting (RFC 5849, section 1.1).
public struct OAuth1Token: Sendable, Hashable {
    /// Sent with every request, as `oauth_token`.
    public var token: String
    /// Half of the key that signs. Only ``OAuth1Signature/Method/plaintext`` sends it.
    public var secret: String

    /// A token as the service gave it, decoded.
    public init(token: String, secret: String) {
        KnownSecrets.add(token)
        KnownSecrets.add(secret)
        self.token = token
        self.secret = secret
    }
}

extension OAuth1Token {
    /// The names by which it is kept among the secrets of a destination.
    public static let names: Set<String> = ["oauth_token", "oauth_token_secret"]

    /// The one that was kept; `nil` for none.
    public init?(_ secrets: [String: String]) {
        guard let token = secrets["oauth_token"], !token.isEmpty, let secret = secrets["oauth_token_secret"] else {
            return nil
        }
        self.init(token: token, secret: secret)
    }

    /// Puts it in the place of the one before, under ``names``.
    public func write(to secrets: inout [String: String]) {
        secrets["oauth_token"] = token
        secrets["oauth_token_secret"] = secret
    }
}

extension OAuth1Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
