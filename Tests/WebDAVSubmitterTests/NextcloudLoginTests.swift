import Submit
import SubmitConcurrency
import SubmitHTTP
import Testing

@testable import WebDAVSubmitter

/// Answers by a script, and keeps what was sent.
private final class ScriptedTransport: HTTPTransport {
    private let answers: Locked<[Result<HTTPResponse, HTTPFailure>]>
    private let requests = Locked<[HTTPRequest]>([])

    init(_ answers: [Result<HTTPResponse, HTTPFailure>]) {
        self.answers = Locked(answers)
    }

    var sent: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        return try (answer ?? .failure(.badAnswer("nothing more in the script"))).get()
    }
}

extension HTTPRequest {
    fileprivate subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    fileprivate var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Result<HTTPResponse, HTTPFailure> {
    fileprivate static func answer(
        _ status: Int, _ body: String = "", _ headers: [(name: String, value: String)] = []
    ) -> Self {
        .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    /// How a Nextcloud begins a login.
    fileprivate static func begun(
        endpoint: String = "https://cloud.example/index.php/login/v2/poll",
        login: String = "https://cloud.example/index.php/login/v2/flow/PAGE", token: String = NextcloudLogins.token
    ) -> Self {
        // As PHP writes it.
        let text = #"{"poll":{"token":"\#(token)","endpoint":"\#(endpoint)"},"login":"\#(login)"}"#
        return .answer(200, text.replacing("/", with: #"\/"#))
    }

    fileprivate static func granted(user: String = "alice", password: String = NextcloudLogins.password) -> Self {
        .answer(200, #"{"server":"https:\/\/cloud.example","loginName":"\#(user)","appPassword":"\#(password)"}"#)
    }
}

private enum NextcloudLogins {
    static let token = "t0k3n-0f-th3-t3sts"
    static let password = "4pp-p4ssw0rd-0f-th3-t3sts"
    static let url = "https://cloud.example/remote.php/dav/files/alice"
    static let client = LoginClient(name: "submit on harbour")

    static func login(
        _ transport: ScriptedTransport, url: String = url, allowsPlain: Bool = false,
        user: String? = "alice", password: String? = nil
    ) throws -> NextcloudLogin {
        NextcloudLogin(
            destination: "cloud", endpoint: try Endpoint(url), allowsPlain: allowsPlain, user: user, password: password,
            transport: transport, now: { Timestamp(nanoseconds: 0) })
    }
}

@Suite struct `Signing in at a Nextcloud` {
    private func failure(
        _ answers: [Result<HTTPResponse, HTTPFailure>], url: String = NextcloudLogins.url, allowsPlain: Bool = false
    ) async throws -> SubmitFailure {
        let login = try NextcloudLogins.login(ScriptedTransport(answers), url: url, allowsPlain: allowsPlain)
        return try #require(
            await #expect(throws: SubmitFailure.self) { try await login.begin(NextcloudLogins.client).poll() })
    }

    @Test func `gives an app password once the person has let us in`() async throws {
        let transport = ScriptedTransport([.begun(), .answer(404, "[]"), .granted()])
        let attempt = try await NextcloudLogins.login(transport).begin(NextcloudLogins.client)
        #expect(attempt.prompt.url == "https://cloud.example/index.php/login/v2/flow/PAGE")
        #expect(attempt.prompt.life == .seconds(1200))
        guard case .pending(let wait) = try await attempt.poll() else { throw HTTPFailure.badAnswer("not pending") }
        #expect((.milliseconds(500) ... .seconds(10)).contains(wait))
        guard case .done(let grant) = try await attempt.poll() else { throw HTTPFailure.badAnswer("not done") }
        #expect(grant.account == "alice" && grant.settings == ["user": "alice"])
        #expect(grant.secrets == ["password": NextcloudLogins.password])

        let sent = transport.sent
        #expect(sent.map(\.method) == ["POST", "POST", "POST"])
        #expect(sent[0].url == "https://cloud.example/index.php/login/v2" && sent[0].text == "")
        #expect(sent[0]["user-agent"] == "submit on harbour" && sent[0]["authorization"] == nil)
        #expect(sent[1].url == "https://cloud.example/index.php/login/v2/poll")
        #expect(sent[1].text == "token=\(NextcloudLogins.token)")
        #expect(sent[1]["content-type"] == "application/x-www-form-urlencoded")
        for text in ["\(attempt)", "\(grant)", String(reflecting: grant), String(reflecting: attempt)] {
            #expect(!text.contains(NextcloudLogins.token) && !text.contains(NextcloudLogins.password))
        }
        var dumped = ""
        dump(attempt, to: &dumped)
        dump(grant, to: &dumped)
        #expect(!dumped.contains(NextcloudLogins.token) && !dumped.contains(NextcloudLogins.password), "\(dumped)")
    }

    @Test(arguments: [
        ("https://h", "https://h/index.php/login/v2"), ("https://h/", "https://h/index.php/login/v2"),
        ("https://h/nextcloud", "https://h/nextcloud/index.php/login/v2"),
        ("https://h:8443/a/b/remote.php/dav/files/x%20y/", "https://h:8443/a/b/index.php/login/v2"),
        ("https://h/remote.php/webdav", "https://h/index.php/login/v2"),
        ("https://h/remote.php", "https://h/index.php/login/v2"),
        ("https://h/my.remote.php/x", "https://h/my.remote.php/x/index.php/login/v2"),
        ("http://127.0.0.1:81/remote.php/dav", "http://127.0.0.1:81/index.php/login/v2"),
    ])
    func `finds it by a WebDAV URL too`(url: String, expected: String) async throws {
        let transport = ScriptedTransport([])
        _ = try? await NextcloudLogins.login(transport, url: url).begin(NextcloudLogins.client)
        #expect(transport.sent.map(\.url) == [expected])
    }

    @Test func `shows the certificate, and trusts the authority, that are configured`() async throws {
        let transport = ScriptedTransport([.begun(), .answer(404)])
        let certificate = ClientCertificate(certificate: "/c.pem", key: "/k.pem", passphrase: nil)
        let login = NextcloudLogin(
            destination: "cloud", endpoint: try Endpoint(NextcloudLogins.url), allowsPlain: false, user: nil,
            password: nil, certificates: DAVServer.Certificates(client: certificate, authority: "/a.pem"),
            transport: transport)
        _ = try await login.begin(NextcloudLogins.client).poll()
        #expect(transport.sent.map(\.clientCertificate?.key) == ["/k.pem", "/k.pem"])
        #expect(transport.sent.map(\.certificateAuthority) == ["/a.pem", "/a.pem"])
    }

    @Test func `sends no password in the clear, unless that was asked for`() async throws {
        let url = "http://cloud.example"
        let plain = ScriptedTransport([])
        let login = try NextcloudLogins.login(plain, url: url, password: NextcloudLogins.password)
        await #expect(throws: SubmitFailure.self) { try await login.begin(NextcloudLogins.client) }
        await #expect(throws: SubmitFailure.self) { try await login.revoke() }
        #expect(plain.sent.isEmpty)
        let refused = try await failure([], url: url)
        #expect(refused.message.contains("“cloud”") && refused.message.contains("“insecure”"))
        let asked = ScriptedTransport([.begun(endpoint: "\(url)/poll", login: "\(url)/flow"), .granted()])
        let attempt = try await NextcloudLogins.login(asked, url: url, allowsPlain: true).begin(NextcloudLogins.client)
        #expect(attempt.prompt.url == "\(url)/flow")
    }

    @Test(arguments: [
        ("https://evil.example/poll", "https://cloud.example/flow", "another host, “evil.example”"),
        ("https://cloud.example/poll", "https://evil.example/flow", "another host, “evil.example”"),
        ("https://cloud.example/poll", "https://cloud.example.evil.example/flow", "another host"),
        ("http://cloud.example/poll", "https://cloud.example/flow", "overwriteprotocol"),
        ("https://cloud.example/poll", "http://cloud.example/flow", "overwriteprotocol"),
        ("https://cloud.example:8443/poll", "https://cloud.example/flow", "https://cloud.example:8443"),
        ("https://cloud.example/poll?x=y", "https://cloud.example/flow", "no web address to ask"),
        ("https://cloud.example@evil.example/poll", "https://cloud.example/flow", "no web address to ask"),
        ("https://cloud.example/poll", "https://cloud.example@evil.example/flow", "a page to sign in"),
        ("https://cloud.example/poll", "javascript:alert(1)", "a page to sign in"),
        ("https://cloud.example/poll", "--version", "a page to sign in"),
        ("https://cloud.example/poll", #"https://cloud.example/\u001b[31m"#, "a page to sign in"),
        ("https://cloud.example/poll", "https://cloud.example/flow?a=\u{202e}b", "a page to sign in"),
        ("https://cloud.example/poll", "https://cloud.example/flow?a=b c", "a page to sign in"),
    ])
    func `goes to no one else`(endpoint: String, login: String, words: String) async throws {
        let failure = try await failure([.begun(endpoint: endpoint, login: login), .granted()])
        #expect(failure.message.contains(words) && failure.message.contains("“cloud”"), "\(failure)")
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(!failure.message.contains("\u{1b}") && !failure.message.contains(NextcloudLogins.token))
    }

    @Test func `follows the server to https, and takes a page with a query`() async throws {
        let transport = ScriptedTransport([
            .begun(endpoint: "https://localhost/poll", login: "https://localhost/flow?user=a&b=%20#x"), .granted(),
        ])
        let attempt = try await NextcloudLogins.login(transport, url: "http://localhost").begin(NextcloudLogins.client)
        #expect(attempt.prompt.url == "https://localhost/flow?user=a&b=%20#x")
        _ = try await attempt.poll()
        #expect(transport.sent.last?.url == "https://localhost/poll")
    }

    @Test(
        arguments: [
            .answer(200, "<html>Welcome to the hotel</html>"), .answer(200, "{}"), .answer(200, "[]"), .answer(200),
            .answer(
                200, #"{"poll":{"token":"","endpoint":"https://cloud.example/p"},"login":"https://cloud.example/f"}"#),
            .begun(token: "two words"), .begun(token: String(repeating: "x", count: 1025)),
            .answer(404), .answer(405), .answer(401), .answer(403, "<html>no</html>"),
        ] as [Result<HTTPResponse, HTTPFailure>])
    func `is not done where something else answers`(answer: Result<HTTPResponse, HTTPFailure>) async throws {
        let failure = try await failure([answer, .granted()])
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(failure.message.contains("as no Nextcloud does; check “url”"), "\(failure)")
    }

    @Test(
        arguments: [
            .answer(200, "<html></html>"), .answer(200, "{}"), .granted(user: ""), .granted(password: ""),
            .granted(user: "a:b"), .granted(user: #"a\u001bb"#), .granted(user: "a\u{202e}b"),
            .granted(password: "with blank"), .granted(password: #"line\nfeed"#),
            .granted(user: String(repeating: "a", count: 300)),
        ] as [Result<HTTPResponse, HTTPFailure>])
    func `gives nothing that cannot be a password`(answer: Result<HTTPResponse, HTTPFailure>) async throws {
        let failure = try await failure([.begun(), answer])
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        #expect(failure.message.contains("did not say with which password"), "\(failure)")
        #expect(!failure.message.contains(NextcloudLogins.password))
    }

    @Test func `can be asked for again when the server is in trouble`() async throws {
        let slow = HTTPResponse(status: 429, headers: [("Retry-After", "7")])
        for begins in [[], [Result<HTTPResponse, HTTPFailure>.begun()]] {
            #expect(try await failure(begins + [.success(slow)]).remedy == .hold(.throttled, after: .seconds(7)))
            #expect(
                try await failure(begins + [.answer(503)]).remedy == .hold(.unreachable, after: nil))
            #expect(
                try await failure(begins + [.failure(.cannotConnect("no"))]).remedy
                    == .hold(.unreachable, after: nil))
            #expect(try await failure(begins + [.failure(.cancelled)]) == .cancelled)
        }
        #expect(try await failure([.begun(), .answer(403)]).remedy == .hold(.misconfigured, after: nil))
    }

    @Test func `sends the token to nobody the server names afterwards`() async throws {
        let transport = ScriptedTransport([
            .begun(), .answer(307, "", [("Location", "https://evil.example/poll")]), .granted(),
        ])
        let attempt = try await NextcloudLogins.login(transport).begin(NextcloudLogins.client)
        await #expect(throws: SubmitFailure.self) { try await attempt.poll() }
        #expect(transport.sent.count == 2 && transport.sent.allSatisfy { !$0.url.contains("evil") })
    }
}

@Suite struct `Signing out of a Nextcloud` {
    private func revoke(_ answers: [Result<HTTPResponse, HTTPFailure>]) async throws -> (Revocation, [HTTPRequest]) {
        let transport = ScriptedTransport(answers)
        let login = try NextcloudLogins.login(transport, password: NextcloudLogins.password)
        return (try await login.revoke(), transport.sent)
    }

    @Test func `deletes the app password`() async throws {
        let (outcome, sent) = try await revoke([.answer(200, "{}")])
        #expect(outcome == .revoked)
        #expect(sent.map(\.method) == ["DELETE"])
        #expect(sent.map(\.url) == ["https://cloud.example/ocs/v2.php/core/apppassword"])
        #expect(sent[0]["ocs-apirequest"] == "true")
        #expect(sent[0]["authorization"] == "Basic \(Base64.text(of: "alice:\(NextcloudLogins.password)".utf8))")
    }

    @Test func `finds one that is worthless already`() async throws {
        #expect(try await revoke([.answer(401)]).0 == .revoked)
    }

    @Test(arguments: [403, 404, 405, 400])
    func `says so where it cannot be deleted`(status: Int) async throws {
        guard case .impossible(let why) = try await revoke([.answer(status)]).0 else {
            throw HTTPFailure.badAnswer("revoked")
        }
        #expect(why.contains("“alice” at “cloud”") && why.contains("stays good"))
        #expect(!why.contains(NextcloudLogins.password))
        #expect(why.contains("no app password") == (status == 403))
    }

    @Test func `can be tried again when the server is not reached`() async throws {
        for answer in [Result<HTTPResponse, HTTPFailure>.answer(503), .failure(.cannotConnect("no")), .answer(429)] {
            await #expect(throws: SubmitFailure.self) { try await revoke([answer]) }
        }
    }

    @Test func `needs credentials`() async throws {
        let transport = ScriptedTransport([])
        guard case .impossible = try await NextcloudLogins.login(transport).revoke() else {
            throw HTTPFailure.badAnswer("revoked")
        }
        #expect(transport.sent.isEmpty)
    }
}
