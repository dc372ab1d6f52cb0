package import Submit
internal import SubmitConcurrency

/// The secrets of one destination that change while it is used.
///
/// What the environment or a program sets goes before what is kept. Where a submitter changes such a secret, the change
/// is kept, and this process uses it; the next one begins with what is set again.
package final class DestinationSecrets: SecretStore {
    private let destination: String
    private let credentials: CredentialStore
    /// What is set elsewhere, and what of it was changed since.
    private let set: Locked<[String: String]>
    /// Used where nothing else is set or kept.
    private let common: [String: String]

    package init(_ destination: String, _ credentials: CredentialStore, set: [String: String], common: [String: String])
    {
        self.destination = destination
        self.credentials = credentials
        self.set = Locked(set)
        self.common = common
    }

    package func read() async throws(SubmitFailure) -> [String: String] {
        try await BlockingThreads.prompts.run { () throws(SubmitFailure) in try now() }
    }

    private func now() throws(SubmitFailure) -> [String: String] {
        let kept = try credentials.secrets(of: destination)
        let own = set.withLock { set in kept.merging(set) { $1 } }
        let secrets = own.isEmpty ? common : own
        KnownSecrets.add(kept: secrets)
        return secrets
    }

    package func exclusively<Result: Sendable>(
        _ body: @Sendable (inout [String: String]) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        let lock = try await credentials.lock(destination)
        defer { withExtendedLifetime(lock) {} }
        let old = try await read()
        var new = old
        let result = try await body(&new)
        KnownSecrets.add(kept: new)
        let changed = Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
        if !changed.isEmpty {
            set.withLock { set in
                for key in changed where set[key] != nil { set[key] = new[key] }
            }
            try await BlockingThreads.prompts.run { [new] () throws(SubmitFailure) in
                try credentials.change(destination) { kept in
                    for key in changed { kept[key] = new[key] }
                }
            }
        }
        return result
    }
}

extension DestinationSecrets: CustomReflectable {
    /// Without the secrets.
    package var customMirror: Mirror { Mirror(self, children: ["destination": destination]) }
}
