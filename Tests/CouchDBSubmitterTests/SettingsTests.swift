import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import CouchDBSubmitter

@Suite struct `Settings and logins of CouchDB` {
    private func make(
        _ values: [String: String], _ secrets: [String: String] = [:], _ transport: any HTTPTransport = FakeCouch()
    ) throws -> any Submitter {
        try CouchDBSubmitter.submitterType(transport: transport).make(
            DestinationSettings(
                destination: "couch",
                values: ["url": "http://127.0.0.1:9", "database": "photos"].merging(values) { $1 },
                secrets: secrets))
    }

    @Test(arguments: [
        ["url": "http://couch.example.com"], ["url": "https://me:pw@couch.example.com"], ["database": "Photos"],
        ["database": "../x"], ["attach": "all"], ["document_limit": "many"], ["jobs": "0"], ["login": "oauth"],
    ])
    func `what cannot be is refused with the setting's name`(_ values: [String: String]) {
        #expect { try make(values) } throws: { error in
            let message = (error as! SubmitFailure).message
            return message.contains("“\(values.keys.first!)”") && message.contains("“couch”")
        }
    }

    @Test func `of two credentials none is chosen`() {
        #expect(throws: SubmitFailure.self) { try make(["user": "me"], ["password": "pw-1234", "token": "tok-1234"]) }
    }

    @Test(arguments: ["basic", "cookie"])
    func `a password signs in, and a wrong one is to be renewed`(_ login: String) async throws {
        let values = ["user": FakeCouch.user, "login": login]
        _ = try await make(values, ["password": FakeCouch.secret]).check()
        await #expect { try await make(values, ["password": "wr0ng-password"]).check() } throws: {
            ($0 as! SubmitFailure).remedy == .renewCredentials
        }
        await #expect { try await make([:]).check() } throws: {
            ($0 as! SubmitFailure).remedy == .renewCredentials && ($0 as! SubmitFailure).message.contains("“user”")
        }
    }

    @Test func `a token signs in`() async throws {
        _ = try await make([:], ["token": FakeCouch.secret]).check()
    }

    @Test func `a cookie that ends is renewed once for all`() async throws {
        let fake = FakeCouch()
        let submitter = try make(["user": FakeCouch.user, "login": "cookie"], ["password": FakeCouch.secret], fake)
        _ = try await submitter.check()
        let logins = fake.log.count { $0 == "POST /_session" }
        // The server has forgotten it.
        fake.state.withLock { $0.cookies += 1 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try await submitter.facets.catalogue!.tell([picture(1)]) } }
            try await group.waitForAll()
        }
        #expect(logins == 1)
        #expect(fake.log.contains("POST /_session"))
    }

    @Test func `an API key of IBM Cloud gives a token, which goes to the database and to nobody else`() async throws {
        let fake = FakeCouch()
        let asked = Locked<[(url: String, body: String)]>([])
        let transport = RoutingTransport { request throws(HTTPFailure) in
            guard request.url.hasPrefix("http://localhost:1/") else { return try await fake.send(request) }
            let body = (try? request.body.contents()).map { String(decoding: $0, as: UTF8.self) } ?? ""
            asked.withLock { $0.append((request.url, body)) }
            if body.contains("apikey=wrong") {
                return .json(
                    400, ["errorCode": "BXNIM0415E", "errorMessage": "Provided API key could not be found."])
            }
            return .json(
                200, ["access_token": FakeCouch.secret, "refresh_token": "not_supported", "expires_in": 3600])
        }
        let values = ["iam_url": "http://localhost:1/identity/token"]
        _ = try await make(values, ["api_key": "right-api-key"], transport).check()
        let first = try #require(asked.withLock { $0.first })
        #expect(first.body.contains("grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey"))
        #expect(first.body.contains("apikey=right-api-key"))
        #expect(asked.withLock { $0.count } == 1)
        await #expect { try await make(values, ["api_key": "wrong-api-key"], transport).check() } throws: {
            let failure = $0 as! SubmitFailure
            return failure.remedy == .renewCredentials && !failure.message.contains("wrong-api-key")
        }
    }

    @Test func `all settings have a place, and the type says what one of them can do`() throws {
        let type = CouchDBSubmitter.submitterType(transport: FakeCouch())
        #expect(type.name == "couchdb")
        #expect(type.capabilities.canReadBack && type.capabilities.supportsAlbums && !type.capabilities.canResume)
        let attaching = try make(["attach": "original", "attach_limit": "10MiB"]).capabilities
        #expect(attaching.maximumSize[.photo] == 10 << 20 && attaching.digests == [.md5] && attaching.keepsBytes)
        #expect(try make([:]).facets.catalogue != nil)
    }
}

/// Sends by what a test says.
final class RoutingTransport: HTTPTransport {
    private let route: @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse

    init(_ route: @escaping @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPResponse) { self.route = route }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { try await route(request) }
}
