/// What Signature Version 4 signs with. Nothing that prints a value shows its secrets.
public struct AccessKey: Sendable {
    /// Public: it is part of every signed request.
    public let id: String
    /// The token of temporary credentials.
    let sessionToken: String?
    let secret: String

    /// - Parameter sessionToken: of temporary credentials; `nil` for lasting ones.
    public init(id: String, secret: String, sessionToken: String? = nil) {
        self.id = id
        self.secret = secret
        self.sessionToken = sessionToken
    }

    /// A text in which the secrets are replaced by `…`: for what others say, who were told a token.
    public func redacted(_ text: String) -> String {
        [secret, sessionToken].reduce(text) { text, secret in
            guard let secret, !secret.isEmpty else { return text }
            return text.replacing(secret, with: "…")
        }
    }
}

extension AccessKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the key, not the secret.
    public var description: String { "access key \(id)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
