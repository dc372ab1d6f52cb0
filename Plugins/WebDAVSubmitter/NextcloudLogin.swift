internal import Submit
internal import SubmitHTTP

/// Signing in at a Nextcloud: its login flow v2, which ends in an app password of our own.
///
/// Source: "Login flow v2" and "Deleting an app password" in the Nextcloud developer manual ("Login Flow").
struct NextcloudLogin: LoginFacet {
    /// The settings that a login gives.
    static let userSetting = "user"
    static let passwordSetting = "password"

    private let site: NextcloudSite
    private let user: String?
    private let password: String?

    /// - Parameters:
    ///   - destination: its name, for sentences.
    ///   - endpoint: the server's base URL, or a WebDAV URL below it.
    ///   - allowsPlain: passwords may go over `http` to other machines.
    ///   - user: in use; `nil` before a login.
    ///   - password: in use; `nil` before a login.
    init(
        destination: String, endpoint: Endpoint, allowsPlain: Bool, user: String?, password: String?,
        certificates: DAVServer.Certificates = DAVServer.Certificates(), transport: any HTTPTransport,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        site = NextcloudSite(
            destination: destination, base: endpoint.nextcloudBase, allowsPlain: allowsPlain,
            certificates: certificates, transport: RedirectingTransport(transport), now: now)
        self.user = user
        self.password = password
    }

    var secrets: Set<String> { [Self.passwordSetting] }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        try site.checkSecrecy()
        let answer = try await site.send(
            "POST", site.base.url("/index.php/login/v2"),
            // By this name the person knows what asks, and later which app password it was.
            headers: [("user-agent", client.name)], body: [])
        guard answer.status == 200 else {
            throw site.trouble(answer) ?? site.noLogin("answered \(answer.status)")
        }
        guard let begun = NextcloudAnswer.Begun(answer.body) else { throw site.noLogin("answered with something else") }
        return NextcloudLoginAttempt(
            site: site, prompt: LoginPrompt(url: try site.page(begun.login), life: NextcloudLoginAttempt.life),
            endpoint: try site.pollEndpoint(begun.poll.endpoint), token: begun.poll.token)
    }

    func revoke() async throws(SubmitFailure) -> Revocation {
        guard let user, let password else { return .impossible("There are no credentials at “\(site.destination)”.") }
        try site.checkSecrecy()
        let answer = try await site.send(
            "DELETE", site.base.url("/ocs/v2.php/core/apppassword"),
            headers: [
                ("authorization", "Basic \(Base64.text(of: "\(user):\(password)".utf8))"), ("ocs-apirequest", "true"),
                ("accept", "application/json"),
            ])
        // What is refused opens nothing: someone revoked it already.
        if answer.status == 200 || answer.status == 401 { return .revoked }
        if let trouble = site.trouble(answer) { throw trouble }
        let why =
            answer.status == 403
            ? "it is no app password" : "\(site.base.origin) answered \(answer.status)"
        return .impossible(
            "The password of “\(user)” at “\(site.destination)” cannot be revoked from here (\(why)): "
                + "it stays good until it is removed or changed there.")
    }
}

/// A login at a Nextcloud that was begun.
struct NextcloudLoginAttempt: LoginAttempt {
    let site: NextcloudSite
    let prompt: LoginPrompt
    let endpoint: Endpoint
    let token: String

    /// How long the server keeps it.
    static let life = Duration.seconds(20 * 60)
    /// How often to look.
    static let interval = Duration.seconds(2)

    func poll() async throws(SubmitFailure) -> LoginProgress {
        let answer = try await site.send(
            "POST", endpoint.url(""), headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array("token=\(PercentEncoding.encode(token))".utf8))
        switch answer.status {
        case 404: return .pending(after: Self.interval)
        case 200:
            guard let granted = NextcloudAnswer.Granted(answer.body) else {
                throw site.misconfigured(
                    "\(site.base.origin) let us in and did not say with which password", "sign in again")
            }
            return .done(
                LoginGrant(
                    account: granted.loginName, settings: [NextcloudLogin.userSetting: granted.loginName],
                    secrets: [NextcloudLogin.passwordSetting: granted.appPassword]))
        default:
            throw site.trouble(answer)
                ?? site.misconfigured(
                    "\(site.base.origin) answered \(answer.status) when it was asked whether you have signed in",
                    "sign in again")
        }
    }
}

extension NextcloudLoginAttempt: CustomStringConvertible, CustomReflectable {
    /// Without the token: who has it gets the password.
    var description: String { "login at \(site.base.origin)" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Endpoint {
    /// Where the Nextcloud is to which a WebDAV URL belongs: what stands before `/remote.php`, a folder where it has
    /// one.
    fileprivate var nextcloudBase: Endpoint {
        let segments = basePath.split(separator: "/", omittingEmptySubsequences: false)
        let base = segments.prefix { $0 != "remote.php" }.joined(separator: "/")
        return (try? Endpoint(origin + base)) ?? self
    }
}

extension NextcloudLogin: CustomStringConvertible, CustomReflectable {
    /// Names whom it signs in, and where; never the password.
    var description: String { "NextcloudLogin(\(user ?? "nobody") at \(site.base.authority))" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
