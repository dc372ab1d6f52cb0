internal import Submit

/// By what a service knows the application: its id, and its secret where it has one.
public struct OAuthClient: Sendable, Hashable {
    /// The client identifier (RFC 6749, section 2.2), or the consumer key of OAuth 1.0a. Public.
    public var id: String
    /// `nil` for a public client. Nothing that prints a client shows it.
    public var secret: String?

    /// A client as the service knows it.
    ///
    /// - Parameter secret: `nil` for a public client.
    public init(id: String, secret: String? = nil) {
        secret.map { KnownSecrets.add($0, isConfigured: true) }
        self.id = id
        self.secret = secret
    }
}

extension OAuthClient {
    /// The names by which a client that was registered at login is kept.
    public static let names: Set<String> = ["client_id", "client_secret"]

    /// A client that was kept; `nil` for none.
    public init?(_ secrets: [String: String]) {
        guard let id = secrets["client_id"], !id.isEmpty else { return nil }
        self.init(id: id, secret: secrets["client_secret"])
    }

    /// Puts it in the place of the one before, under ``names``. A public client removes the secret that is there.
    public func write(to secrets: inout [String: String]) {
        secrets["client_id"] = id
        secrets["client_secret"] = secret
    }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the application, not the secret.
    public var description: String { "client \(id)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
