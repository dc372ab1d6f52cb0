import Submit
import SubmitConcurrency
import TestServers
import Testing

@testable import SubmitHTTP

let mufasa = HTTPCredentials.password(user: "Mufasa", password: "Circle of Life")

func authenticating(
    _ transport: any HTTPTransport, _ credentials: HTTPCredentials = mufasa, at origin: String = "https://h",
    allowsBasic: Bool = true
) -> AuthenticatingTransport {
    AuthenticatingTransport(
        transport, credentials: credentials, origin: try! Endpoint(origin), allowsBasic: allowsBasic)
}

func get(_ url: String = "https://h/a?b=c") -> HTTPRequest { HTTPRequest(method: "GET", url: url) }
func put(_ url: String = "https://h/a") -> HTTPRequest {
    HTTPRequest(method: "PUT", url: url, body: .bytes([1, 2, 3]))
}

struct AuthenticatingTransportTests {
    // MARK: Basic and Bearer

    @Test(arguments: [
        (HTTPCredentials.basic(user: "Aladdin", password: "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        (.basic(user: "test", password: "123\u{a3}"), "Basic dGVzdDoxMjPCow=="),
        (.bearer(token: "mF_9.B5f-4.1JqM"), "Bearer mF_9.B5f-4.1JqM"),
    ])
    func `Basic and Bearer go along at once, and a 401 stands`(credentials: HTTPCredentials, value: String) async throws
    {
        let server = ScriptedTransport { _ in challenging("Basic realm=\"r\"") }
        let answer = try await authenticating(server, credentials).send(put())
        #expect(answer.status == 401)
        #expect(server.seen.map { $0["Authorization"] } == [value])
    }

    @Test(arguments: [
        (HTTPCredentials.basic(user: "u", password: "p"), AuthenticationRefusal.basicNotAllowed),
        (.bearer(token: "t"), .bearerNotAllowed),
    ])
    func `what would show the secret is refused before anything is sent`(
        credentials: HTTPCredentials, refusal: AuthenticationRefusal
    ) async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = authenticating(server, credentials, at: "http://h", allowsBasic: false)
        await #expect(throws: HTTPFailure.refusedAuthentication(refusal)) { try await transport.send(put("http://h/")) }
        #expect(server.seen.isEmpty)
    }

    @Test func `a Basic challenge is a refusal where Basic is not allowed`() async throws {
        let server = ScriptedTransport { _ in
            challenging("Basic realm=\"r\", Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256")
        }
        let transport = authenticating(server, at: "http://h", allowsBasic: false)
        for request in [get("http://h/"), put("http://h/")] {
            await #expect(throws: HTTPFailure.refusedAuthentication(.basicNotAllowed)) {
                try await transport.send(request)
            }
        }
        #expect(server.seen.allSatisfy { $0["Authorization"] == nil && $0.method != "PUT" })
    }

    @Test func `a refusal is a sentence for people`() {
        for refusal in [AuthenticationRefusal.basicNotAllowed, .bearerNotAllowed, .colonInUser] {
            let failure = HTTPFailure.refusedAuthentication(refusal).submitFailure(host: "nas", file: "a.jpg")
            #expect(failure.remedy == .hold(.misconfigured, after: nil))
            #expect(failure.message.contains("“nas”") && failure.message.contains("“a.jpg”"))
        }
    }

    @Test func `a user name with a colon is not sent by Basic`() async {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = authenticating(server, .basic(user: "a:b", password: "p"))
        await #expect(throws: HTTPFailure.refusedAuthentication(.colonInUser)) { try await transport.send(get()) }
    }

    @Test func `Basic is answered once and remembered`() async throws {
        let server = ScriptedTransport {
            $0["Authorization"] == nil ? challenging("Basic realm=\"r\"") : HTTPResponse(status: 200)
        }
        let transport = authenticating(server)
        for _ in 0..<3 { #expect(try await transport.send(get()).status == 200) }
        #expect(server.seen.map { $0["Authorization"] != nil } == [false, true, true, true])
    }

    // MARK: Which challenge

    @Test(arguments: [
        (["Basic realm=r", "Digest realm=r, nonce=n, qop=auth"], "Digest", nil),
        (
            ["Digest realm=r, nonce=n, algorithm=MD5, Digest realm=r, nonce=n, algorithm=SHA-256, Basic"], "Digest",
            "SHA-256"
        ),
        (["Digest realm=r, nonce=n, algorithm=SHA-256", "Digest realm=r, nonce=n"], "Digest", "SHA-256"),
        (
            ["Digest realm=r, nonce=n, algorithm=SHA-512-256, Digest realm=r, nonce=n, algorithm=MD5-sess"], "Digest",
            "MD5-sess"
        ),
        (["Negotiate, NTLM", "Digest realm=r, nonce=n, qop=\"auth-int\", Basic realm=r"], "Basic", nil),
        (["Negotiate"], nil, nil), ([], nil, nil),
    ])
    func `the strongest challenge is answered`(challenges: [String], scheme: String?, algorithm: String?) async throws {
        let server = ScriptedTransport { _ in challenging(challenges) }
        #expect(try await authenticating(server).send(get()).status == 401)
        let answers = server.seen.compactMap { $0["Authorization"] }
        #expect(answers.count == (scheme == nil ? 0 : 1))
        if let scheme { #expect(answers[0].hasPrefix(scheme + " ")) }
        if let algorithm { #expect(answers[0].contains("algorithm=\(algorithm)")) }
    }

    // MARK: Whose credentials

    @Test(arguments: [
        "https://other/", "https://h:8443/", "http://h/", "http://h:443/", "https://h.evil/", "https://sub.h/",
        "https://h@evil/", "https://h:443@evil/", "https://evil/https://h/", "ftp://h/", "h/a", "//h/a", "",
    ])
    func `another origin gets nothing, however it asks`(url: String) async throws {
        for credentials in [mufasa, .basic(user: "u", password: "p"), .bearer(token: "t")] {
            let server = ScriptedTransport { _ in challenging("Basic realm=r, Digest realm=r, nonce=n") }
            let transport = authenticating(server, credentials)
            for request in [get(url), put(url)] { #expect(try await transport.send(request).status == 401) }
            #expect(server.seen.map(\.method) == ["GET", "PUT"])
            #expect(server.seen.allSatisfy { $0["Authorization"] == nil })
        }
    }

    @Test(arguments: ["https://h", "https://h/", "HTTPS://H:443/a", "https://h?q"])
    func `the origin is the same in all its spellings`(url: String) async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        _ = try await authenticating(server, .bearer(token: "t"), at: "https://h/base").send(get(url))
        #expect(server.seen.map { $0["Authorization"] } == ["Bearer t"])
    }

    @Test func `a request with an Authorization of its own stays as it is`() async throws {
        let server = ScriptedTransport { _ in challenging("Basic realm=r") }
        var request = put()
        request.headers = [("authorization", "Mine")]
        #expect(try await authenticating(server).send(request).status == 401)
        #expect(server.seen.map(\.headers.count) == [1])
    }

    @Test func `a redirect gets credentials for its own URL, and none elsewhere`() async throws {
        let digests = DigestServer()
        let script = ScriptedTransport { request throws(HTTPFailure) in
            switch request.url {
            case "https://h/old": HTTPResponse(status: 307, headers: [("Location", "/new?x")])
            case "https://h/away": HTTPResponse(status: 302, headers: [("Location", "https://other/")])
            case "https://other/": challenging("Basic realm=r, Digest realm=r, nonce=n")
            default: try await digests.send(request)
            }
        }
        let transport = RedirectingTransport(authenticating(script))
        #expect(try await transport.send(get("https://h/old")).status == 201)
        #expect(digests.seen.last?.parameters["uri"] == "/new?x")
        #expect(try await transport.send(get("https://h/away")).status == 401)
        let elsewhere = script.seen.filter { $0.url == "https://other/" }
        #expect(elsewhere.count == 1 && elsewhere.allSatisfy { $0["Authorization"] == nil })
    }

    // MARK: Secrets

    @Test func `nothing that prints shows a secret`() {
        let all: [HTTPCredentials] = [
            .basic(user: "u", password: "hidden"), .bearer(token: "hidden"), .password(user: "u", password: "hidden"),
        ]
        for credentials in all {
            let transport = authenticating(ScriptedTransport { _ in HTTPResponse(status: 200) }, credentials)
            var texts = [
                "\(credentials)", String(reflecting: credentials), "\(transport)", String(reflecting: transport),
            ]
            dump(credentials, to: &texts[0])
            dump(transport, to: &texts[2])
            #expect(texts.allSatisfy { !$0.contains("hidden") })
            #expect(KnownSecrets.redacted("was told hidden") == "was told …")
        }
        let certificate = ClientCertificate(certificate: "/c.pem", key: "/k.pem", passphrase: "hidden")
        var text = "\(certificate)" + String(reflecting: certificate)
        dump(certificate, to: &text)
        dump(HTTPRequest(method: "GET", url: "/", clientCertificate: certificate), to: &text)
        #expect(text.contains("/k.pem") && !text.contains("hidden"))
    }
}

func challenging(_ values: [String]) -> HTTPResponse {
    HTTPResponse(status: 401, headers: values.map { ("WWW-Authenticate", $0) })
}

func challenging(_ value: String) -> HTTPResponse { challenging([value]) }
