import Foundation
import Submit
import SubmitConcurrency
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers
import Testing

@testable import SubmitCommand

/// A service where people can sign in.
private final class Service: Sendable {
    /// What a login gives.
    let grant = Locked(LoginGrant(account: "alice", settings: ["user": "alice"], secrets: ["password": granted]))
    /// What revoking says.
    let revocation = Locked<Result<Revocation, SubmitFailure>>(.success(.revoked))
    /// What was revoked: `user:password`.
    let revoked = Locked<[String]>([])
    let client = Locked<LoginClient?>(nil)

    static let granted = "gr4nt3d-s3cr3t-0f-th3-t3sts"
    static let page = "https://cloud.example/flow/PAGE"

    var type: SubmitterType {
        SubmitterType(
            name: "cloud", summary: "A service", capabilities: ServiceSubmitter.capabilities,
            settings: [
                SettingKey("url", .url, summary: "Where it is"), SettingKey("user", .text, summary: "Who"),
                SettingKey("password", .secret, summary: "The password"),
                SettingKey("phrase", .secret, summary: "Of a certificate"),
            ]
        ) { settings in ServiceSubmitter(service: self, settings: settings) }
    }
}

private struct ServiceSubmitter: Submitter, LoginFacet, LoginAttempt {
    static let capabilities = Capabilities(ordering: .sequential, requiresNetwork: true)

    let service: Service
    let settings: DestinationSettings

    var capabilities: Capabilities { Self.capabilities }
    var facets: Facets { Facets(login: self) }
    var secrets: Set<String> { ["password"] }
    var prompt: LoginPrompt { LoginPrompt(url: Service.page, life: .seconds(1200)) }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard settings["user"] == "alice", settings.secret("password") == Service.granted else {
            throw SubmitFailure(.renewCredentials, code: "credentials", message: "Nobody is signed in at “cloud”.")
        }
        return Receipt(remoteID: item.name, url: nil, evidence: .accepted)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
    func check() async throws(SubmitFailure) -> String { "It is there." }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt {
        service.client.withLock { $0 = client }
        return self
    }

    func poll() async throws(SubmitFailure) -> LoginProgress { .done(service.grant.withLock { $0 }) }

    func revoke() async throws(SubmitFailure) -> Revocation {
        service.revoked.withLock { $0.append("\(settings["user"] ?? ""):\(settings.secret("password") ?? "")") }
        return try service.revocation.withLock { $0 }.get()
    }
}

/// A home with the destination `cloud`, as the command sees it.
private struct Home {
    let service = Service()
    let submit = SubmitCommandTests.Submit()
    var environment: [String: String] = [:]
    let said = Locked<[String]>([])
    let opened = Locked<[String]>([])

    static let configuration = """
        # Where things go.
        destinations:
          # My own cloud.
          cloud:
            # Behind the proxy.
            url: https://cloud.example   # no port

          shop:
            type: cloud

        """

    init(_ configuration: String = configuration, secrets: String? = nil) throws {
        try submit.configure(configuration)
        if let secrets {
            try submit.folder.write(secrets, to: "config/submit/secrets.yaml")
            chmod(submit.secrets, 0o600)
        }
    }

    /// The command's session; a new one for each run, as it reads the files then.
    func session() throws -> Session {
        let places = AppPaths(environment: submit.environment.merging(environment) { $1 })
        let journal = LazyJournal(places.journal)
        let catalog = try DestinationCatalog(
            places: places, types: TypeCatalog(SubmitterRegistry([service.type]), places, host: .tests),
            journal: journal)
        let session = try Session(catalog: catalog, journal: try journal.open())
        _ = try? session.destinations(["cloud"])
        return session
    }

    func login(_ name: String = "cloud", json: Bool = false) async throws -> SubmitFailure? {
        let session = try session()
        let keeper = try LoginStore(name, session.catalog)
        try keeper.checkUse()
        let (said, opened) = (said, opened)
        return await LoginSession(
            keeper: keeper, session: session, isJSON: json,
            say: { line in said.withLock { $0.append(line) } }, open: { url in opened.withLock { $0.append(url) } }
        ).signIn()
    }

    func logout(forget: Bool = false) async throws(SubmitFailure) -> SignOut.Outcome {
        let session: Session
        do { session = try self.session() } catch { throw error as? SubmitFailure ?? .cancelled }
        return try await SignOut(
            keeper: LoginStore("cloud", session.catalog), session: session, forgetsAnyway: forget
        ).signOut()
    }

    var text: String { said.withLock { $0.joined(separator: "\n") } }
    func configuration() throws -> String { try submit.folder.text("config/submit/config.yaml") }
    func secrets() throws -> [String: [String: String]] { try session().catalog.credentials.file.all() }

    /// The secret stands in the secrets file and nowhere else.
    func expectSecrecy(_ location: SourceLocation = #_sourceLocation) throws {
        let secret = Service.granted
        #expect(!text.contains(secret), sourceLocation: location)
        #expect(try !configuration().contains(secret), sourceLocation: location)
        #expect(opened.withLock { $0 }.allSatisfy { !$0.contains(secret) }, sourceLocation: location)
        #expect(submit.journalBytes().range(of: Data(secret.utf8)) == nil, sourceLocation: location)
    }
}

@Suite struct `submit login` {
    @Test func `shows the page, keeps what it gives, and lets the destination go on`() async throws {
        let home = try Home(secrets: "shop:\n  password: 0ther\ncloud:\n  phrase: st4ys\n  password: old\n")
        let session = try home.session()
        let photo = try Photos.make(1, in: home.submit.folder)[0]
        let batch = try await session.manager.accept(
            SubmitRequest(paths: [FilePath(photo)], destinations: ["cloud"])
        ).batch
        try await session.manager.start([batch]).finish(patience: .zero)
        #expect(try await session.journal.state(of: "cloud").hold?.code == "credentials")

        #expect(try await home.login() == nil)
        #expect(home.opened.withLock { $0 } == [Service.page])
        let text = home.text
        let client = try #require(home.service.client.withLock { $0 })
        #expect(client.name.hasPrefix("submit on ") && client.name.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        for words in [
            Service.page, "let “\(client.name)” in", "20 min", "“alice” is signed in at cloud; the login is kept in",
        ] {
            #expect(text.contains(words), "\(text)")
        }
        #expect(text.contains("1 submission waiting for cloud: `submit resume` goes on."), "\(text)")

        let secrets = try home.secrets()
        #expect(secrets["cloud"] == ["phrase": "st4ys", "password": Service.granted])
        #expect(secrets["shop"] == ["password": "0ther"])
        var status = stat()
        #expect(stat(home.submit.secrets, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(
            try home.configuration()
                == Home.configuration.replacing("  cloud:\n", with: "  cloud:\n    user: 'alice'\n"))
        #expect(try await session.journal.state(of: "cloud").hold == nil)

        // What `submit resume` does.
        let next = try home.session()
        try await next.manager.start([batch]).finish(patience: .zero)
        #expect(try await next.journal.tallies(SubmissionSelection(batch: batch)).map(\.state) == [.done])
        try home.expectSecrecy()

        // Again, with the same account: nothing to write into the configuration.
        let before = try home.configuration()
        #expect(try await home.login() == nil)
        #expect(try home.configuration() == before)
    }

    @Test func `says the same as JSON lines`() async throws {
        let home = try Home()
        #expect(try await home.login(json: true) == nil)
        let lines = try home.said.withLock { $0 }.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        try #require(lines.count == 2)
        #expect(Set(lines[0].keys) == ["event", "destination", "method", "url", "until"])
        #expect(lines[0]["event"] as? String == "open" && lines[0]["url"] as? String == Service.page)
        #expect(Set(lines[1].keys) == ["event", "destination", "account", "waiting"])
        #expect(lines[1]["event"] as? String == "signed-in" && lines[1]["account"] as? String == "alice")
        try home.expectSecrecy()
    }

    @Test func `keeps nothing of another account, and makes it worthless`() async throws {
        let configuration = "destinations:\n  cloud:\n    url: https://cloud.example\n    user: bob\n"
        let home = try Home(configuration, secrets: "cloud:\n  password: bobs\n")
        let failure = try #require(try await home.login())
        for words in ["“alice” signed in at “cloud”, whose user is “bob”", "config.yaml:4"] {
            #expect(failure.message.contains(words), "\(failure)")
        }
        #expect(home.service.revoked.withLock { $0 } == ["alice:\(Service.granted)"])
        #expect(try home.secrets()["cloud"] == ["password": "bobs"] && home.configuration() == configuration)
        try home.expectSecrecy()
    }

    @Test func `keeps no app password that cannot be written down, and makes it worthless`() async throws {
        let home = try Home()
        // Where the new file would be written, something is in the way.
        try home.submit.folder.folder("config/submit/.secrets.yaml.\(getpid())/x")
        let failure = try #require(try await home.login())
        #expect(failure.message.contains("secrets.yaml cannot be written"))
        #expect(home.service.revoked.withLock { $0 } == ["alice:\(Service.granted)"])
    }

    @Test func `is not begun when the environment would be used instead`() async throws {
        var home = try Home()
        home.environment = ["SUBMIT_CLOUD_PASSWORD": "environment"]
        let failure = await #expect(throws: SubmitFailure.self) { try await home.login() }
        #expect(failure?.message.contains("SUBMIT_CLOUD_PASSWORD") == true)
        #expect(home.service.client.withLock { $0 } == nil)
    }

    @Test func `makes an entry for a destination that the environment configures`() async throws {
        var home = try Home("")
        home.environment = ["SUBMIT_CLOUD_URL": "https://cloud.example"]
        #expect(try await home.login() == nil)
        let file = try ConfigurationFile.read(FilePath(home.submit.configuration))
        #expect(file.destinations["cloud"]?.values["user"]?.text == "alice")
        #expect(try home.session().catalog.destination("cloud").name == "cloud")
    }

    @Test func `says what to write into a configuration that only people should edit`() async throws {
        let configuration = "destinations: {cloud: {url: https://cloud.example}}\n"
        let home = try Home(configuration)
        let failure = try #require(try await home.login())
        #expect(failure.message.contains("add “user: alice” to the destination “cloud”"), "\(failure)")
        // It can be used as soon as that is done.
        #expect(try home.secrets()["cloud"] == ["password": Service.granted])
        #expect(try home.configuration() == configuration && home.service.revoked.withLock { $0 } == [])
    }

    @Test func `is no verb of destinations without one, which say where credentials are set`() async throws {
        let submit = SubmitCommandTests.Submit(endpoint: "http://127.0.0.1:9")
        for verb in ["login", "logout"] {
            let keys = try await submit.run(verb, "objstore")
            #expect(keys.end == .exited(2) && keys.troubles.count == 1, "\(keys)")
            for words in ["“objstore” has no login", "secret_access_key", "SUBMIT_OBJSTORE_", submit.secrets] {
                #expect(keys.err.contains(words), "\(keys)")
            }
            let folder = try await submit.run(verb, "file")
            #expect(folder.end == .exited(2) && folder.err.contains("“file” has no login: it needs no credentials."))
            let nowhere = try await submit.run(verb, "objstor")
            #expect(nowhere.end == .exited(2) && nowhere.err.contains("“objstore”"), "\(nowhere)")
        }
    }
}

@Suite struct `submit logout` {
    private func home() throws -> Home {
        try Home(secrets: "shop:\n  password: 0ther\ncloud:\n  phrase: st4ys\n  password: \(Service.granted)\n")
    }

    private static let down = SubmitFailure(.hold(.unreachable, after: nil), code: "x", message: "It is down.")

    @Test func `makes the credentials worthless and forgets them`() async throws {
        let home = try home()
        let outcome = try await home.logout()
        #expect(outcome.sentence.contains("worthless there and forgotten here") && outcome.troubles == [])
        #expect(home.service.revoked.withLock { $0 } == [":\(Service.granted)"])
        #expect(try home.secrets()["cloud"] == ["phrase": "st4ys"])
        #expect(try home.secrets()["shop"] == ["password": "0ther"])
        // There is nothing more to do.
        let again = try await home.logout()
        #expect(again.sentence == "Nobody is signed in at cloud." && home.service.revoked.withLock { $0.count } == 1)
        #expect(again.object["forgotten"] as? Bool == false)
    }

    @Test func `forgets what cannot be made worthless, and says so`() async throws {
        let home = try home()
        home.service.revocation.withLock { $0 = .success(.impossible("It stays good.")) }
        let outcome = try await home.logout()
        #expect(outcome.troubles == ["It stays good."] && !outcome.sentence.contains("worthless"))
        #expect(outcome.object["revoked"] as? Bool == false && outcome.object["message"] as? String == "It stays good.")
        #expect(try home.secrets()["cloud"] == ["phrase": "st4ys"])
    }

    @Test func `forgets nothing when the destination is down, unless it is told to`() async throws {
        let home = try home()
        home.service.revocation.withLock { $0 = .failure(Self.down) }
        let failure = await #expect(throws: SubmitFailure.self) { try await home.logout() }
        #expect(failure?.message.contains("`submit logout --forget cloud`") == true)
        #expect(try home.secrets()["cloud"]?["password"] == Service.granted)
        #expect(try await home.logout(forget: true).troubles == ["It is down."])
        #expect(try home.secrets()["cloud"] == ["phrase": "st4ys"])
    }

    @Test func `tells of what the environment still holds`() async throws {
        var home = try home()
        home.environment = ["SUBMIT_CLOUD_PASSWORD": "environment"]
        let outcome = try await home.logout()
        #expect(outcome.troubles.count == 1 && outcome.troubles[0].contains("SUBMIT_CLOUD_PASSWORD"))
        #expect(!outcome.troubles[0].contains("environment\""))
    }
}

@Suite struct `A setting is added to a destination in the configuration` {
    @Test(arguments: [
        ("destinations:\n  a:\n    url: x\n", "destinations:\n  a:\n    user: 'u'\n    url: x\n"),
        ("destinations:\n  a:\n", "destinations:\n  a:\n    user: 'u'\n"),
        ("destinations:\n  a:\n  b:\n    url: x\n", "destinations:\n  a:\n    user: 'u'\n  b:\n    url: x\n"),
        (
            "destinations:\n    a: # c\n\n      # d\n      url: x\n",
            "destinations:\n    a: # c\n      user: 'u'\n\n      # d\n      url: x\n"
        ),
        (
            "destinations:\n  a:\n    # t\n    type: cloud # d\n    url: x\n",
            "destinations:\n  a:\n    # t\n    type: cloud # d\n    user: 'u'\n    url: x\n"
        ),
        ("default: a\ndestinations:\n a:\n  url: x\n", "default: a\ndestinations:\n a:\n  user: 'u'\n  url: x\n"),
    ])
    func `as deep as the others`(before: String, after: String) throws {
        var text = ConfigurationText(before, path: "/config.yaml")
        try text.set("user", "u", of: "a")
        #expect(text.text == after)
    }

    @Test(arguments: [
        "destinations:\n  a: {url: x}\n", "destinations: {a: {url: x}}\n", "destinations:\n  b:\n    url: x\n",
        "destinations:\n  b: &b\n    url: x\n  a: *b\n", "",
    ])
    func `or the file stays as it is`(before: String) throws {
        var text = ConfigurationText(before, path: "/config.yaml")
        let failure = #expect(throws: SubmitFailure.self) { try text.set("user", "it's", of: "a") }
        #expect(failure?.message.contains("/config.yaml") == true)
        #expect(text.text == before)
    }
}
