import Submit
import SubmitConcurrency
import SubmitHTTP
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Tokens of an object store` {
    @Test func `are had once for all requests and go with each`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper()
        for _ in 1...3 { #expect(try await keeper.list().status == 200) }
        #expect(cloud.signIns == 1)
        #expect(cloud.sent.dropFirst().allSatisfy { $0["x-auth-token"] == "token-1" })
        #expect(cloud.sent.dropFirst().map(\.url) == Array(repeating: FakeCloud.store + "/photos", count: 3))
        #expect(try await keeper.storage().url("") == FakeCloud.store)
    }

    @Test func `are had by one sign-in however many wait`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper()
        await withTaskGroup { group in
            for _ in 1...50 { group.addTask { _ = try? await keeper.list() } }
        }
        #expect(cloud.signIns == 1 && cloud.sent.count == 51)
    }

    @Test func `are renewed before they end, by the life they have and not by anyone's clock`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper()
        try await keeper.list()
        cloud.pass(seconds: FakeCloud.life - 301)
        try await keeper.list()
        #expect(cloud.signIns == 1)
        cloud.pass(seconds: 1)
        try await keeper.list()
        #expect(cloud.signIns == 2 && cloud.sent.last?["x-auth-token"] == "token-2")
    }

    @Test func `that v1 authentication gave are renewed before they end`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper(["auth_url": FakeCloud.identity + "/auth/v1.0", "username": "test:tester"])
        try await keeper.list()
        let asked = try #require(cloud.sent.first)
        #expect(asked.method == "GET" && asked.url == FakeCloud.identity + "/auth/v1.0")
        #expect(asked["x-auth-user"] == "test:tester" && asked["x-auth-key"] == FakeCloud.password)
        cloud.pass(seconds: FakeCloud.life - 300)
        try await keeper.list()
        #expect(cloud.signIns == 2)
    }

    @Test func `that are refused are renewed once for all, and the requests sent again`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper()
        try await keeper.list()
        cloud.revokeAll()
        let good = await withTaskGroup { group in
            for _ in 1...20 { group.addTask { (try? await keeper.list().status) == 200 } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 20 && cloud.signIns == 2)
    }

    @Test func `that are refused when they are new fail with a call for credentials`() async throws {
        let cloud = FakeCloud { $0.isSignIn ? nil : .success(HTTPResponse(status: 401)) }
        let keeper = try cloud.keeper()
        let failure = await #expect(throws: SubmitFailure.self) { try await keeper.list() }
        #expect(failure?.remedy == .renewCredentials)
        #expect(failure?.message.contains("https://store.example refuses a new token as well") == true)
        #expect(cloud.signIns == 2 && cloud.sent.count == 4)
    }

    @Test func `that were given are used as they are and cannot be renewed`() async throws {
        let cloud = FakeCloud { $0["x-auth-token"] == "given" ? nil : .success(HTTPResponse(status: 500)) }
        let keeper = try StorageTokenClient(
            DestinationSettings(
                destination: "cloud", values: ["storage_url": FakeCloud.store], secrets: ["auth_token": "given"]),
            environment: [:], transport: cloud, now: cloud.now)
        let failure = await #expect(throws: SubmitFailure.self) { try await keeper.list() }
        #expect(failure?.remedy == .renewCredentials && failure?.message.contains("get another") == true)
        #expect(cloud.sent.map(\.url) == [FakeCloud.store + "/photos"])
    }

    @Test func `go where the settings say instead of where the service says`() async throws {
        let cloud = FakeCloud { $0.isSignIn ? nil : .success(HTTPResponse(status: 204)) }
        let keeper = try cloud.keeper(["storage_url": "https://other.example/swift/v1/"])
        try await keeper.list()
        #expect(cloud.sent.last?.url == "https://other.example/swift/v1/photos")
    }

    @Test func `are not waited for by who is cancelled`() async throws {
        let cloud = FakeCloud()
        let keeper = try cloud.keeper()
        let task = Task { () async -> Result<HTTPResponse, SubmitFailure> in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(SubmitFailure) { return .success(try await keeper.list()) } catch { return .failure(error) }
        }
        let result = await task.value
        #expect(throws: SubmitFailure.cancelled) { try result.get() }
    }

    @Test func `are not asked for again while a sign-in fails, and then are`() async throws {
        let fails = Locked(true)
        let cloud = FakeCloud { sent in
            sent.isSignIn && fails.withLock { $0 } ? .failure(.cannotConnect("refused")) : nil
        }
        let keeper = try cloud.keeper()
        let failure = await #expect(throws: SubmitFailure.self) { try await keeper.list(file: "a.jpg") }
        #expect(failure?.remedy == .hold(.unreachable, after: nil))
        fails.withLock { $0 = false }
        #expect(try await keeper.list().status == 200)
        #expect(cloud.signIns == 2)
    }

    @Test func `and passwords are in nothing that is printed`() async throws {
        let echo = "you sent token-1 and \(FakeCloud.password)"
        let cloud = FakeCloud { $0.isSignIn ? nil : .success(HTTPResponse(status: 403, body: Array(echo.utf8))) }
        let keeper = try cloud.keeper()
        let answer = try await keeper.list()
        #expect(ForeignText.line(answer.body) == "you sent … and …")
        let identity = KeystoneIdentity.password(.id("u"), password: FakeCloud.password, project: nil)
        let token = StorageToken(token: "token-1", storage: try await keeper.storage(), isRenewable: true)
        let values = OpenStackSettings.values(
            DestinationSettings(destination: "d", secrets: ["password": FakeCloud.password]))
        for value in [keeper, identity, token, values] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!text.contains(FakeCloud.password) && !text.contains("token-1"))
            }
        }
    }
}
