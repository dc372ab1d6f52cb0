internal import Crypto
internal import Submit
internal import SubmitHTTP

/// What ties a code to who asked for it: Proof Key for Code Exchange, method `S256` (RFC 7636).
public struct PKCE: Sendable, Hashable {
    /// The secret half, which goes with the code.
    public let verifier: String

    /// A new one, of 256 random bits.
    public init() {
        verifier = SecretText.random()
        KnownSecrets.add(verifier)
    }

    /// - Returns: `nil` unless it has 43 to 128 characters of `A-Za-z0-9-._~` (section 4.1).
    public init?(verifier: String) {
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            return nil
        }
        KnownSecrets.add(verifier)
        self.verifier = verifier
    }

    /// The public half, which goes with the request for the code (section 4.2).
    public var challenge: String { SecretText.base64URL(SHA256.hash(data: Array(verifier.utf8))) }
}

extension PKCE: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "proof key" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
