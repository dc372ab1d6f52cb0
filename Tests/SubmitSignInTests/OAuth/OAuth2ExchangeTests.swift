import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

extension HTTPRequest {
    /// The form that is its body.
    var form: [String: String] {
        guard case .bytes(let bytes) = body else { return [:] }
        return Dictionary(
            WebForm.decode(String(decoding: bytes, as: UTF8.self)).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }
        )
    }
}

func json(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
}

private let given = json(#"{"access_token":"at","token_type":"bearer","expires_in":3600,"refresh_token":"new"}"#)

@Suite struct `asking for tokens` {
    private func exchange(
        _ authentication: OAuth2Service.ClientAuthentication, secret: String? = "gX1fBat3bV",
        token: String = "https://h/token", _ server: ScriptedTransport
    ) -> OAuth2Exchange {
        OAuth2Exchange(
            OAuth2Service(
                authorizeURL: "https://h/auth", tokenURL: token, deviceURL: "https://h/device",
                revokeURL: "https://h/revoke",
                scopes: ["a", "b"], clientAuthentication: authentication, extraToken: [("audience", "x")]),
            client: OAuthClient(id: "s6BhdRkqt3", secret: secret), transport: server)
    }

    /// The header is the one of RFC 6749, section 2.3.1.
    @Test(arguments: [
        (OAuth2Service.ClientAuthentication.none, nil, ["client_id": "s6BhdRkqt3"]),
        (.post, nil, ["client_id": "s6BhdRkqt3", "client_secret": "gX1fBat3bV"]),
        (.basic, "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW", [:]),
    ])
    func `proves what the application is`(
        authentication: OAuth2Service.ClientAuthentication, header: String?, fields: [String: String]
    ) async throws {
        let server = ScriptedTransport { _ in given }
        let authorization = try #require(
            OAuth2Authorization(
                OAuth2Service(authorizeURL: "https://h/", tokenURL: "https://h/"), client: OAuthClient(id: "x"),
                redirect: "http://127.0.0.1:1/c"))
        let grant = try await exchange(authentication, server).tokens(code: "c&d", authorization)
        #expect(grant.tokens.refresh == "new" && grant.fields["token_type"] == "bearer")
        let request = try #require(server.seen.first)
        #expect(request["Authorization"] == header && request.method == "POST" && request.url == "https://h/token")
        let verifier = try #require(request.form["code_verifier"])
        #expect(PKCE(verifier: verifier)?.challenge == authorization.proofKey?.challenge)
        let usual = [
            "grant_type": "authorization_code", "code": "c&d", "redirect_uri": "http://127.0.0.1:1/c",
            "code_verifier": verifier, "audience": "x",
        ]
        #expect(request.form == usual.merging(fields) { $1 })
    }

    @Test func `encodes id and secret before they become a header`() async throws {
        let server = ScriptedTransport { _ in given }
        let exchange = OAuth2Exchange(
            OAuth2Service(tokenURL: "https://h/token", clientAuthentication: .basic),
            client: OAuthClient(id: "a:b", secret: "c d€"), transport: server)
        _ = try await exchange.tokensOfClient()
        #expect(server.seen[0]["Authorization"] == "Basic \(Base64.text(of: "a%3Ab:c+d%E2%82%AC".utf8))")
        #expect(server.seen[0].form == ["grant_type": "client_credentials"])
    }

    @Test func `keeps a refresh token that is not replaced`() async throws {
        let server = ScriptedTransport { request in
            request.form["refresh_token"] == "old" ? json(#"{"access_token":"at"}"#) : given
        }
        #expect(try await exchange(.none, server).tokens(refreshing: "old").tokens.refresh == "old")
        #expect(try await exchange(.none, server).tokens(refreshing: "other").tokens.refresh == "new")
        #expect(server.seen[0].form["grant_type"] == "refresh_token" && server.seen[0].form["scope"] == nil)
    }

    @Test func `hears X's invalid request about a refresh token as what it is`() async throws {
        let server = ScriptedTransport { _ in
            json(#"{"error":"invalid_request","error_description":"Value"}"#, status: 400)
        }
        await #expect(throws: OAuthFault.refused(code: "invalid_grant", explanation: "Value")) {
            try await exchange(.none, server).tokens(refreshing: "old")
        }
    }

    @Test(arguments: [
        ("http://h/token", OAuthFault.insecure), ("http://10.0.0.1/", .insecure), ("ftp://h/", .noURL), ("", .noURL),
        ("http://localhost.evil.org/", .insecure),
    ])
    func `sends secrets to no place where others can read them`(url: String, fault: OAuthFault) async throws {
        let server = ScriptedTransport { _ in given }
        await #expect(throws: fault) { try await exchange(.post, token: url, server).tokens(refreshing: "r") }
        #expect(server.seen.isEmpty)
        #expect(!fault.submitFailure(destination: "d", host: "h").message.isEmpty)
    }

    @Test(arguments: ["http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost:1/"])
    func `may be done on this machine without TLS`(url: String) async throws {
        let server = ScriptedTransport { _ in given }
        _ = try await exchange(.post, token: url, server).tokens(refreshing: "r")
    }

    @Test func `exchanges a token for another as a plain request`() async throws {
        let server = ScriptedTransport { _ in given }
        _ = try await exchange(.post, server).tokens(
            [("grant_type", "fb_exchange_token"), ("fb_exchange_token", "short")])
        #expect(server.seen[0].form["fb_exchange_token"] == "short" && server.seen[0].form["client_secret"] != nil)
    }

    // MARK: Devices

    @Test(arguments: ["verification_uri", "verification_url"])
    func `begins at a device`(name: String) async throws {
        let server = ScriptedTransport { _ in
            json(
                #"{"device_code":"dc","user_code":"WDJB-MJHT","\#(name)":"https://h/device","\#(name)_complete":"#
                    + #""https://h/device?c=WDJB-MJHT","expires_in":1800,"interval":"7"}"#)
        }
        let begun = try #require(try await exchange(.none, server).beginDevice())
        #expect(begun.userCode == "WDJB-MJHT" && begun.url == "https://h/device" && begun.seconds == 1800)
        #expect(begun.completeURL == "https://h/device?c=WDJB-MJHT" && begun.interval == 7)
        #expect(server.seen[0].form == ["client_id": "s6BhdRkqt3", "scope": "a b"])
        #expect(!String(reflecting: begun).contains("dc\""))
        let tokens = ScriptedTransport { _ in given }
        _ = try await exchange(.none, tokens).tokens(begun)
        #expect(
            tokens.seen[0].form == [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "dc",
                "client_id": "s6BhdRkqt3", "audience": "x",
            ])
    }

    @Test(arguments: [
        #"{"device_code":"dc","user_code":"x","verification_uri":"javascript:alert(1)"}"#,
        #"{"device_code":"dc","user_code":"x","verification_uri":"http://h/"}"#,
        #"{"device_code":"dc","user_code":"\u001b[2J","verification_uri":"https://h/"}"#,
        #"{"user_code":"x","verification_uri":"https://h/"}"#,
    ])
    func `shows people no page and no code that is none`(body: String) async throws {
        let server = ScriptedTransport { _ in json(body) }
        await #expect(throws: OAuthFault.notUnderstood(status: 200)) { try await exchange(.none, server).beginDevice() }
    }

    // MARK: Revoking

    @Test(arguments: [
        (200, "", true), (200, "{}", true), (400, #"{"error":"unsupported_token_type"}"#, false),
        (400, #"{"error":"invalid_token"}"#, true),
    ])
    func `makes tokens worthless`(status: Int, body: String, isRevoked: Bool) async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        #expect(try await exchange(.post, server).revoke("t", .refresh) == isRevoked)
        #expect(server.seen[0].form["token"] == "t" && server.seen[0].form["token_type_hint"] == "refresh_token")
        #expect(server.seen[0].url == "https://h/revoke")
    }

    @Test func `says when it could not make one worthless`() async throws {
        let busy = ScriptedTransport { _ in HTTPResponse(status: 503, headers: [("Retry-After", "9")]) }
        await #expect(throws: OAuthFault.trouble(status: 503, after: .seconds(9))) {
            try await exchange(.post, busy).revoke("t", .access)
        }
        let stranger = ScriptedTransport { _ in json(#"{"error":"invalid_client"}"#, status: 401) }
        await #expect(throws: OAuthFault.refused(code: "invalid_client", explanation: "")) {
            try await exchange(.post, stranger).revoke("t", .access)
        }
    }
}
