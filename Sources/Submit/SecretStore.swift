internal import SubmitConcurrency

/// The secrets of one destination that change while it is used, such as an access token and the refresh token with
/// which the next one is had.
///
/// Who implements it adds what it reads and keeps to ``KnownSecrets``. Several processes may use the same. Names are those of ``LoginFacet/secrets``; others stay as they are.
public protocol SecretStore: Sendable {
    /// The secrets by name, as some process kept them last. Empty for none.
    ///
    /// - Throws: a failure when they cannot be read: ``HoldReason/misconfigured`` with what to do.
    func read() async throws(SubmitFailure) -> [String: String]

    /// Lets `body` change the secrets while nobody else does, in this process or another.
    ///
    /// It waits for its turn, reads the secrets again, calls `body` once, and returns when what `body` made of them is
    /// durable: not even a loss of power then brings the old ones back. While `body` runs, which may take as long as a
    /// request does, others can read, and change the secrets of other destinations. Do not call it inside itself.
    ///
    /// - Parameter body: changes the secrets by name; `nil` forgets one.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, and then nothing has changed; a failure when the secrets cannot be read or kept, and
    ///   then they are as before or as `body` made them; ``SubmitFailure/cancelled``, at once, when the task is
    ///   cancelled before its turn has come. What `body` made of them is kept also when the task is cancelled.
    func exclusively<Result: Sendable>(
        _ body: @Sendable (inout [String: String]) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result
}

/// Secrets that end with the process.
public final class TransientSecrets: SecretStore {
    private let secrets: Locked<[String: String]>
    private let turns = AsyncSemaphore(1)

    /// - Parameter secrets: by name, as they are at the beginning.
    public init(_ secrets: [String: String] = [:]) {
        KnownSecrets.add(kept: secrets)
        self.secrets = Locked(secrets)
    }

    public func read() async -> [String: String] { secrets.withLock { $0 } }

    public func exclusively<Result: Sendable>(
        _ body: @Sendable (inout [String: String]) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        guard await turns.acquire() else { throw .cancelled }
        defer { turns.release() }
        var changed = secrets.withLock { $0 }
        let result = try await body(&changed)
        KnownSecrets.add(kept: changed)
        secrets.withLock { [changed] in $0 = changed }
        return result
    }
}

extension TransientSecrets: CustomReflectable {
    /// Without the secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
