internal import Submit

/// What a request proves with who sends it. Nothing that prints a value shows its secrets.
public enum HTTPCredentials: Sendable, Hashable {
    /// Sent with every request, whatever the server asks for (RFC 7617).
    case basic(user: String, password: String)
    /// A token, sent with every request (RFC 6750).
    case bearer(token: String)
    /// For Digest or Basic, as the server's challenge says.
    case password(user: String, password: String)

    /// From now on no text shows the secret: see `KnownSecrets`.
    func makeKnown() {
        switch self {
        case .basic(_, let password), .password(_, let password): KnownSecrets.add(password, isConfigured: true)
        case .bearer(let token): KnownSecrets.add(token, isConfigured: true)
        }
    }
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the user, not the secret.
    public var description: String {
        switch self {
        case .basic(let user, _), .password(let user, _): "the password of “\(user)”"
        case .bearer: "a bearer token"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
