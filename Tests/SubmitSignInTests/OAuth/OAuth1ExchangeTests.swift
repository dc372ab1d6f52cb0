import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

@Suite struct `asking for tokens by OAuth 1.0a` {
    private let client = OAuthClient(id: "key", secret: "c0nsumer")
    private let service = OAuth1Service(
        requestURL: "https://h/request", authorizeURL: "https://h/authorize?a=b", accessURL: "https://h/access",
        extraRequest: [("scope", "read,write")], extraAuthorize: [("perms", "write")])

    private func form(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", "text/html")], body: Array(text.utf8))
    }

    /// Checks a signature as a server does.
    private func isSigned(_ request: HTTPRequest, token: OAuth1Token?) -> Bool {
        guard let header = request["Authorization"], let challenge = AuthenticationChallenge.parse(header).first else {
            return false
        }
        var parameters = challenge.parameters.mapValues { WebForm.decode("v=\($0)")[0].value }
        let signature = parameters.removeValue(forKey: "oauth_signature")
        let base = OAuth1Signature.baseString(
            method: request.method, url: request.url,
            parameters: parameters.map { ($0.key, $0.value) } + request.form.map { ($0.key, $0.value) }
                + request.signedFields)
        return parameters["oauth_token"] == token?.token
            && signature
                == OAuth1Signature.signature(
                    of: base, clientSecret: "c0nsumer", tokenSecret: token?.secret ?? "", method: .hmacSHA1)
    }

    @Test func `goes from a temporary token over the page to the lasting one`() async throws {
        let server = ScriptedTransport { request in
            request.url == "https://h/request"
                ? form("oauth_token=t+1&oauth_token_secret=s&oauth_callback_confirmed=True\n")
                : form("fullname=A+B&oauth_token=at&oauth_token_secret=as&user_nsid=12%40N00&username=ada")
        }
        let exchange = OAuth1Exchange(service, client: client, transport: server)
        let begun = try await exchange.begin(callback: "http://127.0.0.1:1/c")
        #expect(begun.url == "https://h/authorize?a=b&oauth_token=t%201&perms=write")
        #expect(isSigned(server.seen[0], token: nil))
        #expect(server.seen[0]["Authorization"]?.contains("oauth_callback=\"http%3A%2F%2F127.0.0.1%3A1%2Fc\"") == true)
        #expect(server.seen[0].form == ["scope": "read,write"])
        let verifier = try begun.verifier(redirected: "/c?oauth_token=t+1&oauth_verifier=v%2B")
        #expect(verifier == "v+")
        let grant = try await exchange.token(verifier: verifier, begun)
        #expect(grant.token == OAuth1Token(token: "at", secret: "as"))
        #expect(grant.fields["user_nsid"] == "12@N00" && grant.fields["fullname"] == "A B")
        #expect(isSigned(server.seen[1], token: OAuth1Token(token: "t 1", secret: "s")))
        #expect(!"\(grant) \(String(reflecting: begun)) \(String(reflecting: exchange))".contains("c0nsumer"))
    }

    @Test func `asks for a code where nobody listens`() async throws {
        let server = ScriptedTransport { _ in form("oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true") }
        let begun = try await OAuth1Exchange(service, client: client, transport: server).begin(callback: nil)
        #expect(server.seen[0]["Authorization"]?.contains("oauth_callback=\"oob\"") == true)
        #expect(try begun.verifier(pasted: " 123-456-789\n") == "123-456-789")
        #expect(try begun.verifier(pasted: "123 456") == "123456")
        #expect(try begun.verifier(pasted: "http://127.0.0.1:1/c?oauth_token=t&oauth_verifier=v") == "v")
    }

    @Test(arguments: [
        "/c?oauth_verifier=v", "/c?oauth_token=x&oauth_verifier=v", "/c?oauth_token=t", "/c?denied=x", "/c",
        "/c?oauth_token=t&oauth_verifier=v&oauth_verifier=w",
    ])
    func `takes no redirect that is not its own`(url: String) {
        let begun = OAuth1Authorization(service, token: OAuth1Token(token: "t", secret: "s"))
        #expect {
            try begun.verifier(redirected: url)
        } throws: { error in
            if case .foreign = error as? OAuth2Authorization.Refusal { true } else { false }
        }
    }

    @Test func `hears that the person said no`() {
        let begun = OAuth1Authorization(service, token: OAuth1Token(token: "t", secret: "s"))
        #expect(throws: OAuth2Authorization.Refusal.refused(code: "access_denied", explanation: "")) {
            try begun.verifier(redirected: "/c?denied=t")
        }
    }

    @Test(arguments: [
        (200, "oauth_token=t&oauth_token_secret=s", OAuthFault.notUnderstood(status: 200)),
        (200, "<html>", .notUnderstood(status: 200)),
        (401, "oauth_problem=signature_invalid&debug_sbs=GET", .refused(code: "invalid_client", explanation: "")),
        (400, "oauth_problem=verifier_invalid", .refused(code: "verifier_invalid", explanation: "")),
        (401, "Invalid c0nsumer", .refused(code: "401", explanation: "Invalid …")),
        (401, "<h1>No</h1>", .refused(code: "401", explanation: "")),
        (503, "", .trouble(status: 503, after: nil)), (302, "", .notUnderstood(status: 302)),
    ])
    func `understands a no`(status: Int, body: String, fault: OAuthFault) async throws {
        let server = ScriptedTransport { _ in form(body, status: status) }
        await #expect(throws: fault) {
            try await OAuth1Exchange(service, client: client, transport: server).begin(callback: nil)
        }
    }

    private static let long = Timestamp(nanoseconds: 1_704_164_645_000_000_000)

    @Test func `goes by the server's clock when ours is refused, once`() async throws {
        let server = ScriptedTransport { request in
            request["Authorization"]?.contains("oauth_timestamp=\"18935") == true
                ? form("oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true")
                : HTTPResponse(
                    status: 401, headers: [("Date", "Wed, 02 Jan 2030 03:04:05 GMT")],
                    body: Array("oauth_problem=timestamp_refused".utf8))
        }
        let clock = ServerClock(now: { Self.long })
        let exchange = OAuth1Exchange(service, client: client, transport: server, clock: clock)
        _ = try await exchange.begin(callback: nil)
        _ = try await exchange.begin(callback: nil)
        #expect(server.seen.count == 3)
        let stubborn = ScriptedTransport { _ in
            HTTPResponse(status: 401, headers: [("Date", "Wed, 02 Jan 2030 03:04:05 GMT")], body: Array("no".utf8))
        }
        await #expect(throws: OAuthFault.refused(code: "401", explanation: "no")) {
            try await OAuth1Exchange(service, client: client, transport: stubborn, clock: clock).begin(callback: nil)
        }
        #expect(stubborn.seen.count == 1)
    }

    // MARK: Signing what is sent

    private func transport(_ server: ScriptedTransport, _ store: any SecretStore, plain: Bool = false) throws
        -> OAuth1Transport
    {
        OAuth1Transport(
            server, destination: "flickr", client: client, store: store, method: plain ? .plaintext : .hmacSHA1,
            origins: AllowedOrigins([plain ? "http://up.h" : "https://up.h"])!)
    }

    private let store = TransientSecrets(["oauth_token": "at", "oauth_token_secret": "as"])
    private let token = OAuth1Token(token: "at", secret: "as")

    @Test func `requests are signed with their query, their form and what they name`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = try transport(server, store)
        _ = try await transport.send(HTTPRequest(method: "GET", url: "https://up.h/rest?method=a&b=c%20d"))
        _ = try await transport.send(
            HTTPRequest(
                method: "POST", url: "https://up.h/post",
                headers: [("content-type", "application/x-www-form-urlencoded; charset=utf-8")],
                body: .bytes(Array("status=a+b%26".utf8))))
        var multipart = HTTPRequest(
            method: "POST", url: "https://up.h/upload", headers: [("Content-Type", "multipart/form-data; boundary=x")],
            body: .bytes(Array("--x".utf8)))
        _ = try await transport.send(multipart)
        multipart.signedFields = [("title", "Ä & b"), ("async", "1")]
        _ = try await transport.send(multipart)
        for (request, isForm) in zip(server.seen, [false, true, false, false]) {
            var request = request
            if !isForm { request.body = .none }
            #expect(isSigned(request, token: token))
        }
        multipart.signedFields = []
        multipart.body = .none
        multipart.headers = server.seen[3].headers
        #expect(!isSigned(multipart, token: token))
    }

    @Test func `no other origin gets a signature`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        _ = try await transport(server, store).send(get("https://evil.h/"))
        #expect(server.seen[0]["Authorization"] == nil)
    }

    @Test func `nothing is sent before someone has signed in`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = try transport(server, TransientSecrets())
        await #expect(throws: HTTPFailure.credentials(.needsLogin("flickr"))) {
            try await transport.send(get("https://up.h/"))
        }
        #expect(server.seen.isEmpty)
    }

    @Test func `secrets in plain text go over no open line`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = try transport(server, store, plain: true)
        await #expect(throws: HTTPFailure.refusedAuthentication(.bearerNotAllowed)) {
            try await transport.send(get("http://up.h/"))
        }
        #expect(server.seen.isEmpty)
    }
}
