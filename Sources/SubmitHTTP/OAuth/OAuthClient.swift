/// By what a service knows the application: its id, and its secret where it has one.
public struct OAuthClient: Sendable, Hashable {
    public var id: String
    public var secret: String?

    public init(id: String, secret: String? = nil) {
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
