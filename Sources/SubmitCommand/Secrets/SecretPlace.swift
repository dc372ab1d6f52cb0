internal import Submit

/// Where secrets are kept, by destination and key.
protocol SecretPlace: Sendable {
    /// What people call it, with who can read it: “that is in …”.
    var title: String { get }

    /// What is kept for a destination now; another process may have changed it a moment ago.
    func secrets(of destination: String) throws(SubmitFailure) -> [String: String]

    /// Changes what is kept for a destination, all of it or nothing; no change of another process is lost. When it
    /// returns, the new secrets outlast the process and a loss of power.
    func change(_ destination: String, _ edit: (inout [String: String]) -> Void) throws(SubmitFailure)
}
