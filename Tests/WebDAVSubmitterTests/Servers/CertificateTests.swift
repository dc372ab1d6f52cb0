import Foundation
import Submit
import SubmitCurl
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

@Suite struct `A WebDAV server that asks for a certificate` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))

    private func submitter(
        _ server: ApacheServer, _ values: [String: String], secrets: [String: String] = [:]
    ) throws -> WebDAVSubmitter {
        let endpoint = try #require(server.certifiedEndpoint)
        let authority = try #require(server.certificateAuthority)
        return try WebDAVSubmitter(
            DestinationSettings(
                destination: "dav", values: ["url": endpoint, "ca_file": authority].merging(values) { $1 },
                secrets: secrets),
            transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests")))
    }

    @Test func `takes ours, also with an encrypted key, and nobody without one`() async throws {
        let server = try await ApacheServer(asksForCertificate: true)
        let client = try #require(server.clientCertificate)
        let receipt = try await submitter(
            server, ["client_certificate": client.certificate, "client_key": client.key]
        ).submit(bytes)
        #expect(receipt.remoteID == "a.jpg")
        let again = try await submitter(
            server, ["client_certificate": client.certificate, "client_key": client.encryptedKey],
            secrets: ["client_key_password": client.keyPassword]
        ).submit(bytes)
        #expect(again.wasThere)
        let nobody = try submitter(server, [:])
        let found = try await failure { () async throws(SubmitFailure) in try await nobody.submit(bytes) }
        #expect(
            found.remedy == .hold(.misconfigured, after: nil) || found.remedy == .tryAnother(after: nil))
        let wrong = try submitter(
            server, ["client_certificate": client.certificate, "client_key": client.encryptedKey],
            secrets: ["client_key_password": "another-secret"])
        let refused = try await failure { () async throws(SubmitFailure) in try await wrong.submit(bytes) }
        #expect(refused.remedy == .hold(.misconfigured, after: nil), "\(refused)")
        #expect(!refused.message.contains("another-secret"))
        await server.remove()
    }
}

@Suite struct `A client's key` {
    @Test(arguments: ["client_key", "client_certificate"])
    func `that others can read is not shown to a WebDAV server`(setting: String) throws {
        let path = "/tmp/submit-client-key-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data("key".utf8).write(to: URL(filePath: path))
        let values = ["url": "https://dav.example", "client_certificate": path].merging([setting: path]) { $1 }
        func make() throws {
            _ = try WebDAVSubmitter(
                DestinationSettings(destination: "dav", values: values),
                transport: try CurlTransport(CurlConfiguration(userAgent: "submit-tests")))
        }
        chmod(path, 0o600)
        try make()
        chmod(path, 0o640)
        let failure = #expect(throws: SubmitFailure.self) { try make() }
        let message = failure?.message ?? ""
        #expect(
            message.contains("“\(setting)”") && message.contains("others can read it; `chmod 600` it"), "\(message)")
    }
}
