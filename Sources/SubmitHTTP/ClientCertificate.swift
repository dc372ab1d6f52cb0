internal import Submit

/// What a server that asks for it gets to know us by in the TLS handshake. Nothing that prints a value shows the
/// passphrase.
public struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file: our certificate first, then those between it and its authority.
    public var certificate: String
    /// The path of a PEM file with the private key; it may be the same file.
    public var key: String
    /// What the key is encrypted with; `nil` for one that is not.
    let passphrase: String?

    /// Reads nothing: the files are read when a connection is made.
    ///
    /// - Parameter passphrase: what the key is encrypted with; `nil` for one that is not.
    public init(certificate: String, key: String, passphrase: String? = nil) {
        passphrase.map { KnownSecrets.add($0, isConfigured: true) }
        self.certificate = certificate
        self.key = key
        self.passphrase = passphrase
    }

    /// Calls `body` with what the key is encrypted with: for the transport, and for nobody to print.
    public func withPassphrase<Result>(_ body: (String?) -> Result) -> Result { body(passphrase) }
}

extension ClientCertificate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the files.
    public var description: String { "certificate \(certificate), key \(key)" }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["certificate": certificate, "key": key]) }
}
