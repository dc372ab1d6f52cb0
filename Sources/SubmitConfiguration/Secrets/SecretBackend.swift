public import Submit

/// Where secrets are kept, by destination and key.
///
/// ``SecretsFile`` is a file, ``Keyring`` the desktop's Secret Service, ``MemorySecrets`` the process's memory.
public protocol SecretBackend: Sendable {
    /// What people call it, with who can read it: “that is in …”.
    var title: String { get }

    /// What is kept for a destination now; another process may have changed it a moment ago.
    ///
    /// - Throws: a failure when they cannot be read: it puts the destination on hold as misconfigured, or is to be given up with, and says what
    ///   to do.
    func secrets(of destination: String) throws(SubmitFailure) -> [String: String]

    /// Changes what is kept for a destination, all of it or nothing; no change of another process is lost. When it
    /// returns, the new secrets outlast the process and a loss of power,
    /// where the place is one that does.
    ///
    /// - Throws: a failure when they cannot be read or kept, and then nothing has changed.
    func change(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure)
}
