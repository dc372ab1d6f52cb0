import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

@Suite struct `signing in by OAuth 2` {
    private static let service = OAuth2Service(
        authorizeURL: "https://h/auth", tokenURL: "https://h/token", deviceURL: "https://h/device",
        revokeURL: "https://h/revoke", scopes: ["upload", "me"])

    private static let tokens = json(
        #"{"access_token":"acc","expires_in":3600,"refresh_token":"ref","scope":"upload me"}"#)

    private static func settings(_ change: (inout OAuth2Settings) -> Void = { _ in }) -> OAuth2Settings {
        var settings = OAuth2Settings(
            destination: "cloud", service: service, client: OAuthClient(id: "app"),
            methods: [.browser, .paste, .device, .client])
        change(&settings)
        return settings
    }

    private static func login(
        _ server: ScriptedTransport, _ secrets: [String: String] = [:],
        _ change: (inout OAuth2Settings) -> Void = { _ in }
    ) -> OAuth2Login {
        OAuth2Login(settings(change), store: TransientSecrets(secrets), transport: server)
    }

    private static func state(_ attempt: any LoginAttempt) throws -> String {
        let url = try #require(attempt.prompt.url)
        return try #require(WebForm.decode(URLReference(url).query ?? "")[only: "state"])
    }

    private static let browser = LoginClient(
        name: "submit", method: .browser, redirect: "http://127.0.0.1:4711/callback")

    @Test func `with a browser that comes back`() async throws {
        let server = ScriptedTransport { _ in Self.tokens }
        let login = Self.login(server)
        #expect(login.methods.first == .browser && login.redirect.url(port: 4711) == "http://127.0.0.1:4711/callback")
        let attempt = try await login.begin(Self.browser)
        guard case .openAndReturn(let url) = attempt.prompt.task else { throw Unexpected() }
        #expect(
            url.hasPrefix("https://h/auth?response_type=code&client_id=app&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711"))
        #expect(try await attempt.poll() == .pending(after: .seconds(1)))
        let state = try Self.state(attempt)
        await #expect {
            _ = try await attempt.answer(.redirected("/callback?code=evil&state=x\(state)"))
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .retry(after: nil)
        }
        #expect(server.seen.isEmpty)
        guard case .done(let grant) = try await attempt.answer(.redirected("/callback?code=c&state=\(state)")) else {
            throw Unexpected()
        }
        #expect(grant.account == "app" && grant.notices.isEmpty && grant.settings.isEmpty)
        #expect(OAuth2Tokens(grant.secrets)?.access == "acc" && OAuth2Tokens(grant.secrets)?.refresh == "ref")
        #expect(login.secrets.isSuperset(of: grant.secrets.keys))
        #expect(server.seen[0].form["redirect_uri"] == "http://127.0.0.1:4711/callback")
        #expect(!"\(grant) \(String(reflecting: attempt)) \(String(reflecting: login))".contains("acc\""))
    }

    @Test(
        arguments: [
            (OAuth2Settings.PasteRedirect.unanswered, "http://127.0.0.1:53681/callback"),
            (.fixed("urn:ietf:wg:oauth:2.0:oob"), "urn:ietf:wg:oauth:2.0:oob"), (.none, nil),
        ] as [(OAuth2Settings.PasteRedirect, String?)])
    func `with a pasted code`(redirect: OAuth2Settings.PasteRedirect, sent: String?) async throws {
        let server = ScriptedTransport { _ in Self.tokens }
        let attempt = try await Self.login(server) { $0.pasteRedirect = redirect }.begin(
            LoginClient(name: "submit", method: .paste))
        guard case .openAndPaste = attempt.prompt.task else { throw Unexpected() }
        guard case .done = try await attempt.answer(.pasted(" c0de \n")) else { throw Unexpected() }
        #expect(server.seen[0].form["code"] == "c0de" && server.seen[0].form["redirect_uri"] == sent)
    }

    @Test func `with a code on another device, which is asked for more and more seldom`() async throws {
        let answers = Locked<[Result<HTTPResponse, HTTPFailure>]>([
            .success(json(#"{"error":"authorization_pending"}"#, status: 400)),
            .success(json(#"{"error":"slow_down"}"#, status: 400)),
            .success(json(#"{"error":"authorization_pending"}"#, status: 400)),
            .success(json(#"{"error":"slow_down"}"#, status: 400)), .failure(.stalled(afterBody: true)),
            .success(HTTPResponse(status: 503, headers: [("Retry-After", "200")])), .success(Self.tokens),
        ])
        let server = ScriptedTransport { request throws(HTTPFailure) in
            if request.url == "https://h/device" {
                return json(
                    #"{"device_code":"dc","user_code":"AB-CD","verification_uri":"https://h/d","expires_in":900,"interval":2}"#
                )
            }
            return try answers.withLock { $0.removeFirst() }.get()
        }
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .device))
        #expect(
            attempt.prompt == LoginPrompt(.typeCode(LoginCode(code: "AB-CD", url: "https://h/d")), life: .seconds(900)))
        for seconds in [2, 7, 7, 12, 24, 200] {
            #expect(try await attempt.poll() == .pending(after: .seconds(seconds)))
        }
        guard case .done(let grant) = try await attempt.poll() else { throw Unexpected() }
        #expect(OAuth2Tokens(grant.secrets)?.access == "acc")
    }

    @Test(arguments: [
        ("access_denied", "login-denied"), ("expired_token", "login-expired"), ("code_expired", "login-expired"),
    ])
    func `until the device is refused`(error: String, code: String) async throws {
        let server = ScriptedTransport { request in
            request.url == "https://h/device"
                ? json(#"{"device_code":"dc","user_code":"AB","verification_uri":"https://h/d"}"#)
                : json(#"{"error":"\#(error)"}"#, status: 400)
        }
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .device))
        await #expect {
            _ = try await attempt.poll()
        } throws: { error in
            let failure = error as? SubmitFailure
            return failure?.remedy == .giveUp && failure?.code == code
                && failure?.message.contains("sign in again") == true
        }
    }

    @Test func `as the application itself`() async throws {
        let server = ScriptedTransport { _ in json(#"{"access_token":"acc"}"#) }
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .client))
        #expect(attempt.prompt.task == .nothing)
        guard case .done(let grant) = try await attempt.poll() else { throw Unexpected() }
        #expect(grant.secrets["access_token"] == "acc" && grant.secrets["refresh_token"] == nil)
        #expect(server.seen[0].form["grant_type"] == "client_credentials")
    }

    @Test func `says what was not granted`() async throws {
        let server = ScriptedTransport { _ in json(#"{"access_token":"acc","scope":"me"}"#) }
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .client))
        guard case .done(let grant) = try await attempt.poll() else { throw Unexpected() }
        #expect(grant.notices == ["“cloud” was not granted upload: what needs it will fail."])
    }

    @Test(arguments: [
        ("/c?error=access_denied&state=STATE", "login-denied", Remedy.giveUp),
        ("/c?error=invalid_scope&state=STATE", "oauth-request", .hold(.misconfigured, after: nil)),
        ("/c?code=old&state=STATE", "login-expired", .giveUp),
    ])
    func `ends when the answer is no`(url: String, code: String, remedy: Remedy) async throws {
        let server = ScriptedTransport { _ in json(#"{"error":"invalid_code"}"#, status: 403) }
        let attempt = try await Self.login(server).begin(Self.browser)
        let state = try Self.state(attempt)
        await #expect {
            _ = try await attempt.answer(.redirected(url.replacing("STATE", with: state)))
        } throws: { error in
            (error as? SubmitFailure)?.code == code && (error as? SubmitFailure)?.remedy == remedy
        }
    }

    @Test func `registers the application where it has to, and keeps what it got`() async throws {
        let server = ScriptedTransport { _ in Self.tokens }
        let login = Self.login(server) { settings in
            settings.client = nil
            settings.register = { redirect throws(SubmitFailure) in
                #expect(redirect == "http://127.0.0.1:4711/callback")
                return OAuthClient(id: "registered", secret: "reg-secret")
            }
        }
        let attempt = try await login.begin(Self.browser)
        #expect(attempt.prompt.url?.contains("client_id=registered") == true)
        let state = try Self.state(attempt)
        guard case .done(let grant) = try await attempt.answer(.redirected("/c?code=c&state=\(state)")) else {
            throw Unexpected()
        }
        #expect(OAuthClient(grant.secrets) == OAuthClient(id: "registered", secret: "reg-secret"))
        #expect(login.secrets.isSuperset(of: grant.secrets.keys))
    }

    @Test func `lets a recipe change what is kept`() async throws {
        let server = ScriptedTransport { _ in Self.tokens }
        let login = Self.login(server) { settings in
            settings.moreSecrets = ["page_token"]
            settings.afterLogin = { grant, secrets throws(SubmitFailure) in
                #expect(grant.tokens.access == "acc" && secrets["access_token"] == "acc")
                return LoginGrant(
                    account: "Ada", settings: ["page": "7"], secrets: ["access_token": "long", "page_token": "p"])
            }
        }
        let attempt = try await login.begin(LoginClient(name: "submit", method: .client))
        guard case .done(let grant) = try await attempt.poll() else { throw Unexpected() }
        #expect(grant.account == "Ada" && grant.settings == ["page": "7"])
        #expect(grant.secrets["access_token"] == "long" && grant.secrets["page_token"] == "p")
        #expect(grant.secrets["refresh_token"] == "ref" && login.secrets.contains("page_token"))
    }

    @Test func `says what is missing`() async throws {
        let server = ScriptedTransport { _ in Self.tokens }
        for login in [
            Self.login(server) { $0.client = nil }, Self.login(server) { $0.methods = [.device] },
            Self.login(server) { $0.service.authorizeURL = "http://h/" },
        ] {
            await #expect(throws: SubmitFailure.self) { _ = try await login.begin(Self.browser) }
        }
        #expect(server.seen.isEmpty)
    }

    // MARK: Signing out

    @Test func `revokes both tokens`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let secrets = ["access_token": "acc", "refresh_token": "ref"]
        #expect(try await Self.login(server, secrets).revoke() == .revoked)
        #expect(server.seen.map { $0.form["token"] } == ["ref", "acc"])
    }

    @Test func `says what cannot be revoked`() async throws {
        let server = ScriptedTransport { _ in json(#"{"error":"unsupported_token_type"}"#, status: 400) }
        guard case .impossible = try await Self.login(server).revoke() else { throw Unexpected() }
        guard case .impossible = try await Self.login(server, ["access_token": "a"]).revoke() else {
            throw Unexpected()
        }
        let without = Self.login(server, ["access_token": "a"]) { $0.service.revokeURL = nil }
        guard case .impossible = try await without.revoke() else { throw Unexpected() }
        let own = Self.login(server, ["access_token": "a"]) {
            $0.revoke = { secrets throws(SubmitFailure) in secrets["access_token"] == "a" ? .revoked : .impossible("") }
        }
        #expect(try await own.revoke() == .revoked)
        let busy = Self.login(ScriptedTransport { _ in HTTPResponse(status: 503) }, ["access_token": "a"])
        await #expect(throws: SubmitFailure.self) { _ = try await busy.revoke() }
    }
}

private struct Unexpected: Error {}

@Suite struct `signing in by OAuth 1.0a` {
    private static let service = OAuth1Service(
        requestURL: "https://h/request", authorizeURL: "https://h/authorize", accessURL: "https://h/access")

    private static func login(_ server: ScriptedTransport, _ secrets: [String: String] = [:]) -> OAuth1Login {
        OAuth1Login(
            OAuth1Settings(destination: "flickr", service: service, client: OAuthClient(id: "k", secret: "s")),
            store: TransientSecrets(secrets), transport: server)
    }

    private static func answer(_ request: HTTPRequest) -> HTTPResponse {
        let text =
            request.url == "https://h/request"
            ? "oauth_token=t&oauth_token_secret=ts&oauth_callback_confirmed=true"
            : "oauth_token=at&oauth_token_secret=as&username=ada"
        return HTTPResponse(status: 200, body: Array(text.utf8))
    }

    @Test(arguments: [
        (LoginMethod.browser, LoginAnswer.redirected("/callback?oauth_token=t&oauth_verifier=v")),
        (.paste, .pasted("123-456")), (.browser, .pasted("http://127.0.0.1:1/callback?oauth_token=t&oauth_verifier=v")),
    ])
    func `with a browser that comes back, or a pasted code`(method: LoginMethod, brought: LoginAnswer) async throws {
        let server = ScriptedTransport { Self.answer($0) }
        let login = Self.login(server)
        let attempt = try await login.begin(
            LoginClient(name: "submit", method: method, redirect: "http://127.0.0.1:1/callback"))
        #expect(attempt.prompt.url == "https://h/authorize?oauth_token=t")
        await #expect {
            _ = try await attempt.answer(.redirected("/callback?oauth_token=other&oauth_verifier=v"))
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .retry(after: nil)
        }
        guard case .done(let grant) = try await attempt.answer(brought) else { throw Unexpected() }
        #expect(grant.account == "ada" && grant.secrets == ["oauth_token": "at", "oauth_token_secret": "as"])
        #expect(login.secrets == Set(grant.secrets.keys))
    }

    @Test func `ends when the person says no`() async throws {
        let server = ScriptedTransport { Self.answer($0) }
        let attempt = try await Self.login(server).begin(
            LoginClient(name: "s", method: .browser, redirect: "http://127.0.0.1:1/"))
        await #expect {
            _ = try await attempt.answer(.redirected("/?denied=t"))
        } throws: { error in
            (error as? SubmitFailure)?.code == "login-denied"
        }
    }

    @Test func `cannot be revoked from here`() async throws {
        let server = ScriptedTransport { Self.answer($0) }
        let login = Self.login(server, ["oauth_token": "at", "oauth_token_secret": "as"])
        guard case .impossible(let sentence) = try await login.revoke() else { throw Unexpected() }
        #expect(sentence.contains("flickr"))
    }
}

@Suite struct `signing in by typing` {
    private let login = TypedLogin(
        destination: "photos", fields: [LoginField("api_key", label: "API key")],
        check: { texts throws(SubmitFailure) in
            guard texts["api_key"] == "r1ght" else { throw .needsLogin("photos") }
            return LoginGrant(account: "ada", secrets: texts)
        })

    @Test func `asks until what is typed is taken`() async throws {
        let attempt = try await login.begin(LoginClient(name: "submit", method: .typed))
        #expect(attempt.prompt.task == .fill([LoginField("api_key", label: "API key")]))
        for wrong in [["api_key": "wr0ng"], [:], ["api_key": ""], ["api_key": "a\nb"]] {
            await #expect {
                _ = try await attempt.answer(.typed(wrong))
            } throws: { error in
                (error as? SubmitFailure)?.remedy == .retry(after: nil)
            }
        }
        let done = try await attempt.answer(.typed(["api_key": "r1ght"]))
        #expect(done == .done(LoginGrant(account: "ada", secrets: ["api_key": "r1ght"])))
        #expect(login.secrets == ["api_key"])
        #expect(!String(describing: LoginAnswer.typed(["api_key": "r1ght"])).contains("r1ght"))
    }
}
