import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitCurl

/// nginx with a certificate that a private authority signed.
@Suite
struct SecureTransportTests {
    private static let nginx = Task { try await NginxServer(isSecure: true) }

    private func put(
        _ content: [UInt8], to name: String, trusting authority: String?, at endpoint: String
    ) async throws -> HTTPResponse {
        let transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit/test", proxy: "", certificateAuthorities: authority))
        return try await transport.send(
            HTTPRequest(
                method: "PUT", url: "\(endpoint)/\(name)",
                body: .media(MemoryBytes(content), 0..<Int64(content.count))))
    }

    @Test func `an upload over TLS and HTTP 2 arrives byte for byte`() async throws {
        let server = try await Self.nginx.value
        let content = MemoryBytes.varied(3_000_001)
        let endpoint = try #require(server.secureEndpoint)
        let answer = try await put(content, to: "whole", trusting: server.certificateAuthority, at: endpoint)
        #expect(answer.status == 201)
        #expect(try Data(contentsOf: URL(fileURLWithPath: server.data + "/whole")) == Data(content))
    }

    @Test func `forty uploads at once share connections and all arrive`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let transport = try CurlTransport(
            CurlConfiguration(
                userAgent: "submit/test", proxy: "", certificateAuthorities: server.certificateAuthority))
        let contents = (0..<40).map { MemoryBytes.varied(100_000 + $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, content) in contents.enumerated() {
                group.addTask {
                    let answer = try await transport.send(
                        HTTPRequest(
                            method: "PUT", url: "\(endpoint)/many-\(index)",
                            body: .media(MemoryBytes(content), 0..<Int64(content.count))))
                    #expect(answer.status == 201)
                }
            }
            try await group.waitForAll()
        }
        for (index, content) in contents.enumerated() {
            #expect(try Data(contentsOf: URL(fileURLWithPath: server.data + "/many-\(index)")) == Data(content))
        }
    }

    @Test func `uploads whose sources hang for a while arrive whole over HTTP 2`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let transport = try CurlTransport(
            CurlConfiguration(
                userAgent: "submit/test", proxy: "", certificateAuthorities: server.certificateAuthority))
        let all = (0..<12).map { SlowBytes(1_000_001 + $0, from: Int64($0) << 16) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, bytes) in all.enumerated() {
                group.addTask {
                    let answer = try await transport.send(
                        HTTPRequest(
                            method: "PUT", url: "\(endpoint)/slow-\(index)", body: .media(bytes, 0..<bytes.size)))
                    #expect(answer.status == 201)
                }
            }
            for bytes in all { await bytes.hangs() }
            for bytes in all { bytes.goOn() }
            try await group.waitForAll()
        }
        for (index, bytes) in all.enumerated() {
            #expect(try Data(contentsOf: URL(fileURLWithPath: server.data + "/slow-\(index)")) == Data(bytes.content))
        }
    }

    @Test func `an authority that nobody trusts gets nothing`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let failure = await #expect(throws: HTTPFailure.self) {
            try await put([1, 2, 3], to: "secret", trusting: "/etc/ssl/certs/ca-certificates.crt", at: endpoint)
        }
        guard case .untrusted? = failure else {
            Issue.record("the failure is \(String(describing: failure))")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: server.data + "/secret"))
    }

    private func get(_ url: String, _ transport: CurlTransport) async throws -> Int {
        try await transport.send(HTTPRequest(method: "GET", url: url)).status
    }

    @Test func `the file of trusted certificates is read for the first connection only`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let file = FileManager.default.temporaryDirectory.path + "/submit-authorities-\(UUID().uuidString).pem"
        try FileManager.default.copyItem(atPath: try #require(server.certificateAuthority), toPath: file)
        let transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit/test", proxy: ""),
            CertificateTrust(
                CurlConfiguration(userAgent: "t"), environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": "/nowhere"]))
        #expect(try await get(endpoint + "/none", transport) == 404)
        try FileManager.default.removeItem(atPath: file)
        // Another name is another connection.
        let other = endpoint.replacing("localhost", with: "127.0.0.1")
        #expect(other != endpoint)
        #expect(try await get(other + "/none", transport) == 404)
    }

    @Test func `who is known in the directory of trusted certificates alone is trusted`() async throws {
        let server = try await Self.nginx.value
        let endpoint = try #require(server.secureEndpoint)
        let folder = FileManager.default.temporaryDirectory.path + "/submit-authorities-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.copyItem(
            atPath: try #require(server.certificateAuthority), toPath: folder + "/authority.pem")
        let rehash = try Process.run(URL(fileURLWithPath: "/usr/bin/openssl"), arguments: ["rehash", folder])
        rehash.waitUntilExit()
        let transport = try CurlTransport(
            CurlConfiguration(userAgent: "submit/test", proxy: ""),
            CertificateTrust(
                CurlConfiguration(userAgent: "t"),
                environment: ["SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt", "SSL_CERT_DIR": folder]))
        for _ in 0..<2 { #expect(try await get(endpoint + "/none", transport) == 404) }
        #expect(transport.needsDirectory.withLock { $0 }, "not tried in vain again")
        // A request that names its own trusts nobody else.
        var request = HTTPRequest(method: "GET", url: endpoint + "/none")
        request.certificateAuthority = "/etc/ssl/certs/ca-certificates.crt"
        let failure = await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
        guard case .untrusted? = failure else { return #expect(Bool(false), "\(String(describing: failure))") }
    }
}
