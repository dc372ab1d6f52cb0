import Submit
import SubmitConcurrency
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

/// The flows of OAuth 2 against a server that none of us wrote.
///
/// It knows tokens again (when it is asked whether they are good, and when they are revoked) only of clients that proved
/// themselves by Basic: it writes down no client for all others.
@Suite struct `at Glewlwyd` {
    private static func transport() throws -> CurlTransport {
        try CurlTransport(CurlConfiguration(userAgent: "submit/test", proxy: ""))
    }

    private static func service(
        _ server: GlewlwydServer, _ authentication: OAuth2Service.ClientAuthentication = .basic
    ) -> OAuth2Service {
        OAuth2Service(
            authorizeURL: server.authorizeURL, tokenURL: server.tokenURL, deviceURL: server.deviceURL,
            revokeURL: server.revokeURL, issuer: server.issuer, scopes: ["upload"],
            clientAuthentication: authentication)
    }

    private static func login(
        _ server: GlewlwydServer, _ store: any SecretStore = TransientSecrets(), client: OAuthClient? = nil,
        authentication: OAuth2Service.ClientAuthentication = .basic
    ) throws -> OAuth2Login {
        OAuth2Login(
            OAuth2Settings(
                destination: "cloud", service: service(server, authentication),
                client: client ?? Self.client(server), methods: LoginMethod.allCases,
                redirect: LoginRedirect(port: server.redirectPort)),
            store: store, transport: try transport())
    }

    private static func client(_ server: GlewlwydServer) -> OAuthClient {
        OAuthClient(id: server.confidentialClient, secret: server.clientSecret)
    }

    private static func browser(_ server: GlewlwydServer) -> LoginClient {
        LoginClient(name: "submit", method: .browser, redirect: server.redirectURL)
    }

    /// Signs in by the code flow; the secrets that come of it.
    private static func secrets(_ server: GlewlwydServer) async throws -> [String: String] {
        let attempt = try await login(server).begin(browser(server))
        let landing = try await server.grant(try #require(attempt.prompt.url))
        return try granted(try await attempt.answer(.redirected(landing))).secrets
    }

    private static func granted(_ progress: LoginProgress) throws -> LoginGrant {
        guard case .done(let grant) = progress else { throw Unfinished() }
        return grant
    }

    private struct Unfinished: Error {}

    private static func keeper(_ server: GlewlwydServer, _ store: any SecretStore) throws -> OAuth2TokenSource {
        OAuth2TokenSource(
            destination: "cloud", service: service(server), client: client(server), store: store,
            transport: try transport())
    }

    @Test func `a browser lets us in, refresh tokens are replaced, and a logout ends them`() async throws {
        let server = try await GlewlwydServer()
        let attempt = try await Self.login(server).begin(Self.browser(server))
        let landing = try await server.grant(try #require(attempt.prompt.url))
        #expect(landing.hasPrefix(server.redirectURL + "?"))

        let forged = landing.replacing(/state=[^&]*/, with: "state=forged")
        #expect(forged != landing)
        await #expect {
            _ = try await attempt.answer(.redirected(forged))
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .retry(after: nil)
        }
        let grant = try Self.granted(try await attempt.answer(.redirected(landing)))
        let first = try #require(OAuth2Tokens(grant.secrets))
        #expect(try await server.isActive(first.access))
        #expect(first.expires.map { $0 > .now } == true && grant.notices.isEmpty)

        let store = TransientSecrets(grant.secrets)
        let keeper = try Self.keeper(server, store)
        let second = try #require(try await keeper.tokens(insteadOf: first))
        #expect(try await server.isActive(second.access))
        let refresh = try #require(second.refresh)
        #expect(refresh != first.refresh)

        let isRevoked = try await Self.login(server, store).revoke()
        #expect(isRevoked == .revoked)
        #expect(try await !server.isActive(second.access))
        await #expect {
            _ = try await keeper.tokens(insteadOf: second)
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .renewCredentials
        }
    }

    @Test func `an application without a secret proves itself by its key`() async throws {
        let server = try await GlewlwydServer()
        let client = OAuthClient(id: server.publicClient)
        let store = TransientSecrets()
        let login = try Self.login(server, store, client: client, authentication: .none)
        let attempt = try await login.begin(Self.browser(server))
        let landing = try await server.grant(try #require(attempt.prompt.url))
        let grant = try Self.granted(try await attempt.answer(.redirected(landing)))
        try await store.exclusively { secrets throws(SubmitFailure) in secrets = grant.secrets }
        let first = try #require(OAuth2Tokens(grant.secrets))
        let keeper = OAuth2TokenSource(
            destination: "cloud", service: Self.service(server, .none), client: client, store: store,
            transport: try Self.transport())
        let second = try #require(try await keeper.tokens(insteadOf: first))
        #expect(second.access != first.access && second.refresh != first.refresh)
        guard case .impossible = try await login.revoke() else { throw Unfinished() }
    }

    @Test func `a refresh token that was used is refused`() async throws {
        let server = try await GlewlwydServer()
        let secrets = try await Self.secrets(server)
        let old = try #require(OAuth2Tokens(secrets)?.refresh)
        let exchange = OAuth2Exchange(
            Self.service(server), client: Self.client(server), transport: try Self.transport())
        let grant = try await exchange.tokens(refreshing: old)
        #expect(grant.tokens.refresh != old)
        // It says so with a 400 and nothing else.
        await #expect(throws: OAuthFault.refused(code: "invalid_grant", explanation: "")) {
            try await exchange.tokens(refreshing: old)
        }
    }

    @Test func `the address that a browser could not open is as good`() async throws {
        let server = try await GlewlwydServer()
        let attempt = try await Self.login(server).begin(LoginClient(name: "submit", method: .paste))
        let landing = try await server.grant(try #require(attempt.prompt.url))
        let grant = try Self.granted(try await attempt.answer(.pasted(" \(landing)\n")))
        #expect(try await server.isActive(try #require(grant.secrets["access_token"])))
    }

    @Test func `a code is good for once, for its key, and not for long`() async throws {
        let server = try await GlewlwydServer(codeLife: 1)
        let client = Self.client(server)
        let exchange = OAuth2Exchange(Self.service(server), client: client, transport: try Self.transport())
        func authorization() throws -> OAuth2Authorization {
            try #require(OAuth2Authorization(Self.service(server), client: client, redirect: server.redirectURL))
        }
        let refusal = OAuthFault.refused(code: "invalid_grant", explanation: "")
        let mine = try authorization()
        let code = try mine.code(redirected: try await server.grant(mine.url))
        let another = try authorization()
        await #expect(throws: refusal) { try await exchange.tokens(code: code, another) }

        let late = try authorization()
        let lateCode = try late.code(redirected: try await server.grant(late.url))
        // It is the time that is tried.
        try await Task.sleep(for: .seconds(2.5))
        await #expect(throws: refusal) { try await exchange.tokens(code: lateCode, late) }
    }

    @Test func `a code that comes again gives nothing`() async throws {
        let server = try await GlewlwydServer()
        let attempt = try await Self.login(server).begin(Self.browser(server))
        let landing = try await server.grant(try #require(attempt.prompt.url))
        _ = try Self.granted(try await attempt.answer(.redirected(landing)))
        await #expect {
            _ = try await attempt.answer(.redirected(landing))
        } throws: { error in
            (error as? SubmitFailure)?.code == "login-expired"
        }
    }

    @Test func `a code typed on another device lets us in`() async throws {
        let server = try await GlewlwydServer(deviceInterval: 1)
        let client = OAuthClient(id: server.publicClient)
        let attempt = try await Self.login(server, client: client, authentication: .none).begin(
            LoginClient(name: "submit", method: .device))
        guard case .typeCode(let code) = attempt.prompt.task else { throw Unfinished() }
        #expect(code.url.hasPrefix("http://127.0.0.1:") && attempt.prompt.life == .seconds(600))
        #expect(code.completeURL?.contains(code.code) == true)
        #expect(try await attempt.poll() == .pending(after: .seconds(1)))
        // Sooner than it asked for, unless this machine takes its time.
        var isSlowed = false
        for _ in 0..<20 where !isSlowed { isSlowed = try await attempt.poll() == .pending(after: .seconds(6)) }
        #expect(isSlowed)
        try await server.approveDevice(code.code)
        for _ in 0..<10 {
            switch try await attempt.poll() {
            case .pending(let wait): try await Task.sleep(for: wait + .milliseconds(100))
            case .done(let grant):
                #expect(OAuth2Tokens(grant.secrets)?.refresh != nil)
                return
            }
        }
        Issue.record("It never ended.")
    }

    @Test(arguments: [OAuth2Service.ClientAuthentication.basic, .post])
    func `an application signs in as itself`(authentication: OAuth2Service.ClientAuthentication) async throws {
        let server = try await GlewlwydServer()
        let attempt = try await Self.login(server, authentication: authentication).begin(
            LoginClient(name: "submit", method: .client))
        let access = try #require(try Self.granted(try await attempt.poll()).secrets["access_token"])
        let isActive = try await server.isActive(access)
        #expect(isActive || authentication == .post)

        let stranger = OAuthClient(id: server.confidentialClient, secret: "wr0ng")
        let other = try await Self.login(server, client: stranger, authentication: authentication).begin(
            LoginClient(name: "submit", method: .client))
        await #expect {
            _ = try await other.poll()
        } throws: { error in
            (error as? SubmitFailure)?.remedy == .hold(.misconfigured, after: nil)
        }
    }

    /// Puts so many photos at the same time; whether all were taken.
    private static func put(_ numbers: Range<Int>, _ transport: TokenTransport, _ place: BearerServer) async throws
        -> Bool
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in numbers {
                let body = HTTPBody.bytes(Array("photo \(number)".utf8))
                let request = HTTPRequest(method: "PUT", url: "\(place.endpoint)\(number).jpg", body: body)
                group.addTask { try await transport.send(request).status }
            }
            return try await group.reduce(true) { $0 && $1 == 201 }
        }
    }

    @Test func `uploads go on while tokens live two seconds`() async throws {
        let server = try await GlewlwydServer(tokenLife: 2)
        let place = try await BearerServer(asking: server)
        let store = TransientSecrets(try await Self.secrets(server))
        let transport = TokenTransport(
            try Self.transport(), keeper: try Self.keeper(server, store), origins: AllowedOrigins([place.endpoint])!)
        var seen: Set = [await store.read()["refresh_token"]]
        var count = 0
        while seen.count < 4, count < 2000 {
            let isWell = try await Self.put(count..<count + 5, transport, place)
            #expect(isWell)
            count += 5
            seen.insert(await store.read()["refresh_token"])
        }
        #expect(seen.count == 4)
    }

    @Test func `fifty uploads whose token ends in the middle make one refresh`() async throws {
        let server = try await GlewlwydServer()
        let place = try await BearerServer(asking: server)
        let store = TransientSecrets(try await Self.secrets(server))
        let first = try #require(OAuth2Tokens(await store.read()))
        let asked = Locked(0)
        let curl = try Self.transport()
        let counting = ScriptedTransport { request throws(HTTPFailure) in
            if request.url == server.tokenURL { asked.withLock { $0 += 1 } }
            return try await curl.send(request)
        }
        let keeper = OAuth2TokenSource(
            destination: "cloud", service: Self.service(server), client: Self.client(server), store: store,
            transport: counting)
        let transport = TokenTransport(curl, keeper: keeper, origins: AllowedOrigins([place.endpoint])!)
        async let taken = Self.put(0..<50, transport, place)
        try await server.revoke(first.access)
        let areTaken = try await taken
        let areTakenAfter = try await Self.put(50..<60, transport, place)
        #expect(areTaken && areTakenAfter)
        #expect(asked.withLock { $0 } == 1)
    }
}
