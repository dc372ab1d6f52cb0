internal import Submit

/// What Signature Version 4 signs with. Nothing that prints a value shows its secrets.
public struct AccessKey: Sendable {
    /// Public: it is part of every signed request.
    public let id: String
    /// The token of temporary credentials.
    let sessionToken: String?
    let secret: String

    /// - Parameter sessionToken: of temporary credentials; `nil` for lasting ones.
    public init(id: String, secret: String, sessionToken: String? = nil) {
        KnownSecrets.add(secret)
        sessionToken.map { KnownSecrets.add($0) }
        self.id = id
        self.secret = secret
        self.sessionToken = sessionToken
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the key, not the secret.
    public var description: String { "access key \(id)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
