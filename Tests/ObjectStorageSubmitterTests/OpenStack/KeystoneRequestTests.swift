import Foundation
import Submit
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A request to Keystone` {
    private func json(_ text: String) throws -> NSObject {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject)
    }

    @Test(arguments: [
        (
            KeystoneIdentity.password(.id("U"), password: "P", project: .id("I")),
            #"{"methods":["password"],"password":{"user":{"id":"U","password":"P"}}}"#, #"{"project":{"id":"I"}}"#
        ),
        (
            KeystoneIdentity.password(.name("ü", .name("D")), password: "P\"", project: .name("p", .id("default"))),
            #"{"methods":["password"],"password":{"user":{"name":"ü","domain":{"name":"D"},"password":"P\""}}}"#,
            #"{"project":{"name":"p","domain":{"id":"default"}}}"#
        ),
        (
            KeystoneIdentity.password(.id("U"), password: "P", project: nil),
            #"{"methods":["password"],"password":{"user":{"id":"U","password":"P"}}}"#, nil
        ),
        (
            KeystoneIdentity.applicationCredential(.id("A"), secret: "S"),
            #"{"methods":["application_credential"],"application_credential":{"id":"A","secret":"S"}}"#, nil
        ),
        (
            KeystoneIdentity.applicationCredential(.name("a", of: .name("u", .id("d"))), secret: "S"),
            #"""
            {"methods":["application_credential"],"application_credential":
            {"name":"a","secret":"S","user":{"name":"u","domain":{"id":"d"}}}}
            """#, nil
        ),
        (
            KeystoneIdentity.token("T", project: .id("I")), #"{"methods":["token"],"token":{"id":"T"}}"#,
            #"{"project":{"id":"I"}}"#
        ),
    ])
    func `has the shape that the Identity API asks for`(
        identity: KeystoneIdentity, proof: String, scope: String?
    ) throws {
        let expected = "{\"auth\":{\"identity\":\(proof)\(scope.map { ",\"scope\":\($0)" } ?? "")}}"
        let body = String(decoding: KeystoneRequest(identity).body, as: UTF8.self)
        #expect(try json(body) == json(expected))
    }

    @Test func `is posted below the identity service's URL, whether that ends in v3 or not`() async throws {
        for url in ["https://identity.example", "https://identity.example/v3", "https://identity.example/v3/"] {
            let cloud = FakeCloud()
            try await cloud.keeper(["auth_url": url]).list()
            let sent = try #require(cloud.sent.first)
            #expect(sent.method == "POST" && sent.url == "https://identity.example/v3/auth/tokens")
            #expect(sent["content-type"] == "application/json")
        }
        let cloud = FakeCloud()
        try await cloud.keeper(["auth_url": "https://identity.example/identity"]).list()
        #expect(cloud.sent.first?.url == "https://identity.example/identity/v3/auth/tokens")
    }
}
