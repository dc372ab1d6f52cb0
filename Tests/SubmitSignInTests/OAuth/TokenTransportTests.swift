import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

/// A service whose access tokens end when it says so, and whose refresh tokens are good for once.
private final class TokenService: HTTPTransport {
    struct State: Sendable {
        var number = 0
        var access = "access-0"
        var refresh = "refresh-0"
        var refreshes = 0
        var uploads = 0
        var refused = 0
        var life: Int? = 3600
        /// In place of what it would answer.
        var answer: HTTPResponse?
        /// Waits before it answers a refresh, and for this.
        var gate: Signal?
        /// A refresh token that was used came again.
        var wasReplayed = false
    }

    let state: Locked<State>

    init(_ state: State = State()) { self.state = Locked(state) }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        for _ in 0..<5 { await Task.yield() }
        if Task.isCancelled { throw .cancelled }
        guard request.url == "https://h/token" else { return state.withLock { Self.upload(request, &$0) } }
        if let gate = state.withLock({ $0.gate }) { await gate.wait() }
        return state.withLock { Self.refresh(request, &$0) }
    }

    private static func upload(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        guard request["Authorization"] == "Bearer \(state.access)" else {
            state.refused += 1
            return HTTPResponse(status: 401)
        }
        state.uploads += 1
        return HTTPResponse(status: 201)
    }

    private static func refresh(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        state.refreshes += 1
        if let answer = state.answer { return answer }
        if request.form["grant_type"] == "refresh_token", request.form["refresh_token"] != state.refresh {
            state.wasReplayed = true
            return json(#"{"error":"invalid_grant"}"#, status: 400)
        }
        state.number += 1
        state.access = "access-\(state.number)"
        state.refresh = "refresh-\(state.number)"
        let life = state.life.map { #","expires_in":\#($0)"# } ?? ""
        return json(#"{"access_token":"\#(state.access)","refresh_token":"\#(state.refresh)"\#(life)}"#)
    }

    /// The access tokens given so far open nothing any more.
    func expire() { state.withLock { $0.access = "nobody has this" } }
}

/// Opens once, for all who wait.
private final class Signal: Sendable {
    private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(waiter) }
                return state.isOpen
            }
            if isOpen { waiter.resume() }
        }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    var waiting: Int { state.withLock { $0.waiters.count } }
}

/// Secrets in one place that several processes share: each has a store of its own.
private final class SharedPlace: Sendable {
    let secrets: Locked<[String: String]>
    let turns = AsyncSemaphore(1)
    let writes = Locked(0)

    init(_ secrets: [String: String]) { self.secrets = Locked(secrets) }
}

private struct SharedStore: SecretStore {
    let place: SharedPlace

    func read() async -> [String: String] { place.secrets.withLock { $0 } }

    func exclusively<Result: Sendable>(
        _ body: @Sendable (inout [String: String]) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        guard await place.turns.acquire() else { throw .cancelled }
        defer { place.turns.release() }
        var changed = place.secrets.withLock { $0 }
        let before = changed
        let result = try await body(&changed)
        place.secrets.withLock { [changed] in $0 = changed }
        if before != changed { place.writes.withLock { $0 += 1 } }
        return result
    }
}

@Suite struct `a token transport` {
    private static let now = Timestamp(nanoseconds: 1_700_000_000_000_000_000)

    private static func secrets(life: Int64? = 3600, age: Int64 = 0, refresh: String? = "refresh-0") -> [String: String]
    {
        var secrets: [String: String] = [:]
        let issued = now.advanced(by: .seconds(-age))
        OAuth2Tokens(
            access: "access-0", refresh: refresh, issued: issued,
            expires: life.map { issued.advanced(by: .seconds($0)) }
        ).write(to: &secrets)
        return secrets
    }

    private static func transport(
        _ service: any HTTPTransport, _ store: any SecretStore, isOwnAccount: Bool = false
    ) -> TokenTransport {
        TokenTransport(
            service,
            keeper: OAuth2TokenSource(
                destination: "cloud", service: OAuth2Service(tokenURL: "https://h/token"), client: OAuthClient(id: "c"),
                store: store, isOwnAccount: isOwnAccount, transport: service, now: { now }),
            origins: AllowedOrigins(["https://h"])!)
    }

    /// Sends so many at the same time; how many were taken.
    private static func uploads(_ count: Int, _ transport: TokenTransport) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await transport.send(put("https://h/up")).status } }
            var taken = 0
            for try await status in group where status == 201 { taken += 1 }
            return taken
        }
    }

    @Test func `sends the token to its origins, and to no others`() async throws {
        let server = ScriptedTransport { _ in HTTPResponse(status: 200) }
        let transport = TokenTransport(
            server,
            keeper: OAuth2TokenSource(
                destination: "d", service: OAuth2Service(tokenURL: "https://h/token"), client: OAuthClient(id: "c"),
                store: TransientSecrets(["access_token": "canary"]), transport: server),
            origins: AllowedOrigins(["https://h", "http://plain.h", "http://127.0.0.1:1"])!,
            header: TokenTransport.Header(name: "X-Token", prefix: "T "))
        for url in ["https://h/a", "https://evil/", "http://h/", "http://127.0.0.1:1/"] {
            _ = try await transport.send(get(url))
        }
        #expect(server.seen.map { $0["X-Token"] } == ["T canary", nil, nil, "T canary"])
        await #expect(throws: HTTPFailure.refusedAuthentication(.bearerNotAllowed)) {
            try await transport.send(get("http://plain.h/"))
        }
        #expect(!"\(transport) \(String(reflecting: transport))".contains("canary"))
    }

    @Test func `fifty at once whose token ends make one refresh, and none fails`() async throws {
        let service = TokenService()
        let store = TransientSecrets(Self.secrets())
        let transport = Self.transport(service, store)
        #expect(try await Self.uploads(50, transport) == 50)
        service.expire()
        #expect(try await Self.uploads(50, transport) == 50)
        let state = service.state.withLock { $0 }
        #expect(state.refreshes == 1 && !state.wasReplayed && state.uploads == 100 && state.refused > 0)
        #expect(await store.read()["refresh_token"] == "refresh-1")
    }

    @Test func `fifty at once whose token is about to end make one refresh before any is sent`() async throws {
        let service = TokenService()
        let transport = Self.transport(service, TransientSecrets(Self.secrets(life: 3600, age: 3500)))
        #expect(try await Self.uploads(50, transport) == 50)
        let state = service.state.withLock { $0 }
        #expect(state.refreshes == 1 && state.refused == 0)
    }

    @Test func `several processes make one refresh, and take what the other had`() async throws {
        let service = TokenService()
        let place = SharedPlace(Self.secrets())
        let transports = (0..<3).map { _ in Self.transport(service, SharedStore(place: place)) }
        for transport in transports { #expect(try await Self.uploads(1, transport) == 1) }
        service.expire()
        let taken = try await withThrowingTaskGroup(of: Int.self) { group in
            for transport in transports { group.addTask { try await Self.uploads(20, transport) } }
            return try await group.reduce(0, +)
        }
        let state = service.state.withLock { $0 }
        #expect(taken == 60 && state.refreshes == 1 && !state.wasReplayed)
        #expect(place.writes.withLock { $0 } == 1)
    }

    @Test func `a large body gets a token that outlives it`() async throws {
        let service = TokenService()
        let transport = Self.transport(service, TransientSecrets(Self.secrets(life: 3600, age: 2700)))
        _ = try await transport.send(put("https://h/up"))
        #expect(service.state.withLock { $0.refreshes } == 0)
        let large = UnreadBytes(size: 2 << 30)
        _ = try await transport.send(
            HTTPRequest(method: "PUT", url: "https://h/up", body: .media(large, 0..<(2 << 30))))
        #expect(service.state.withLock { $0.refreshes } == 1)
    }

    @Test func `a new refresh token is durable before the new access token is used`() async throws {
        let service = TokenService()
        let place = SharedPlace(Self.secrets())
        let watching = ScriptedTransport { request throws(HTTPFailure) in
            if request["Authorization"] == "Bearer access-1" {
                #expect(place.secrets.withLock { $0["refresh_token"] } == "refresh-1")
            }
            return try await service.send(request)
        }
        service.expire()
        let transport = Self.transport(watching, SharedStore(place: place))
        #expect(try await transport.send(put("https://h/up")).status == 201)
    }

    @Test func `tokens that cannot be kept are kept later, not had a second time`() async throws {
        let service = TokenService()
        let store = BrokenStore(Self.secrets())
        let transport = Self.transport(service, store)
        service.expire()
        await #expect(throws: HTTPFailure.credentials(BrokenStore.failure)) {
            try await transport.send(put("https://h/up"))
        }
        #expect(service.state.withLock { $0.uploads } == 0)
        store.isBroken.withLock { $0 = false }
        #expect(try await transport.send(put("https://h/up")).status == 201)
        #expect(service.state.withLock { $0.refreshes } == 1)
        #expect(await store.read()["refresh_token"] == "refresh-1")
    }

    @Test func `a refresh token that is taken no longer calls for a login, and is not sent again and again`()
        async throws
    {
        let service = TokenService(TokenService.State(refresh: "an0ther"))
        let store = TransientSecrets(Self.secrets())
        let transport = Self.transport(service, store)
        service.expire()
        for _ in 0..<3 {
            await #expect {
                try await transport.send(put("https://h/up"))
            } throws: { error in
                guard case .credentials(let failure) = error as? HTTPFailure else { return false }
                return failure.remedy == .renewCredentials && failure.message.contains("sign in again")
            }
        }
        #expect(service.state.withLock { $0.refreshes } == 1)
        #expect(await store.read()["refresh_token"] == "refresh-0")
        // Someone signs in, in another process.
        try await store.exclusively { secrets throws(SubmitFailure) in
            OAuth2Tokens(access: "access-9", refresh: "refresh-9").write(to: &secrets)
        }
        service.state.withLock { $0.access = "access-9" }
        #expect(try await transport.send(put("https://h/up")).status == 201)
    }

    @Test(arguments: [
        (503, Remedy.hold(.unreachable, after: .seconds(5))), (429, .hold(.throttled, after: .seconds(5))),
    ])
    func `a token service in trouble is told, unless the token is still good`(status: Int, remedy: Remedy) async throws
    {
        let trouble = HTTPResponse(status: status, headers: [("Retry-After", "5")])
        let service = TokenService(TokenService.State(answer: trouble))
        let nearEnd = Self.transport(service, TransientSecrets(Self.secrets(life: 3600, age: 3590)))
        #expect(try await nearEnd.send(put("https://h/up")).status == 201)
        let over = Self.transport(service, TransientSecrets(Self.secrets(life: 3600, age: 3601)))
        await #expect {
            try await over.send(put("https://h/up"))
        } throws: { error in
            guard case .credentials(let failure) = error as? HTTPFailure else { return false }
            return failure.remedy == remedy
        }
    }

    @Test func `without a refresh token the 401 stands`() async throws {
        let service = TokenService()
        let transport = Self.transport(service, TransientSecrets(Self.secrets(refresh: nil)))
        #expect(try await transport.send(put("https://h/up")).status == 201)
        service.expire()
        #expect(try await transport.send(put("https://h/up")).status == 401)
        #expect(service.state.withLock { $0.refreshes } == 0)
    }

    @Test func `a second 401 stands`() async throws {
        let server = ScriptedTransport { request in
            request.url == "https://h/token" ? json(#"{"access_token":"x"}"#) : HTTPResponse(status: 401)
        }
        let transport = Self.transport(server, TransientSecrets(Self.secrets()))
        #expect(try await transport.send(put("https://h/up")).status == 401)
        #expect(server.seen.map(\.url) == ["https://h/up", "https://h/token", "https://h/up"])
    }

    @Test func `nothing is sent before someone has signed in`() async throws {
        let service = TokenService()
        let transport = Self.transport(service, TransientSecrets())
        await #expect(throws: HTTPFailure.credentials(.needsLogin("cloud"))) {
            try await transport.send(put("https://h/up"))
        }
        #expect(service.state.withLock { $0.uploads + $0.refused + $0.refreshes } == 0)
    }

    @Test func `an application of its own needs nobody to sign in`() async throws {
        let service = TokenService()
        let store = TransientSecrets()
        let transport = Self.transport(service, store, isOwnAccount: true)
        #expect(try await Self.uploads(20, transport) == 20)
        #expect(service.state.withLock { $0.refreshes } == 1)
        #expect(await store.read()["access_token"] == "access-1")
    }

    @Test func `a refresh goes on when who waited for it is cancelled`() async throws {
        let gate = Signal()
        let service = TokenService(TokenService.State(gate: gate))
        let store = TransientSecrets(Self.secrets(life: 3600, age: 3600))
        let transport = Self.transport(service, store)
        let first = Task { try await transport.send(put("https://h/up")) }
        while gate.waiting == 0 { await Task.yield() }
        let second = Task { try await transport.send(put("https://h/up")) }
        for _ in 0..<50 { await Task.yield() }
        second.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await second.value }
        first.cancel()
        gate.open()
        await #expect(throws: HTTPFailure.cancelled) { try await first.value }
        #expect(await store.read()["refresh_token"] == "refresh-1")
        #expect(try await transport.send(put("https://h/up")).status == 201)
        #expect(service.state.withLock { $0.refreshes } == 1)
    }
}

/// Secrets that cannot be kept for a while.
private final class BrokenStore: SecretStore {
    static let failure = SubmitFailure(
        .hold(.misconfigured, after: nil), code: "secrets", message: "The secrets cannot be kept.")
    let isBroken = Locked(true)
    private let secrets: TransientSecrets

    init(_ secrets: [String: String]) { self.secrets = TransientSecrets(secrets) }

    func read() async -> [String: String] { await secrets.read() }

    func exclusively<Result: Sendable>(
        _ body: @Sendable (inout [String: String]) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        try await secrets.exclusively { secrets throws(SubmitFailure) in
            let result = try await body(&secrets)
            if self.isBroken.withLock({ $0 }) { throw Self.failure }
            return result
        }
    }
}

/// Bytes that nobody reads.
private struct UnreadBytes: MediaBytes {
    let size: Int64

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int { 0 }
    func verifyUnchanged() throws(SubmitFailure) {}
    var fileDescriptor: CInt? { nil }
}
