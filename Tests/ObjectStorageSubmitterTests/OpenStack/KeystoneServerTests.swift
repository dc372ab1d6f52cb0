import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Keystone` {
    private let folder = TemporaryFolder()

    /// All ways to sign in as the same user.
    enum Way: String, CaseIterable, Sendable {
        case ids, names, applicationCredential, namedApplicationCredential, environment, cloudsFile
    }

    private func keeper(_ way: Way, _ server: KeystoneServer, _ wire: Wire) throws -> StorageTokenClient {
        let region = ["region_name": server.region]
        let user = ["auth_url": server.authURL, "user_id": server.userID, "project_id": server.projectID]
        let applicationSecret = ["application_credential_secret": server.applicationCredentialSecret]
        switch way {
        case .ids: return try wire.keeper(region.merging(user) { $1 }, secrets: ["password": server.password])
        case .names:
            return try wire.keeper(
                [
                    "auth_url": server.authURL.replacing("/v3", with: "/"), "username": server.user,
                    "user_domain_name": server.domain, "project_name": server.project,
                    "project_domain_name": server.domain, "region_name": server.region,
                ], secrets: ["password": server.password])
        case .applicationCredential:
            return try wire.keeper(
                [
                    "auth_url": server.authURL, "application_credential_id": server.applicationCredentialID,
                    "region_name": server.region,
                ], secrets: applicationSecret)
        case .namedApplicationCredential:
            return try wire.keeper(
                [
                    "auth_url": server.authURL, "application_credential_name": server.applicationCredential,
                    "username": server.user, "user_domain_id": server.domainID, "region_name": server.region,
                ], secrets: applicationSecret)
        case .environment:
            return try wire.keeper(
                region,
                environment: [
                    "OS_AUTH_URL": server.authURL, "OS_USERNAME": server.user, "OS_PASSWORD": server.password,
                    "OS_USER_DOMAIN_NAME": server.domain, "OS_PROJECT_NAME": server.project,
                    "OS_PROJECT_DOMAIN_ID": server.domainID,
                ])
        case .cloudsFile:
            let auth = "auth_url: '\(server.authURL)', user_id: \(server.userID), project_id: \(server.projectID)"
            try folder.write("clouds: {here: {auth: {\(auth)}}}", to: "clouds.yaml")
            try folder.write("clouds: {here: {auth: {password: \(server.password)}}}", to: "secure.yaml")
            return try wire.keeper(
                region, environment: ["OS_CLIENT_CONFIG_FILE": folder.path("clouds.yaml"), "OS_CLOUD": "here"])
        }
    }

    /// Signs in by ids, with some things otherwise.
    private func storage(
        _ values: [String: String] = [:], password: String? = nil
    ) async throws -> String {
        let server = try await KeystoneServer.shared()
        let all = [
            "auth_url": server.authURL, "user_id": server.userID, "project_id": server.projectID,
            "region_name": server.region,
        ].merging(values) { $1 }
        let keeper = try Wire().keeper(all, secrets: ["password": password ?? server.password])
        return try await keeper.storage().url("")
    }

    @Test(arguments: Way.allCases)
    func `gives a token that the object store takes`(way: Way) async throws {
        let server = try await KeystoneServer.shared()
        let wire = try Wire()
        let keeper = try keeper(way, server, wire)
        #expect([200, 204].contains(try await keeper.listAccount().status))
        #expect(try await keeper.storage().url("") == server.storageURL)
        #expect(wire.signIns == 1)
    }

    @Test func `gives a token for a token`() async throws {
        let server = try await KeystoneServer.shared()
        let wire = try Wire()
        try await keeper(.ids, server, wire).listAccount()
        let token = try #require(wire.sent.last?.headers.last?.value)
        let exchanged = try wire.keeper(
            ["auth_url": server.authURL, "project_id": server.projectID, "region_name": server.region],
            secrets: ["auth_token": token])
        #expect([200, 204].contains(try await exchanged.listAccount().status))
        let given = try wire.keeper(["storage_url": server.storageURL], secrets: ["auth_token": token])
        #expect([200, 204].contains(try await given.listAccount().status))
        #expect(wire.signIns == 2)
    }

    @Test func `knows object stores by region and interface`() async throws {
        let server = try await KeystoneServer.shared()
        #expect(try await storage(["interface": "internal"]) == server.internalStorageURL)
        #expect(try await storage(["region_name": "RegionTwo"]) == server.regionTwoStorageURL)
        for (values, words) in [
            (["region_name": ""], "in “RegionOne”, “RegionTwo”"), (["region_name": "R"], "in “RegionOne”, “RegionTwo”"),
            (["region_name": "RegionTwo", "interface": "internal"], "but “public”"),
        ] {
            let failure = await #expect(throws: SubmitFailure.self) { try await storage(values) }
            #expect(failure?.code == "no-endpoint" && failure?.message.contains(words) == true)
        }
    }

    @Test func `refuses a wrong password and a wrong project`() async throws {
        for (values, password) in [([:], "wr0ng"), (["project_id": "0123"], nil)] as [([String: String], String?)] {
            let failure = await #expect(throws: SubmitFailure.self) { try await storage(values, password: password) }
            #expect(failure?.remedy == .renewCredentials && failure?.code == "credentials")
            #expect(failure?.message.contains("401 “The request you have made requires authentication.”") == true)
        }
    }

    @Test func `is not where the URL says`() async throws {
        let server = try await KeystoneServer.shared()
        // Keystone itself knows nothing there, Swift is no Keystone, and port 1 is nobody.
        for (url, code) in [
            (server.authURL.replacing("/v3", with: "/identity"), "wrong-endpoint"), (server.endpoint, "wrong-endpoint"),
            ("http://127.0.0.1:1", "cannot-connect"),
        ] {
            let failure = await #expect(throws: SubmitFailure.self) { try await storage(["auth_url": url]) }
            #expect(failure?.code == code, "\(failure?.message ?? "")")
        }
    }

    @Test func `revokes a token, and one new one serves all`() async throws {
        let server = try await KeystoneServer.shared()
        let wire = try Wire()
        let keeper = try keeper(.applicationCredential, server, wire)
        try await keeper.listAccount()
        let token = try #require(wire.sent.last?.headers.last?.value)
        let revoked = try await wire.send(
            HTTPRequest(
                method: "DELETE", url: server.authURL + "/auth/tokens",
                headers: [("x-auth-token", token), ("x-subject-token", token)]))
        #expect(revoked.status == 204)
        let before = wire.signIns
        let good = await withTaskGroup { group in
            for _ in 1...8 { group.addTask { [200, 204].contains((try? await keeper.listAccount().status) ?? 0) } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 8 && wire.signIns == before + 1)
    }
}
