import Submit
import SubmitConcurrency
import SubmitHTTP
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `An identity service that gives no token` {
    private static let misconfigured = Remedy.hold(.misconfigured, after: nil)
    private static let page = [(name: "Content-Type", value: "text/html; charset=utf-8")]

    private func failure(
        _ answer: Result<HTTPResponse, HTTPFailure>, _ values: [String: String] = [:]
    ) async throws -> SubmitFailure {
        let cloud = FakeCloud { _ in answer }
        let keeper = try cloud.keeper(values)
        return try #require(await #expect(throws: SubmitFailure.self) { try await keeper.list(file: "a.jpg") })
    }

    @Test(arguments: [
        (
            HTTPResponse.refusal(401, "Wrong."), Remedy.renewCredentials,
            ["the password of the user “tester”", "“Wrong.”"]
        ),
        (.refusal(403, "Locked."), misconfigured, ["does not let", "“Locked.”"]),
        (.refusal(400, "No domain."), misconfigured, ["“No domain.”", "domains"]),
        (
            .refusal(300, "Many.", headers: [("Location", "https://h/v3/")]), misconfigured,
            ["300 to “https://h/v3/”", "which ends in /v3"]
        ),
        (HTTPResponse(status: 301), misconfigured, ["sends us elsewhere", "auth_url"]),
        (
            HTTPResponse(status: 404, headers: page, body: Array("<html>".utf8)), misconfigured,
            ["no OpenStack identity service", "auth_url"]
        ),
        (
            HTTPResponse(status: 400, headers: page, body: Array("<html>".utf8)), misconfigured,
            ["no OpenStack identity service answers"]
        ),
        (HTTPResponse(status: 405), misconfigured, ["no OpenStack identity service answers"]),
        (
            HTTPResponse(status: 200, headers: page, body: Array("<html>".utf8)), misconfigured,
            ["no OpenStack identity service answers", "(200)"]
        ),
        (
            HTTPResponse(status: 201, headers: [("X-Subject-Token", "t")], body: Array("{}".utf8)), misconfigured,
            ["no OpenStack identity service answers"]
        ),
        (
            HTTPResponse(status: 503, headers: [("Retry-After", "7")]), .hold(.unreachable, after: .seconds(7)),
            ["in trouble", "503"]
        ),
        (HTTPResponse(status: 500), .hold(.unreachable, after: nil), ["in trouble"]),
        (
            HTTPResponse(status: 429, headers: [("Retry-After", "3")]), .hold(.throttled, after: .seconds(3)),
            ["slow down"]
        ),
    ])
    func `is reported with what to do`(answer: HTTPResponse, remedy: Remedy, words: [String]) async throws {
        let failure = try await failure(.success(answer))
        #expect(failure.remedy == remedy)
        #expect(failure.message.contains("“cloud”") && failure.message.contains("https://identity.example"))
        for word in words { #expect(failure.message.contains(word), "\(failure.message)") }
    }

    @Test(arguments: [
        (HTTPFailure.unknownHost("x"), Remedy.hold(.unreachable, after: nil)),
        (.cannotConnect("x"), .hold(.unreachable, after: nil)),
        (.stalled(afterBody: true), .hold(.unreachable, after: nil)),
        (.broken("x", afterBody: true), .hold(.unreachable, after: nil)),
        (.badAnswer("x"), .hold(.unreachable, after: nil)), (.untrusted("x"), misconfigured),
        (.badRequest("x"), misconfigured), (.refusedRedirect("x"), misconfigured), (.cancelled, .cancelled),
    ])
    func `and does not answer costs no photo an attempt`(failure: HTTPFailure, remedy: Remedy) async throws {
        #expect(try await self.failure(.failure(failure)).remedy == remedy)
    }

    @Test func `and is not trusted is told which authority OpenStack's tools know`() async throws {
        let cloud = FakeCloud { _ in .failure(.untrusted("unknown issuer")) }
        let keeper = try StorageTokenClient(
            DestinationSettings(destination: "cloud"),
            environment: [
                "OS_AUTH_URL": FakeCloud.identity, "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_CACERT": "/etc/ca.pem",
            ],
            transport: cloud, now: cloud.now)
        let failure = await #expect(throws: SubmitFailure.self) { try await keeper.storage() }
        #expect(failure?.message.contains("name /etc/ca.pem as “ca_file”") == true)
    }

    @Test func `is quoted short, on one line and without the secrets`() async throws {
        let message = "\(FakeCloud.password)\\n" + String(repeating: "x", count: 1000)
        let failure = try await failure(.success(.refusal(401, message)))
        #expect(!failure.message.contains(FakeCloud.password) && failure.message.contains("“… xxx"))
        #expect(failure.message.count < 600 && !failure.message.contains("\n"))
    }

    @Test func `of v1 authentication is reported as such`() async throws {
        let v1 = ["auth_url": FakeCloud.identity + "/auth/v1.0", "username": "test:tester"]
        // This is how tempauth refuses: as a page.
        let refused = try await failure(.success(HTTPResponse(status: 401, headers: Self.page)), v1)
        #expect(refused.remedy == .renewCredentials && refused.message.contains("the key of the user “test:tester”"))
        for answer in [HTTPResponse(status: 404, headers: Self.page), HTTPResponse(status: 200, headers: Self.page)] {
            let failure = try await failure(.success(answer), v1)
            #expect(failure.remedy == Self.misconfigured && failure.message.contains("/auth/v1.0"))
        }
    }

    @Test func `but something that cannot be sent as one gives none`() async throws {
        let failure = try await failure(.success(.token("to ken\u{7f}")))
        #expect(failure.remedy == Self.misconfigured)
    }
}
