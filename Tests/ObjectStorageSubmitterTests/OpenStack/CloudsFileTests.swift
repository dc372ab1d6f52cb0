import Foundation
import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A clouds.yaml` {
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        ["HOME": folder.path("home"), "OS_CLIENT_CONFIG_FILE": folder.path("clouds.yaml")]
    }

    private func signIn(
        _ values: [String: String] = [:], secrets: [String: String] = [:], in environment: [String: String]? = nil
    ) throws -> SignIn {
        let settings = DestinationSettings(destination: "cloud", values: values, secrets: secrets)
        return try SignInSource(settings, environment: environment ?? self.environment).signIn()
    }

    private func complaint(
        _ values: [String: String] = [:], in environment: [String: String]? = nil
    ) throws -> String {
        let failure = try #require(#expect(throws: OpenStackFailure.self) { try signIn(values, in: environment) })
        #expect(failure.remedy == .hold(.misconfigured, after: nil))
        return failure.reason
    }

    private let two = """
        clouds:
          home:
            auth:
              auth_url: https://home.example:5000/v3
              username: u
              password: 12345
              project_name: "true"
              user_domain_name: Default
              project_domain_id: 0123
            region_name: R
            interface: internal
            identity_api_version: 3
            verify: false
          work:
            auth_type: v3applicationcredential
            auth:
              auth_url: https://work.example/identity
              application_credential_id: A
              application_credential_secret: s
        """

    @Test func `gives the cloud that is named`() throws {
        try folder.write(two, to: "clouds.yaml")
        let home = try signIn(["cloud": "home"])
        // Whatever YAML makes of 12345 and "true": here they are texts.
        #expect(
            home.identity
                == .password(.name("u", .name("Default")), password: "12345", project: .name("true", .id("0123"))))
        #expect(home.authURL?.url("") == "https://home.example:5000/v3" && home.region == "R")
        #expect(home.interface == .internal && !home.allowsPlain)
        let work = try signIn(["cloud": "work"])
        #expect(work.identity == .applicationCredential(.id("A"), secret: "s"))
        #expect(work.authURL?.url("") == "https://work.example/identity/v3")
    }

    @Test func `stands behind settings and before variables`() throws {
        try folder.write(two, to: "clouds.yaml")
        let variables = [
            "OS_AUTH_URL": "https://other.example", "OS_USERNAME": "v", "OS_PASSWORD": "q", "OS_REGION_NAME": "S",
        ]
        let named = environment.merging(variables) { $1 }
        let chosen = try signIn(["cloud": "home", "project_id": "I", "interface": "public"], in: named)
        #expect(chosen.authURL?.host == "home.example" && chosen.region == "R" && chosen.interface == .public)
        #expect(chosen.identity == .password(.name("u", .name("Default")), password: "12345", project: .id("I")))
        // With OS_CLOUD the region is chosen by a variable too, as openstackclient does it.
        let byVariable = try signIn(in: named.merging(["OS_CLOUD": "home"]) { $1 })
        #expect(byVariable.authURL?.host == "home.example" && byVariable.region == "S")
        let settingWins = try signIn(["cloud": "work"], in: named.merging(["OS_CLOUD": "home"]) { $1 })
        #expect(settingWins.authURL?.host == "work.example")
        #expect(try signIn(in: named).authURL?.host == "other.example")
    }

    @Test func `gives its only cloud where none is named`() throws {
        try folder.write("clouds: {one: {auth: {auth_url: 'https://h', user_id: U, password: p}}}", to: "clouds.yaml")
        #expect(try signIn().identity == .password(.id("U"), password: "p", project: nil))
        try folder.write(two, to: "clouds.yaml")
        #expect(try complaint().contains("has the clouds “home”, “work”; set “cloud”"))
    }

    @Test func `is completed by secure.yaml beside it`() throws {
        try folder.write(
            "clouds: {one: {auth: {auth_url: 'https://h', username: u, project_id: I, password: old}}}",
            to: "clouds.yaml")
        try folder.write("clouds: {one: {auth: {password: new}}}", to: "secure.yaml")
        #expect(
            try signIn(["cloud": "one"]).identity
                == .password(.name("u", .standard), password: "new", project: .id("I")))
        try folder.write("clouds: {one: {auth: {password: other}}}", to: "elsewhere.yaml")
        let named = environment.merging(["OS_CLIENT_SECURE_FILE": folder.path("elsewhere.yaml")]) { $1 }
        #expect(try signIn(["cloud": "one"], in: named).identity.secret == "other")
    }

    @Test func `lies where OpenStack's tools look for it`() throws {
        let environment = ["HOME": folder.path("home")]
        let text = "clouds: {one: {auth: {auth_url: 'https://h', user_id: U, password: p}}}"
        try folder.folder("home/.config/openstack")
        try folder.write(text, to: "home/.config/openstack/clouds.yaml")
        #expect(try signIn(["cloud": "one"], in: environment).identity.secret == "p")
        try folder.folder("xdg/openstack")
        try folder.write(text.replacing("password: p", with: "password: x"), to: "xdg/openstack/clouds.yml")
        let moved = environment.merging(["XDG_CONFIG_HOME": folder.path("xdg")]) { $1 }
        #expect(try signIn(["cloud": "one"], in: moved).identity.secret == "x")
    }

    @Test func `is read anew each time`() async throws {
        let text = "clouds: {one: {auth: {auth_url: 'https://identity.example', user_id: U, password: p1}}}"
        try folder.write(text, to: "clouds.yaml")
        let cloud = FakeCloud { sent in
            sent.isSignIn && !String(decoding: sent.body, as: UTF8.self).contains("p2")
                ? .success(.refusal(401, "No.")) : nil
        }
        let keeper = try StorageTokenClient(
            DestinationSettings(destination: "cloud", values: ["cloud": "one"]), environment: environment,
            transport: cloud,
            now: cloud.now)
        let failure = await #expect(throws: SubmitFailure.self) { try await keeper.list() }
        #expect(failure?.remedy == .renewCredentials)
        try folder.write(text.replacing("p1", with: "p2"), to: "clouds.yaml")
        #expect(try await keeper.list().status == 200)
    }

    @Test func `may say things in older ways, merge and have regions`() throws {
        try folder.write(
            """
            defaults: &common
              auth-type: password
              endpoint_type: adminURL
              object_store_endpoint_override: https://s.example/v1/A
            clouds:
              one:
                <<: *common
                auth: {auth_url: 'https://h', username: u, password: p, tenant_name: t, domain_name: D}
                username: outside
                regions: [{name: First, values: {}}, Second]
              none:
            """, to: "clouds.yaml")
        let found = try signIn(["cloud": "one"])
        #expect(
            found.identity
                == .password(.name("outside", .name("D")), password: "p", project: .name("t", .name("D"))))
        #expect(found.interface == .admin && found.region == "First" && found.storageURL?.host == "s.example")
    }

    @Test func `that lacks something is complained of with file, cloud and key`() throws {
        try folder.write(
            """
            clouds:
              one: {auth: {auth_url: 'https://h', username: u}}
              two: {profile: ovh, auth: {username: u, password: p}}
              three: {auth: {auth_url: 'http://far.example', username: u, password: p}}
            """, to: "clouds.yaml")
        let file = folder.path("clouds.yaml")
        #expect(try complaint(["cloud": "one"]).contains("“password” of the cloud “one” in \(file) is missing"))
        #expect(try complaint(["cloud": "two"]).contains("vendor profile “ovh”"))
        #expect(try complaint(["cloud": "three"]).contains("“auth_url” of the cloud “three” in \(file) uses http"))
        #expect(try complaint(["cloud": "four"]).contains("\(file) has no cloud “four” but “one”, “three”, “two”"))
    }

    @Test(arguments: [
        ("clouds:\n  one:\n    auth: {password: s3cr3t\n", "is no YAML"),
        ("clouds:\n  a: 1\n  a: s3cr3t\n", ":2 is no YAML"),
        ("s3cr3t", "is no list of"),
        ("clouds: {}", "has no “clouds”"), ("", "is no"), ("cloud: {one: s3cr3t}", "has no “clouds”"),
        ("clouds: {cloud: s3cr3t}", "has no cloud"),
    ])
    func `that cannot be read is complained of with its name, and not quoted`(text: String, words: String) throws {
        try folder.write(text, to: "clouds.yaml")
        let reason = try complaint(["cloud": "cloud"])
        #expect(reason.contains(folder.path("clouds.yaml")) && reason.contains(words), "\(reason)")
        #expect(!reason.contains("s3cr3t"))
    }

    @Test func `that is named and not there is complained of`() throws {
        #expect(try complaint(["cloud": "one"]).contains("OS_CLIENT_CONFIG_FILE names"))
        let nowhere = ["HOME": folder.path("nobody")]
        #expect(try complaint(["cloud": "one"], in: nowhere).contains("there is no clouds.yaml"))
    }
}
