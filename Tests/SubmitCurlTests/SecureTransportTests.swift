import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

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
}
