/// Signing in at a destination, in steps: the person acts elsewhere or types, and the caller waits.
///
/// A submitter that has this is made without credentials too; until someone has signed in, its submissions fail with
/// ``Remedy/renewCredentials``. It never waits, opens, listens or asks: browsers, ports, the terminal, time limits and
/// giving up are the caller's.
public protocol LoginFacet: Sendable {
    /// The names of the secrets that a login gives.
    var secrets: Set<String> { get }

    /// The ways in which people can sign in there as it is configured, best first. Never empty. Without a word:
    /// ``LoginMethod/page``.
    var methods: [LoginMethod] { get }

    /// Where the caller listens for a browser that comes back from ``LoginMethod/browser``.
    var redirect: LoginRedirect { get }

    /// Begins a login. Whatever came of an earlier one stays as it is.
    ///
    /// - Throws: a failure that says why nobody can sign in there in this way; ``SubmitFailure/cancelled`` when the
    ///   task is.
    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt

    /// Asks the destination whose credentials those in use are.
    ///
    /// - Returns: `nil` where it has no way to tell.
    /// - Throws: ``Remedy/renewCredentials`` when it refuses them or there are none; a failure when it cannot be
    ///   reached or is in trouble.
    func whoami() async throws(SubmitFailure) -> LoginAccount?

    /// Makes the credentials in use worthless at the destination. Safe to call again. What is kept of them here is the
    /// caller's to forget, also when this throws.
    ///
    /// - Throws: a failure when it cannot be reached or is in trouble, so that another time it may do it.
    func revoke() async throws(SubmitFailure) -> Revocation
}

extension LoginFacet {
    public var methods: [LoginMethod] { [.page] }

    public var redirect: LoginRedirect { LoginRedirect() }

    public func whoami() async throws(SubmitFailure) -> LoginAccount? { nil }
}

/// A way to sign in.
public enum LoginMethod: String, Sendable, Hashable, CaseIterable {
    /// The person opens a page on any computer; the caller looks with ``LoginAttempt/poll()`` until it is done.
    case page
    /// The person opens a page in a browser on this computer, which comes back to where the caller listens
    /// (RFC 8252, section 7.3). The caller hands ``LoginAnswer/redirected(_:)`` on; a pasted answer does as well.
    case browser
    /// The person opens a page on any computer, and pastes the code that it shows, or the address that the browser
    /// could not open in the end. The caller hands ``LoginAnswer/pasted(_:)`` on.
    case paste
    /// The person opens a page on any computer and types a short code there (RFC 8628); the caller looks with
    /// ``LoginAttempt/poll()`` until it is done.
    case device
    /// The person types secrets, such as a password of an app or a key. The caller hands ``LoginAnswer/typed(_:)`` on.
    case typed
    /// Nobody has to do anything: what is configured is enough, and one ``LoginAttempt/poll()`` does it.
    case client
}

/// Where a browser has to come back to, as the service knows it.
public struct LoginRedirect: Sendable, Hashable {
    /// As it has to stand in the URL: an address of this computer, `127.0.0.1` or `[::1]`, or `localhost`. The caller
    /// listens on both addresses where it can.
    public var host: String
    /// The port to listen at; `nil`: any that is free.
    public var port: Int?
    /// Begins with `/`.
    public var path: String

    /// `http://127.0.0.1:PORT/callback` at any free port, where nothing else is given.
    public init(host: String = "127.0.0.1", port: Int? = nil, path: String = "/callback") {
        self.host = host
        self.port = port
        self.path = path
    }

    /// The URL for the port at which the caller listens.
    public func url(port: Int) -> String { "http://\(host):\(port)\(path)" }
}

/// A login that was begun. It ends by itself some time after it was let go.
public protocol LoginAttempt: Sendable {
    /// What the person has to do.
    var prompt: LoginPrompt { get }

    /// Looks once whether the person has done it.
    ///
    /// What it returns is told once: after ``LoginProgress/done(_:)`` the attempt is over.
    ///
    /// - Throws: a failure. Where its remedy is to retry, or to put the destination on hold as unreachable or throttled, it can be looked
    ///   again; after any other the attempt is over.
    func poll() async throws(SubmitFailure) -> LoginProgress

    /// Takes what the person brings, for the methods where they bring something. After ``LoginProgress/done(_:)`` the
    /// attempt is over.
    ///
    /// - Throws: a failure, whose sentence may be shown to whoever sent the answer. Where its remedy is to retry, the
    ///   answer was none, such as a redirect of another login: the attempt stands and another answer may come. Where it
    ///   is to put the destination on hold as unreachable or throttled, the same answer may be given again. After any other it is over.
    func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress
}

extension LoginAttempt {
    /// Takes nothing, and says so.
    ///
    /// - Throws: `no-answer`, to try again: look with ``poll()`` instead.
    public func answer(_ answer: LoginAnswer) async throws(SubmitFailure) -> LoginProgress {
        throw SubmitFailure(
            .retry(after: nil), code: "no-answer", message: "This login takes no answer: it is done on its page.")
    }
}

/// Who asks to be let in, and how.
public struct LoginClient: Sendable, Hashable {
    /// What the destination shows the person, such as `submit on harbour`. Printable ASCII.
    public var name: String
    /// One of ``LoginFacet/methods``.
    public var method: LoginMethod
    /// For ``LoginMethod/browser``: the URL where the caller listens already, made by ``LoginRedirect/url(port:)``.
    public var redirect: String?

    /// Who asks, by one method. ``LoginMethod/browser`` needs the redirect, the others have none.
    public init(name: String, method: LoginMethod = .page, redirect: String? = nil) {
        self.name = name
        self.method = method
        self.redirect = redirect
    }
}

/// What a person has to do to sign in.
public struct LoginPrompt: Sendable, Hashable {
    /// What to do, by the method of the login.
    public var task: LoginTask
    /// How long from now the destination waits for it.
    public var life: Duration

    /// A task, and how long from now on the destination waits for it.
    public init(_ task: LoginTask, life: Duration) {
        self.task = task
        self.life = life
    }

    /// To open a page, and nothing else here.
    public init(url: String, life: Duration) {
        self.init(.open(url), life: life)
    }

    /// The `http` or `https` page to open in a browser, where there is one. Printable ASCII. Whoever opens it can let
    /// us into their own account and into no other, so that it may be shown.
    public var url: String? {
        switch task {
        case .open(let url), .openAndReturn(let url), .openAndPaste(let url): url
        case .typeCode(let code): code.url
        case .fill, .nothing: nil
        }
    }
}

/// What a person has to do, by ``LoginMethod``.
public enum LoginTask: Sendable, Hashable {
    /// ``LoginMethod/page``: open this page.
    case open(String)
    /// ``LoginMethod/browser``: open this page in a browser on this computer.
    case openAndReturn(String)
    /// ``LoginMethod/paste``: open this page, and bring what it shows or where it leads.
    case openAndPaste(String)
    /// ``LoginMethod/device``: type a code into a page.
    case typeCode(LoginCode)
    /// ``LoginMethod/typed``: type these.
    case fill([LoginField])
    /// ``LoginMethod/client``.
    case nothing
}

/// A short code to type into a page on another device.
public struct LoginCode: Sendable, Hashable {
    /// As it is to be typed. Printable ASCII, and for the person's eyes only while the login lasts.
    public var code: String
    /// The page to open.
    public var url: String
    /// A page that has the code in it already, for a QR code, where the destination has one.
    public var completeURL: String?

    /// A code, the page it is typed into, and the page that has it already, where there is one.
    public init(code: String, url: String, completeURL: String? = nil) {
        self.code = code
        self.url = url
        self.completeURL = completeURL
    }
}

/// Something that a person types to sign in.
public struct LoginField: Sendable, Hashable {
    /// By which it is handed on and kept.
    public var name: String
    /// What people call it, such as `App password`.
    public var label: String
    /// It is typed without being shown, and kept where secrets are.
    public var isSecret: Bool

    /// A field by the name it is handed on by; a secret, unless said otherwise.
    public init(_ name: String, label: String, isSecret: Bool = true) {
        self.name = name
        self.label = label
        self.isSecret = isSecret
    }
}

/// What a person, or their browser, brings. It may hold secrets: nothing that prints it shows them.
public enum LoginAnswer: Sendable, Hashable {
    /// A browser came back: the URL it asked for, or the path and query of it.
    case redirected(String)
    /// A code, or the URL that the browser could not open; blanks around it do not count.
    case pasted(String)
    /// By the names of ``LoginTask/fill(_:)``.
    case typed([String: String])
}

extension LoginAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .redirected: "redirected"
        case .pasted: "pasted"
        case .typed(let fields): "typed(\(fields.keys.sorted().joined(separator: ", ")))"
        }
    }

    public var debugDescription: String { description }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Whose credentials are in use.
public struct LoginAccount: Sendable, Hashable {
    /// As people know it.
    public var name: String
    /// As the destination knows it, where that differs.
    public var id: String?

    /// - Parameter id: `nil` where the name is all that the destination knows it by.
    public init(name: String, id: String? = nil) {
        self.name = name
        self.id = id
    }
}

/// How far a login is.
public enum LoginProgress: Sendable, Hashable {
    /// The person has not done it yet: look again after that time.
    case pending(after: Duration)
    /// The person has done it: this is to be kept.
    case done(LoginGrant)
}

/// What a login gives, to be kept.
public struct LoginGrant: Sendable, Hashable {
    /// Who has signed in, as people know it.
    public var account: String
    /// Settings, by name, that belong to the secrets, such as the user.
    public var settings: [String: String]
    /// By the names in ``LoginFacet/secrets``. Those of that list that are missing here are to be forgotten.
    public var secrets: [String: String]
    /// What the person should know of it, such as that less was granted than was asked: one sentence each.
    public var notices: [String]

    /// What one login gave.
    ///
    /// - Parameter secrets: by the names in ``LoginFacet/secrets``; those that are missing are to be forgotten.
    public init(
        account: String, settings: [String: String] = [:], secrets: [String: String], notices: [String] = []
    ) {
        KnownSecrets.add(kept: secrets)
        self.account = account
        self.settings = settings
        self.secrets = secrets
        self.notices = notices
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
