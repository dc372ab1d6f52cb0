/// Signing in at a destination, in steps: the person acts elsewhere, and the caller waits.
///
/// A submitter that has this is made without credentials too; until someone has signed in, its submissions fail with
/// ``Remedy/renewCredentials``. It never waits: time limits, waits and giving up are the caller's.
public protocol LoginFacet: Sendable {
    /// The names of the secrets that a login gives.
    var secrets: Set<String> { get }

    /// Begins a login. Whatever came of an earlier one stays as it is.
    ///
    /// - Throws: a failure that says why nobody can sign in there; ``SubmitFailure/cancelled`` when the task is.
    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt

    /// Makes the credentials in use worthless at the destination. Safe to call again.
    ///
    /// - Throws: a failure when it cannot be reached or is in trouble, so that another time it may do it.
    func revoke() async throws(SubmitFailure) -> Revocation
}

/// A login that was begun. It ends by itself some time after it was let go.
public protocol LoginAttempt: Sendable {
    /// What the person has to do.
    var prompt: LoginPrompt { get }

    /// Looks once whether the person has done it.
    ///
    /// What it returns is told once: after ``LoginProgress/done(_:)`` the attempt is over.
    ///
    /// - Throws: a failure. Where its remedy is to retry, or to park as unreachable or throttled, it can be looked
    ///   again; after any other the attempt is over.
    func poll() async throws(SubmitFailure) -> LoginProgress
}

/// Who asks to be let in.
public struct LoginClient: Sendable, Hashable {
    /// What the destination shows the person, such as `submit on harbour`. Printable ASCII.
    public var name: String

    public init(name: String) {
        self.name = name
    }
}

/// What a person has to do to sign in.
public struct LoginPrompt: Sendable, Hashable {
    /// The `http` or `https` page to open in a browser. Printable ASCII. Whoever opens it can let us into their own
    /// account and into no other, so that it may be shown.
    public var url: String
    /// For how many seconds from now the destination waits for it.
    public var seconds: Int

    public init(url: String, seconds: Int) {
        self.url = url
        self.seconds = seconds
    }
}

/// How far a login is.
public enum LoginProgress: Sendable, Hashable {
    /// The person has not done it yet: look again after so many milliseconds.
    case pending(afterMilliseconds: Int64)
    case done(LoginGrant)
}

/// What a login gives, to be kept.
public struct LoginGrant: Sendable, Hashable {
    /// Who has signed in, as people know it.
    public var account: String
    /// Settings, by name, that belong to the secrets, such as the user.
    public var settings: [String: String]
    /// By the names in ``LoginFacet/secrets``.
    public var secrets: [String: String]

    public init(account: String, settings: [String: String] = [:], secrets: [String: String]) {
        self.account = account
        self.settings = settings
        self.secrets = secrets
    }
}

extension LoginGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the account and the settings; never a secret.
    public var description: String {
        let shown = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(account)(\((shown + secrets.keys.sorted().map { "\($0)=…" }).joined(separator: ", ")))"
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// What came of making credentials worthless.
public enum Revocation: Sendable, Hashable {
    /// They open nothing any more.
    case revoked
    /// The destination does not do that for these credentials: one sentence that says why and what to do.
    case impossible(String)
}
