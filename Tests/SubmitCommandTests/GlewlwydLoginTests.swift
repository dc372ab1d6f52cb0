import Foundation
import Submit
import SubmitConcurrency
import SubmitConfiguration
import SubmitEngine
import SubmitHTTP
import SubmitSignIn
import TestServers
import Testing

@testable import SubmitCommand

/// A login at Glewlwyd, as the command does it.
private struct Visitor {
    let server: GlewlwydServer
    let isConfidential: Bool
    let submit = SubmitCommandTests.Submit()
    let shown = Locked<[String]>([])

    init(_ server: GlewlwydServer, isConfidential: Bool) throws {
        self.server = server
        self.isConfidential = isConfidential
        try submit.configure("destinations:\n  album:\n")
    }

    func session() throws -> Session {
        let places = AppPaths(environment: submit.environment)
        let journal = LazyJournal(places.journal)
        let redirect = URLComponents(string: server.redirectURL)
        let client =
            isConfidential
            ? OAuthClient(id: server.confidentialClient, secret: server.clientSecret)
            : OAuthClient(id: server.publicClient)
        let type = try AlbumSubmitter.type(
            AlbumSubmitter.Album(
                endpoint: server.issuer, client: client,
                methods: [.browser, .paste, .device],
                redirect: LoginRedirect(
                    host: redirect?.host ?? "", port: server.redirectPort, path: redirect?.path ?? ""),
                service: OAuth2Service(
                    authorizeURL: server.authorizeURL, tokenURL: server.tokenURL, deviceURL: server.deviceURL,
                    revokeURL: server.revokeURL, issuer: server.issuer, scopes: ["upload"],
                    clientAuthentication: isConfidential ? .basic : .none)))
        let catalog = try DestinationCatalog(
            places: places, types: TypeCatalog(SubmitterRegistry([type]), places, host: .tests), journal: journal)
        return try Session(catalog: catalog, journal: try journal.open())
    }

    /// - Parameter act: what the person does with the page.
    func login(
        _ method: LoginMethod, _ act: @escaping @Sendable (_ page: String) async throws -> Void
    ) async throws -> SubmitFailure? {
        let session = try session()
        let (pages, page) = AsyncStream.makeStream(of: String.self)
        let shown = shown
        var talk = LoginSession(
            keeper: try LoginStore("album", session.catalog), session: session, isJSON: false,
            say: { line in shown.withLock { $0.append(line) } }, open: { page.yield($0) })
        talk.choice = MethodChoice(wanted: method, hasDesktop: true)
        let login = Task { [talk] in await talk.signIn() }
        for await url in pages {
            try await act(url)
            break
        }
        return await login.value
    }

    func secrets() throws -> [String: String] { try session().catalog.credentials.secrets(of: "album") }

    func expectSecrecy(_ location: SourceLocation = #_sourceLocation) throws {
        let text = shown.withLock { $0.joined(separator: "\n") }
        for (name, secret) in try secrets() where secret.count > 15 {
            #expect(!text.contains(secret), "\(name)", sourceLocation: location)
            #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil, sourceLocation: location)
        }
    }
}

@Suite(.fewAtOnce) struct `A login at Glewlwyd` {
    private func get(_ url: String) async throws -> String {
        try await ChildProcess.output(of: ["curl", "-sS", "--noproxy", "*", "-i", "--max-time", "60", url])
    }

    @Test func `with a browser takes the answer that is its own, and logout makes it worthless`() async throws {
        let server = try await GlewlwydServer()
        let visitor = try Visitor(server, isConfidential: true)
        let failure = try await visitor.login(.browser) { page in
            let back = try await server.grant(page)
            let state = URLComponents(string: back)?.queryItems?.first { $0.name == "state" }?.value ?? ""
            let foreign = try await get(back.replacing("state=\(state)", with: "state=another"))
            #expect(state != "" && foreign.hasPrefix("HTTP/1.1 400 "), "\(foreign)")
            #expect(try await get(back).hasPrefix("HTTP/1.1 200 "))
        }
        #expect(failure == nil, "\(failure as Any)")
        let token = try #require(try visitor.secrets()["access_token"])
        #expect(try await server.isActive(token))
        try visitor.expectSecrecy()
        let session = try visitor.session()
        let outcome = try await SignOut(
            keeper: LoginStore("album", session.catalog), session: session, forgetsAnyway: false
        ).signOut()
        #expect(outcome.isRevoked, "\(outcome)")
        #expect(try await !server.isActive(token) && visitor.secrets() == [:])
        await server.remove()
    }

    @Test func `on another device waits until its code is typed`() async throws {
        let server = try await GlewlwydServer(deviceInterval: 1)
        let visitor = try Visitor(server, isConfidential: false)
        let failure = try await visitor.login(.device) { _ in
            let lines = visitor.shown.withLock { $0.joined(separator: "\n") }.split(separator: "\n")
            let place = try #require(lines.firstIndex { $0 == "with this code:" })
            try await server.approveDevice(lines[place + 1].trimmingCharacters(in: .whitespaces))
        }
        #expect(failure == nil, "\(failure as Any)")
        #expect(try visitor.secrets()["access_token"]?.isEmpty == false)
        try visitor.expectSecrecy()
        await server.remove()
    }
}
