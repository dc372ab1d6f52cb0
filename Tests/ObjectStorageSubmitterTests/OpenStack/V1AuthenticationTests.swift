import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Swift's v1 authentication` {
    private func keeper(
        _ authURL: String, key: String? = nil, _ wire: Wire
    ) async throws -> StorageTokenClient {
        let server = try await SwiftServer.shared()
        return try wire.keeper(
            ["auth_url": authURL, "username": server.accessKey], secrets: ["password": key ?? server.secretKey])
    }

    @Test func `gives a token that the object store takes`() async throws {
        let server = try await SwiftServer.shared()
        let wire = try Wire()
        let keeper = try await keeper(server.authURL, wire)
        #expect([200, 204].contains(try await keeper.listAccount().status))
        #expect(try await keeper.storage().url("") == server.storageURL)
        let variables = ["ST_AUTH": server.authURL, "ST_USER": server.accessKey, "ST_KEY": server.secretKey]
        #expect([200, 204].contains(try await wire.keeper([:], environment: variables).listAccount().status))
    }

    @Test func `gives one over https where its authority is known`() async throws {
        let server = try await SwiftServer.shared()
        let keeper = try await keeper(
            server.secureEndpoint + "/auth/v1.0", Wire(authorities: server.certificateAuthority))
        #expect([200, 204].contains(try await keeper.listAccount().status))
        #expect(try await keeper.storage().url("").hasPrefix(server.secureEndpoint + "/v1/AUTH_test"))
    }

    @Test func `is not trusted with a strange authority or another's name`() async throws {
        let server = try await SwiftServer.shared()
        let known = try Wire(authorities: server.certificateAuthority)
        for (endpoint, wire) in [(server.secureEndpoint, try Wire()), (server.wrongNameEndpoint, known)] {
            let keeper = try await keeper(endpoint + "/auth/v1.0", wire)
            let failure = await #expect(throws: SubmitFailure.self) { try await keeper.listAccount() }
            #expect(failure?.code == "untrusted" && failure?.remedy == .hold(.misconfigured, after: nil))
            #expect(failure?.message.contains(server.secretKey) == false)
        }
    }

    @Test func `refuses a wrong key, and is not where the URL says`() async throws {
        let server = try await SwiftServer.shared()
        let wire = try Wire()
        let refused = await #expect(throws: SubmitFailure.self) {
            try await keeper(server.authURL, key: "wr0ng", wire).listAccount()
        }
        #expect(refused?.remedy == .renewCredentials && refused?.message.contains("“test:tester”") == true)
        let lost = await #expect(throws: SubmitFailure.self) {
            try await keeper(server.endpoint + "/nothing/v1.0", wire).listAccount()
        }
        #expect(lost?.remedy != .renewCredentials, "\(lost?.message ?? "")")
    }
}
