import Foundation
import Submit
import SubmitConcurrency
import SubmitConfiguration
import SubmitEngine
import SubmitJournal
import SystemPackage
import TestServers
import Testing

/// A service where people sign in on a page, and which takes nothing without that.
private struct Cloud: Submitter, LoginFacet, LoginAttempt {
    static let page = "https://cloud.example/flow"
    static let granted = "gr4nt3d-s3cr3t-0f-th3-t3sts"

    static func type(_ taken: Locked<[String]>, revoked: Locked<[String]> = Locked([])) -> SubmitterType {
        SubmitterType(
            name: "cloud", summary: "A service",
            capabilities: Capabilities(ordering: .sequential, requiresNetwork: false),
            settings: [
                SettingKey("user", .text, summary: "Who"), SettingKey("password", .secret, summary: "The password"),
            ]
        ) { settings in Cloud(settings: settings, taken: taken, revoked: revoked) }
    }

    let settings: DestinationSettings
    let taken: Locked<[String]>
    let revoked: Locked<[String]>

    var capabilities: Capabilities { Capabilities(ordering: .sequential, requiresNetwork: false) }
    var facets: Facets { Facets(login: self) }
    var secrets: Set<String> { ["password"] }
    var prompt: LoginPrompt { LoginPrompt(url: Self.page, life: .seconds(60)) }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        guard settings["user"] == "alice", settings.secret("password") == Self.granted else {
            throw SubmitFailure(.renewCredentials, code: "credentials", message: "Nobody is signed in at “cloud”.")
        }
        taken.withLock { $0.append(item.name) }
        return Receipt(remoteID: item.name, evidence: .accepted)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}
    func check() async throws(SubmitFailure) -> String { "It is there." }
    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt { self }

    func poll() async throws(SubmitFailure) -> LoginProgress {
        .done(LoginGrant(account: "alice", settings: ["user": "alice"], secrets: ["password": Self.granted]))
    }

    func revoke() async throws(SubmitFailure) -> Revocation {
        revoked.withLock { $0.append(settings.secret("password") ?? "") }
        return .revoked
    }
}

/// What a program gets that embeds this package: public API only.
@Suite struct `Signing in from a program` {
    private let folder = TemporaryFolder()
    private let taken = Locked<[String]>([])
    private let revoked = Locked<[String]>([])
    private static let client = LoginClient(name: "albums on harbour")

    private func catalog(_ environment: [String: String] = [:]) throws -> (DestinationCatalog, SubmitManager, Journal) {
        let places = AppPaths(environment: ["HOME": folder.path("home")].merging(environment) { $1 })
        let journal = try Journal(path: places.journal)
        let catalog = try DestinationCatalog(
            program: ProgramIdentity("albums", version: "1.0"), places: places, journal: journal,
            types: [Cloud.type(taken, revoked: revoked)])
        return (catalog, SubmitManager(store: journal.store, registry: catalog.types.registry), journal)
    }

    @Test(.timeLimit(.minutes(1))) func `keeps what it gives, and what waited for it goes on`() async throws {
        let (catalog, manager, _) = try catalog()
        manager.add(try catalog.destination("cloud"))
        try folder.write("photo", to: "photo.jpg")
        let photo = FilePath(folder.path("photo.jpg"))
        let request = SubmitRequest(paths: [photo], destinations: ["cloud"], takesAnyFile: true)
        let run = try await manager.send(request)
        try await run.finish(patience: .zero)
        #expect(try await run.summary().onHold.count == 1)
        let shown = Locked<[String?]>([])
        let grant = try await catalog.login(at: "cloud", of: manager, as: Self.client) { prompt in
            shown.withLock { $0.append(prompt.url) }
        }
        #expect(grant.account == "alice" && shown.withLock { $0 } == [Cloud.page])
        try await manager.start(run.batches).finish(patience: .zero)
        #expect(taken.withLock { $0 } == ["photo.jpg"])
        // Another process has it, too.
        let (next, _, _) = try self.catalog()
        #expect(try next.settings(of: "cloud")["user"] == "alice")
        #expect(try next.settings(of: "cloud").secret("password") == Cloud.granted)
    }

    @Test func `of one that it added itself leaves the configuration as it is`() async throws {
        var (catalog, manager, _) = try catalog()
        _ = try catalog.addDestination("album", type: "cloud")
        let grant = try await catalog.login(at: "album", of: manager, as: Self.client) { _ in }
        #expect(grant.settings == ["user": "alice"])
        #expect(!FileManager.default.fileExists(atPath: catalog.places.configuration.string))
        #expect(try catalog.settings(of: "album").secret("password") == Cloud.granted)
    }

    @Test func `is refused before anyone is asked where something else would be used`() async throws {
        func failure(_ name: String, _ catalog: DestinationCatalog, _ manager: SubmitManager) async -> SubmitFailure? {
            await #expect(throws: SubmitFailure.self) {
                try await catalog.login(at: name, of: manager, as: Self.client) { _ in
                    Issue.record("somebody was asked")
                }
            }
        }
        let (catalog, manager, _) = try catalog(["SUBMIT_CLOUD_PASSWORD": "0ther"])
        #expect(await failure("cloud", catalog, manager)?.code == "environment")
        #expect(await failure("file", catalog, manager)?.code == "no-login")
        var (adding, other, _) = try self.catalog()
        _ = try adding.addDestination("album", type: "cloud", secrets: ["password": "0ther"])
        #expect(await failure("album", adding, other)?.message.contains("add it without") ?? false)
    }

    @Test func `makes worthless what cannot be kept`() async throws {
        let (catalog, manager, _) = try catalog(["SUBMIT_CLOUD_USER": "bob"])
        let failure = await #expect(throws: SubmitFailure.self) {
            try await catalog.login(at: "cloud", of: manager, as: Self.client) { _ in }
        }
        #expect(failure?.code == "other-account" && revoked.withLock { $0 } == [Cloud.granted])
    }
}
