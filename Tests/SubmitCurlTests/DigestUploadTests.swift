import Foundation
import Submit
import SubmitCurl
import SubmitHTTP
import TestServers
import Testing

/// Uploads to an Apache that wants Digest, over libcurl.
@Suite
struct DigestUploadTests {
    private func authenticating(_ server: ApacheServer, password: String?) throws -> AuthenticatingTransport {
        AuthenticatingTransport(
            try transport(), credentials: .password(user: server.user ?? "", password: password ?? ""),
            origin: try Endpoint(server.endpoint), allowsBasic: false)
    }

    private func put(_ content: [UInt8], _ name: String, _ server: ApacheServer) -> HTTPRequest {
        HTTPRequest(
            method: "PUT", url: server.endpoint + name, body: .media(MemoryBytes(content), 0..<Int64(content.count)))
    }

    @Test func `many uploads at once cost one probe, and the next Apache's nonce one repetition`() async throws {
        let server = try await ApacheServer(access: .digest)
        let transport = try authenticating(server, password: server.password)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for number in 0..<100 {
                let request = put(MemoryBytes.varied(20_000 + number), "a%20%C3%A9-\(number)", server)
                group.addTask { try await transport.send(request) }
            }
            for try await response in group { #expect(response.status == 201) }
        }
        try await server.stop()
        let first = try server.accessLog()
        #expect(first.filter { $0.status == 401 }.map(\.method) == ["OPTIONS"])
        #expect(first.filter { $0.method == "PUT" }.count == 100 && first.filter { $0.method == "OPTIONS" }.count == 2)

        // It has a secret of its own for its nonces, and breaks off a body that is not authorized.
        try await server.restart()
        let content = MemoryBytes.varied(8 << 20)
        #expect(try await transport.send(put(content, "whole", server)).status == 201)
        #expect(try Data(contentsOf: URL(fileURLWithPath: server.data + "/whole")) == Data(content))
        try await server.stop()
        #expect(try server.accessLog().suffix(2).map(\.status) == [401, 201])
    }

    @Test func `a wrong password costs no body`() async throws {
        let server = try await ApacheServer(access: .digest)
        let transport = try authenticating(server, password: "an0ther")
        #expect(try await transport.send(put(MemoryBytes.varied(1 << 20), "never", server)).status == 401)
        try await server.stop()
        #expect(try server.accessLog().map(\.method) == ["OPTIONS", "OPTIONS"])
    }

    @Test func `Apache's Basic is not answered without TLS`() async throws {
        let server = try await ApacheServer(access: .basic)
        let transport = try authenticating(server, password: server.password)
        await #expect(throws: HTTPFailure.refusedAuthentication(.basicNotAllowed)) {
            try await transport.send(put([1], "never", server))
        }
    }
}
