import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import Testing

/// A login whose looks go by a script; the last one is seen again and again.
private final class ScriptedLogin: LoginFacet, LoginAttempt {
    let prompt = LoginPrompt(url: "https://cloud.example/flow", life: .seconds(1200))
    let secrets: Set<String> = ["password"]
    private let script: [Result<LoginProgress, SubmitFailure>]
    private let looks = Locked(0)
    /// Called with the number of each look.
    private let looking: @Sendable (Int) -> Void

    static let grant = LoginGrant(account: "alice", settings: ["user": "alice"], secrets: ["password": "s3cr3t"])

    init(_ script: [Result<LoginProgress, SubmitFailure>], looking: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.script = script
        self.looking = looking
    }

    var count: Int { looks.withLock { $0 } }

    func begin(_ client: LoginClient) async throws(SubmitFailure) -> any LoginAttempt { self }
    func revoke() async throws(SubmitFailure) -> Revocation { .revoked }

    func poll() async throws(SubmitFailure) -> LoginProgress {
        let number = looks.withLock { looks -> Int in
            looks += 1
            return looks
        }
        looking(number)
        return try script[min(number, script.count) - 1].get()
    }
}

/// A submitter where people can sign in.
private struct LoginSubmitter: Submitter {
    let inner: InMemorySubmitter
    let login: any LoginFacet

    var capabilities: Capabilities { inner.capabilities }
    var facets: Facets {
        var facets = inner.facets
        facets.login = login
        return facets
    }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        try await inner.submit(item, bytes: bytes, context: context)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
        try await inner.discard(item, context: context)
    }

    func check() async throws(SubmitFailure) -> String { try await inner.check() }
}

@Suite struct `A login` {
    private let shop: Workshop

    init() throws {
        shop = try Workshop(["a": InMemorySubmitter.capabilities])
    }

    private func login(
        _ login: ScriptedLogin, within limit: Duration? = nil
    ) async throws(SubmitFailure) -> LoginGrant {
        shop.manager.add(
            Destination(
                name: "cloud", type: InMemorySubmitter.submitterType(),
                submitter: LoginSubmitter(inner: InMemorySubmitter(InMemoryPlace()), login: login)))
        return try await shop.manager.login(at: "cloud", as: LoginClient(name: "submit on harbour"), within: limit) {
            #expect($0.url == "https://cloud.example/flow")
        }
    }

    private static let soon = Result<LoginProgress, SubmitFailure>.success(.pending(after: .zero))

    @Test func `is waited for, through troubles of the destination`() async throws {
        let troubles: [Remedy] = [
            .retry(after: .zero), .hold(.unreachable, after: .zero),
            .hold(.throttled, after: .zero),
        ]
        let scripted = ScriptedLogin(
            [Self.soon] + troubles.map { .failure(SubmitFailure($0, code: "x", message: "X.")) } + [
                Self.soon, .success(.done(ScriptedLogin.grant)),
            ])
        #expect(try await login(scripted) == ScriptedLogin.grant)
        #expect(scripted.count == 6)
    }

    @Test(arguments: [
        Remedy.giveUp, .renewCredentials, .hold(.misconfigured, after: .zero), .cancelled,
        .hold(.full, after: .zero),
    ])
    func `ends with what will not pass`(remedy: Remedy) async throws {
        let failure = SubmitFailure(remedy, code: "x", message: "X.")
        let scripted = ScriptedLogin([Self.soon, .failure(failure), .success(.done(ScriptedLogin.grant))])
        await #expect(throws: failure) { try await login(scripted) }
        #expect(scripted.count == 2)
    }

    @Test func `ends when nobody signs in in time`() async throws {
        let scripted = ScriptedLogin([.success(.pending(after: .seconds(3600)))])
        let failure = await #expect(throws: SubmitFailure.self) {
            try await login(scripted, within: .milliseconds(20))
        }
        #expect(failure?.code == "login-timeout" && failure?.message.contains("“cloud”") == true)
        // A last look was taken when the time was over.
        #expect(scripted.count == 2)
    }

    @Test func `ends at once when it is cancelled`() async throws {
        let (looks, look) = AsyncStream.makeStream(of: Int.self)
        let scripted = ScriptedLogin([.success(.pending(after: .seconds(3600)))]) { look.yield($0) }
        let work = Task { () -> SubmitFailure? in
            do throws(SubmitFailure) {
                _ = try await login(scripted)
                return nil
            } catch {
                return error
            }
        }
        for await _ in looks { break }
        work.cancel()
        #expect(await work.value == .cancelled)
    }

    @Test func `is refused where nobody can sign in`() async throws {
        let client = LoginClient(name: "submit")
        for name in ["a", "nowhere"] {
            let failure = await #expect(throws: SubmitFailure.self) {
                try await shop.manager.login(at: name, as: client) { _ in }
            }
            #expect(failure?.message.contains("“\(name)”") == true)
            await #expect(throws: SubmitFailure.self) { try await shop.manager.revokeLogin(at: name) }
        }
    }

    @Test func `frees the destination that waits for it, and no other`() async throws {
        let why = SubmitFailure(.renewCredentials, code: "credentials", message: "The password is refused.")
        for (name, reason) in [("waits", nil), ("full", HoldReason.full)] as [(String, HoldReason?)] {
            try await shop.hold(name, reason, why)
        }
        #expect(try await shop.manager.credentialsRenewed(at: "waits"))
        #expect(try await !shop.manager.credentialsRenewed(at: "full"))
        #expect(try await !shop.manager.credentialsRenewed(at: "never-on-hold"))
        #expect(try await shop.journal.state(of: "waits").hold == nil)
        #expect(try await shop.journal.state(of: "full").hold?.reason == .full)
    }
}
