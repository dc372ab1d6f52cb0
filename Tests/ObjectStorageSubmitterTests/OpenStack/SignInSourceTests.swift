import Foundation
import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A sign-in to OpenStack` {
    private let folder = TemporaryFolder()

    private func signIn(
        _ values: [String: String] = [:], secrets: [String: String] = [:], in environment: [String: String] = [:]
    ) throws -> SignIn {
        // Whoever runs the tests has a home too.
        let environment = ["HOME": folder.path("home")].merging(environment) { $1 }
        let source = try SignInSource(
            DestinationSettings(destination: "cloud", values: values, secrets: secrets), environment: environment)
        return try source.signIn()
    }

    /// The sentence of why there is none.
    private func complaint(
        _ values: [String: String] = [:], secrets: [String: String] = [:], in environment: [String: String] = [:]
    ) -> String {
        do {
            _ = try signIn(values, secrets: secrets, in: environment)
            return "there is no complaint"
        } catch let failure as OpenStackFailure {
            #expect(failure.remedy == .hold(.misconfigured, after: nil))
            return failure.submitFailure(destination: "cloud").message
        } catch {
            return "\(error)"
        }
    }

    private static let url = "https://id.example/v3"
    private let variables = [
        "OS_AUTH_URL": url, "OS_USERNAME": "u", "OS_PASSWORD": "p", "OS_PROJECT_NAME": "n", "OS_REGION_NAME": "R",
    ]

    @Test func `is read from settings`() throws {
        let found = try signIn(
            [
                "auth_url": Self.url, "username": "u", "user_domain_name": "D", "project_id": "I", "region_name": "R",
                "interface": "internal",
            ], secrets: ["password": "p"])
        #expect(found.identity == .password(.name("u", .name("D")), password: "p", project: .id("I")))
        #expect(found.authURL?.url("") == Self.url && found.region == "R" && found.interface == .internal)
        let credential = try signIn(
            ["auth_url": Self.url, "application_credential_id": "A"], secrets: ["application_credential_secret": "s"])
        #expect(credential.identity == .applicationCredential(.id("A"), secret: "s"))
        let named = try signIn(
            ["auth_url": Self.url, "application_credential_name": "a", "user_id": "U"],
            secrets: ["application_credential_secret": "s"])
        #expect(named.identity == .applicationCredential(.name("a", of: .id("U")), secret: "s"))
        let token = try signIn(["auth_url": Self.url, "project_id": "I"], secrets: ["auth_token": "t"])
        #expect(token.identity == .token("t", project: .id("I")))
        let issued = try signIn(["storage_url": "https://store.example/v1/A"], secrets: ["auth_token": "t"])
        #expect(issued.identity == .issued(token: "t") && issued.storageURL?.host == "store.example")
    }

    @Test(arguments: ["https://h/auth/v1.0", "https://h/auth/v1", "https://h/auth/1.0"])
    func `is one of v1 where its URL says so`(url: String) throws {
        let found = try signIn(["auth_url": url, "username": "a:u"], secrets: ["password": "k"])
        #expect(found.identity == .v1(user: "a:u", key: "k") && found.authURL?.url("") == url)
    }

    @Test func `is one of v1 where that is asked for`() throws {
        let values = ["auth_url": "https://h/login", "auth_type": "v1password", "username": "a:u"]
        #expect(try signIn(values, secrets: ["password": "k"]).identity == .v1(user: "a:u", key: "k"))
    }

    @Test func `is read from variables, in older spellings too`() throws {
        let found = try signIn(in: variables)
        #expect(found.identity == .password(.name("u", .standard), password: "p", project: .name("n", .standard)))
        #expect(found.region == "R" && found.interface == .public)
        let older = try signIn(in: [
            "OS_AUTH_URL": Self.url, "OS_USER_ID": "U", "OS_PASSWORD": "p", "OS_TENANT_ID": "T",
            "OS_ENDPOINT_TYPE": "internalURL", "OS_STORAGE_URL": "https://store.example/v1/A",
        ])
        #expect(older.identity == .password(.id("U"), password: "p", project: .id("T")))
        #expect(older.interface == .internal && older.storageURL?.url("") == "https://store.example/v1/A")
        let inDomains = variables.merging(["OS_USER_DOMAIN_ID": "d", "OS_PROJECT_DOMAIN_NAME": "D"]) { $1 }
        let domains = try signIn(in: inDomains)
        #expect(domains.identity == .password(.name("u", .id("d")), password: "p", project: .name("n", .name("D"))))
        let credential = try signIn(in: [
            "OS_AUTH_URL": Self.url, "OS_APPLICATION_CREDENTIAL_ID": "A", "OS_APPLICATION_CREDENTIAL_SECRET": "s",
            "OS_AUTH_TYPE": "v3applicationcredential",
        ])
        #expect(credential.identity == .applicationCredential(.id("A"), secret: "s"))
        let issued = try signIn(in: ["OS_STORAGE_URL": "https://s/v1/A", "OS_AUTH_TOKEN": "t"])
        #expect(issued.identity == .issued(token: "t"))
    }

    @Test func `takes the present name of two for one thing`() {
        let names = ["project_name", "tenant_name"]
        for names in [names, names.reversed()] {
            var values = SignInValues(place: .settings)
            for name in names { values.set(name, as: name) }
            #expect(values["project_name"] == "project_name")
        }
    }

    @Test func `is read from swiftclient's variables where they are complete`() throws {
        let v1 = ["ST_AUTH": "https://h/auth", "ST_USER": "a:u", "ST_KEY": "k"]
        #expect(try signIn(in: v1).identity == .v1(user: "a:u", key: "k"))
        #expect(try signIn(in: variables.merging(v1) { $1 }).identity == .v1(user: "a:u", key: "k"))
        let half = variables.merging(["ST_AUTH": "https://h/auth"]) { $1 }
        #expect(try signIn(in: half).authURL?.url("") == Self.url)
        #expect(complaint(in: ["ST_AUTH": "https://h/auth", "ST_USER": "a:u"]).contains("ST_KEY is missing"))
    }

    @Test func `in the settings takes nothing from the environment`() throws {
        // Another cloud's password would go to a stranger.
        let other = ["auth_url": "https://other.example", "username": "v"]
        #expect(complaint(other, in: variables).contains("“password” is missing"))
        let own = try signIn(
            other, secrets: ["password": "q"], in: variables.merging(["OS_CLOUD": "none"]) { $1 })
        #expect(own.identity == .password(.name("v", .standard), password: "q", project: nil) && own.region == nil)
    }

    @Test func `in the environment is completed by settings that say no other`() throws {
        let found = try signIn(
            ["region_name": "S", "project_id": "I"], secrets: ["password": "q"], in: variables)
        #expect(found.identity == .password(.name("u", .standard), password: "q", project: .id("I")))
        #expect(found.region == "S" && found.authURL?.url("") == Self.url)
        // A name that is set here stands before an id from there.
        let byID = ["OS_AUTH_URL": Self.url, "OS_USER_ID": "U", "OS_PASSWORD": "p", "OS_PROJECT_ID": "I"]
        let named = try signIn(["project_name": "n"], in: byID)
        #expect(named.identity == .password(.id("U"), password: "p", project: .name("n", .standard)))
    }

    @Test(arguments: [
        (["username": "u"], "“auth_url” is missing"), (["auth_url": "https://h"], "“username” is missing"),
        (["auth_url": "ftp://h", "username": "u"], "“auth_url” must begin with"),
        (["auth_url": "http://h", "username": "u"], "“auth_url” uses http"),
        (["auth_url": "https://h/v2.0", "username": "u"], "“auth_url” names version 2"),
        (["auth_url": "https://h", "username": "u", "interface": "outer"], "“interface” must be"),
        (["auth_url": "https://h", "username": "u", "auth_type": "v3oidcpassword"], "“auth_type” is not known"),
        (["auth_url": "https://h", "application_credential_id": "A"], "“application_credential_secret” is missing"),
        (["auth_url": "https://h/auth/v1.0", "username": "a\nb"], "“username” has line breaks"),
        (["auth_url": "https://h", "username": "u", "storage_url": "http://s"], "“storage_url” uses http"),
        (["auth_url": "https://x:s3cr3t@h", "username": "u"], "“auth_url” must be a URL without"),
    ])
    func `that cannot be is refused with the setting's name`(values: [String: String], words: String) {
        let sentence = complaint(values, secrets: ["password": "p"])
        #expect(sentence.contains(words), "\(sentence)")
        #expect(!sentence.contains("s3cr3t"))
    }

    @Test(arguments: ["http://127.0.0.1:5000", "http://localhost/identity", "http://[::1]:80"])
    func `over http is for this computer, or where it is allowed`(url: String) throws {
        let secrets = ["password": "p"]
        #expect(try signIn(["auth_url": url, "username": "u"], secrets: secrets).authURL?.isSecure == false)
        let allowed = ["auth_url": "http://id.example", "username": "u", "insecure": "yes"]
        #expect(try signIn(allowed, secrets: secrets).allowsPlain)
    }

    @Test func `that cannot be is refused with the variable's name`() {
        #expect(complaint(in: ["OS_AUTH_URL": Self.url]).contains("OS_USERNAME is missing"))
        let noURL = ["OS_AUTH_URL": "h", "OS_USERNAME": "u", "OS_PASSWORD": "p"]
        #expect(complaint(in: noURL).contains("OS_AUTH_URL must"))
        #expect(
            complaint(in: variables.merging(["OS_ENDPOINT_TYPE": "x"]) { $1 }).contains("OS_ENDPOINT_TYPE must be"))
    }

    @Test func `that nobody describes says what to set`() {
        let sentence = complaint()
        for word in ["“cloud”", "clouds.yaml", "auth_url", "OS_AUTH_URL", "OS_PASSWORD"] {
            #expect(sentence.contains(word))
        }
    }

    @Test func `states settings that can be listed`() {
        let names = OpenStackSettings.keys.map(\.name)
        #expect(Set(names).count == names.count)
        for key in OpenStackSettings.keys {
            let isSecret = ["password", "application_credential_secret", "auth_token"].contains(key.name)
            #expect((key.kind == .secret) == isSecret && key.environment.isEmpty)
        }
    }
}
