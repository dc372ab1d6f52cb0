import Foundation
import Submit
import SubmitConcurrency
import SubmitConfiguration
import SubmitCurl
import SubmitEngine
import SubmitHTTP
import SubmitSignIn
import SubmitJournal
import SystemPackage
import TestServers
import Testing

@testable import SubmitCommand

/// A service with OAuth 2 on a loopback port, which replaces refresh tokens, and takes photos with its tokens.
private final class Authority: Sendable {
    struct State {
        var number = 0
        var code: String?
        var access: String?
        var refresh: String?
        var refreshes = 0
        var revoked: [String] = []
        var photos: [String] = []
    }

    let state: Locked<State>
    let server: ScriptedServer

    /// Begins each secret of it.
    static let canary = "c4n4ry"

    init() {
        let state = Locked(State())
        self.state = state
        server = .answering { request in state.withLock { Self.answer(request, &$0) } }
    }

    private static func answer(_ request: ReceivedRequest, _ state: inout State) -> String {
        let query = fields(request.target.split(separator: "?").dropFirst().first.map(String.init) ?? "")
        let form = fields(String(decoding: request.body, as: UTF8.self))
        switch (request.method, request.target.prefix { $0 != "?" }) {
        case ("GET", "/authorize"):
            let code = secret("code", &state)
            state.code = code
            let back = query["redirect_uri"]?.removingPercentEncoding ?? ""
            return ScriptedServer.answer(302, ["Location: \(back)?code=\(code)&state=\(query["state"] ?? "")"])
        case ("POST", "/token") where form["grant_type"] == "authorization_code":
            guard form["code"] == state.code, state.code != nil, form["code_verifier"]?.isEmpty == false else {
                return refusal
            }
            state.code = nil
            return tokens(&state)
        case ("POST", "/token") where form["grant_type"] == "refresh_token":
            guard form["refresh_token"] == state.refresh, state.refresh != nil else { return refusal }
            state.refreshes += 1
            return tokens(&state)
        case ("POST", "/revoke"):
            state.revoked.append(form["token"] ?? "")
            (state.access, state.refresh) = (nil, nil)
            return ScriptedServer.answer(200)
        case ("PUT", let path):
            guard let access = state.access, request["Authorization"] == "Bearer \(access)" else {
                return ScriptedServer.answer(401)
            }
            state.photos.append(String(path))
            return ScriptedServer.answer(201)
        default: return ScriptedServer.answer(404)
        }
    }

    private static let refusal = ScriptedServer.answer(
        400, ["Content-Type: application/json"], #"{"error":"invalid_grant","error_description":"No more."}"#)

    private static func secret(_ kind: String, _ state: inout State) -> String {
        state.number += 1
        return "\(canary)-\(kind)-\(state.number)"
    }

    private static func tokens(_ state: inout State) -> String {
        let (access, refresh) = (secret("access", &state), secret("refresh", &state))
        (state.access, state.refresh) = (access, refresh)
        return ScriptedServer.answer(
            200, ["Content-Type: application/json"],
            #"{"access_token":"\#(access)","token_type":"Bearer","expires_in":3600,"refresh_token":"\#(refresh)"}"#)
    }

    private static func fields(_ text: String) -> [String: String] {
        Dictionary(
            text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }, uniquingKeysWith: { $1 })
    }

    func type() throws -> SubmitterType {
        let endpoint = server.endpoint
        return try AlbumSubmitter.type(
            AlbumSubmitter.Album(
                endpoint: endpoint, client: OAuthClient(id: "submit"), methods: [.browser, .paste],
                service: OAuth2Service(
                    authorizeURL: endpoint + "/authorize", tokenURL: endpoint + "/token",
                    revokeURL: endpoint + "/revoke")))
    }
}

/// Puts photos below an address, with tokens of OAuth 2.
struct AlbumSubmitter: Submitter {
    static let capabilities = Capabilities(ordering: .concurrent(8), requiresNetwork: true)

    struct Album {
        var endpoint: String
        var client: OAuthClient
        var methods: [LoginMethod]
        var redirect = LoginRedirect()
        var service: OAuth2Service
    }

    private let settings: DestinationSettings
    private let album: Album
    private let transport: any HTTPTransport
    private let keeper: OAuth2TokenSource

    /// Of destinations called `album`.
    static func type(_ album: Album) throws -> SubmitterType {
        let transport = try CurlTransport(CurlConfiguration(userAgent: "submit"))
        return SubmitterType(name: "album", summary: "A service", capabilities: capabilities, settings: []) {
            settings in
            AlbumSubmitter(settings, album, transport)
        }
    }

    private init(_ settings: DestinationSettings, _ album: Album, _ transport: any HTTPTransport) {
        self.settings = settings
        self.album = album
        self.transport = transport
        keeper = OAuth2TokenSource(
            destination: settings.destination, service: album.service, client: album.client,
            store: settings.secretStore, transport: transport)
    }

    var capabilities: Capabilities { Self.capabilities }

    var facets: Facets {
        let login = OAuth2Settings(
            destination: settings.destination, service: album.service, client: album.client, methods: album.methods,
            redirect: album.redirect)
        return Facets(login: OAuth2Login(login, store: settings.secretStore, transport: transport))
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard let origins = AllowedOrigins([album.endpoint]) else { throw .cancelled }
        let authorized = TokenTransport(transport, keeper: keeper, origins: origins)
        let response: HTTPResponse
        do throws(HTTPFailure) {
            response = try await authorized.send(
                HTTPRequest(method: "PUT", url: "\(album.endpoint)/\(item.name)", body: .media(bytes, 0..<bytes.size)))
        } catch {
            throw error.submitFailure(host: album.endpoint, file: item.name)
        }
        guard response.status == 201 else {
            throw SubmitFailure(.renewCredentials, code: "refused", message: "“album” refuses its tokens.")
        }
        return Receipt(remoteID: item.name, url: nil, evidence: .accepted)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
    func check() async throws(SubmitFailure) -> String { "It is there." }
}

/// Someone with an account there.
private struct Account {
    let authority = Authority()
    let submit = SubmitCommandTests.Submit()
    /// Everything that anybody is shown.
    let shown = Locked<[String]>([])

    private static let seeds = Locked<UInt64>(100)

    init() throws { try submit.configure("destinations:\n  album:\n") }

    /// As a process of its own would have it.
    func session() throws -> Session {
        let places = AppPaths(environment: submit.environment)
        let journal = LazyJournal(places.journal)
        let catalog = try DestinationCatalog(
            places: places, types: TypeCatalog(SubmitterRegistry([authority.type()]), places, host: .tests),
            journal: journal)
        let session = try Session(catalog: catalog, journal: try journal.open())
        _ = try? session.destinations(["album"])
        return session
    }

    func login(_ method: LoginMethod, json: Bool) async throws -> SubmitFailure? {
        let session = try session()
        let (pages, page) = AsyncStream.makeStream(of: String.self)
        let shown = shown
        var talk = LoginSession(
            keeper: try LoginStore("album", session.catalog), session: session, isJSON: json,
            say: { line in shown.withLock { $0.append(line) } }, open: { page.yield($0) })
        talk.choice = MethodChoice(wanted: method, hasDesktop: true)
        let pipe = Pipe()
        talk.answers = method == .paste ? pipe.fileHandleForReading.fileDescriptor : nil
        let login = Task { [talk] in await talk.signIn() }
        for await url in pages {
            if method == .browser {
                // A browser follows where it is sent.
                let page = try await ChildProcess.output(of: ["curl", "-sS", "--noproxy", "*", "-L", url])
                shown.withLock { $0.append(page) }
            } else {
                let head = try await ChildProcess.output(of: ["curl", "-sS", "--noproxy", "*", "-i", url])
                let line = head.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Location: ") } ?? ""
                pipe.fileHandleForWriting.write(Data("\(line.dropFirst(10))\n".utf8))
            }
            break
        }
        let failure = await login.value
        withExtendedLifetime(pipe) {}
        if let failure { shown.withLock { $0.append("\(failure)") } }
        return failure
    }

    /// Sends new photos.
    func send(_ count: Int, _ session: Session) async throws -> BatchID {
        // Each another photo, in another folder.
        let seed = Self.seeds.withLock { seed -> UInt64 in
            seed += 1
            return seed
        }
        let photos = try Photos.make(count, in: submit.folder, "photos-\(seed)", seed: seed).map { FilePath($0) }
        let batch = try await session.manager.accept(SubmitRequest(paths: photos, destinations: ["album"])).batch
        try await pay(batch, session)
        return batch
    }

    func pay(_ batch: BatchID, _ session: Session) async throws {
        let shown = shown
        session.manager.listen { event in
            let line = JSONOutput.text(JSONOutput.object(event))
            shown.withLock { $0.append(line) }
        }
        try await session.manager.start([batch]).finish(patience: .zero)
    }

    func states(_ batch: BatchID, _ session: Session) async throws -> [SubmissionState] {
        try await session.journal.tallies(SubmissionSelection(batch: batch)).map(\.state)
    }

    func secrets() throws -> [String: String] { try session().catalog.credentials.secrets(of: "album") }

    /// The secrets stand in the secrets file, and nowhere else.
    func expectSecrecy(_ location: SourceLocation = #_sourceLocation) async throws {
        let canary = Authority.canary
        for text in shown.withLock({ $0 }) { #expect(!text.contains(canary), "\(text)", sourceLocation: location) }
        #expect(submit.journalBytes().range(of: Data(canary.utf8)) == nil, sourceLocation: location)
        let files = try await ChildProcess.output(
            of: ["grep", "-rlaF", canary, submit.folder.path("config"), submit.folder.path("state"), "--include=*"])
        #expect(files == submit.secrets + "\n", sourceLocation: location)
        let processes = try await ChildProcess.output(of: ["ps", "-e", "-ww", "-o", "args="])
        #expect(
            !processes.contains("\(canary)-access") && !processes.contains("\(canary)-refresh"),
            sourceLocation: location)
    }
}

@Suite(.fewAtOnce) struct `An account's tokens` {
    @Test func `are had, used, renewed, refused, had again and given back, and shown nowhere`() async throws {
        let account = try Account()
        #expect(try await account.login(.browser, json: true) == nil)
        let state = account.authority.state
        #expect(try account.secrets()["access_token"] == state.withLock { $0.access })
        var session = try account.session()
        #expect(try await account.states(try await account.send(1, session), session) == [.done])

        // The service takes the access token no longer: one that is new is kept before it is used.
        state.withLock { $0.access = "an0ther" }
        #expect(try await account.states(try await account.send(1, session), session) == [.done])
        #expect(state.withLock { $0.refreshes } == 1)
        #expect(try account.secrets()["refresh_token"] == state.withLock { $0.refresh })
        // The next process goes on with it.
        session = try account.session()
        state.withLock { $0.access = "an0ther" }
        #expect(try await account.states(try await account.send(1, session), session) == [.done])
        #expect(state.withLock { $0.refreshes } == 2)
        try await account.expectSecrecy()

        // Nor the refresh token: what is waiting waits, and the sentence says for what.
        state.withLock { ($0.access, $0.refresh) = ("an0ther", "an0ther") }
        let waiting = try await account.send(2, session)
        #expect(try await account.states(waiting, session) == [.waiting])
        let hold = try #require(try await session.journal.state(of: "album").hold)
        #expect(hold.reason == nil && hold.message.contains("sign in again"), "\(hold.message)")
        try await account.expectSecrecy()

        #expect(try await account.login(.paste, json: false) == nil)
        #expect(account.shown.withLock { $0.contains { $0.contains("2 submissions waiting for album") } })
        session = try account.session()
        try await account.pay(waiting, session)
        #expect(try await account.states(waiting, session) == [.done])
        try await account.expectSecrecy()

        let refresh = try #require(state.withLock { $0.refresh })
        let keeper = try LoginStore("album", session.catalog)
        let outcome = try await SignOut(keeper: keeper, session: session, forgetsAnyway: false).signOut()
        #expect(outcome.isRevoked && state.withLock { $0.revoked.contains(refresh) }, "\(outcome)")
        #expect(try account.secrets() == [:])
    }

    @Test func `are renewed once for all who use them, in two processes`() async throws {
        let account = try Account()
        #expect(try await account.login(.browser, json: true) == nil)
        let sessions = [try account.session(), try account.session()]
        account.authority.state.withLock { $0.access = "an0ther" }
        async let first = account.send(12, sessions[0])
        async let second = account.send(12, sessions[1])
        for batch in try await [first, second] {
            #expect(try await account.states(batch, sessions[0]) == [.done])
        }
        #expect(account.authority.state.withLock { $0.refreshes } == 1)
        #expect(account.authority.state.withLock { $0.photos.count } == 24)
        try await account.expectSecrecy()
    }
}

@Suite(.fewAtOnce) struct `A crash` {
    @Test func `shows no secret`() async throws {
        let (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
        let server = ScriptedServer { connection in
            _ = connection.request()
            arrive.yield()
            _ = connection.request()
        }
        let submit = Submit([
            "SUBMIT_SHOP_PASSWORD": Submit.secret, "SWIFT_BACKTRACE": "enable=yes,color=no,symbolicate=off",
        ])
        try submit.configure(
            "destinations:\n  shop:\n    type: webdav\n    url: \(server.endpoint)/dav/\n    user: alice\n")
        let photo = try Photos.make(1, in: submit.folder)[0]
        let running = try submit.start("--json", "--to", "shop", photo)
        for await _ in arrived { break }
        kill(running.child.pid, SIGSEGV)
        // A signal from elsewhere does not come again after the report, so that it goes on.
        while running.child.isRunning, try !running.errors().contains("Backtrace took") {
            try await Task.sleep(for: .milliseconds(20))
        }
        kill(running.child.pid, SIGKILL)
        let outcome = try await running.outcome()
        let basic = Data("alice:\(Submit.secret)".utf8).base64EncodedString()
        for text in [outcome.out, outcome.err] {
            #expect(!text.contains(Submit.secret) && !text.contains(basic))
        }
    }
}
