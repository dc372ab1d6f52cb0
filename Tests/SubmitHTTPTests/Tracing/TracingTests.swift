import InMemoryLogging
import Logging
import Submit
import SubmitCurl
import TestServers
import Testing

@testable import SubmitHTTP

/// What is told of requests and answers.
@Suite struct `The trace of the wire` {
    private let records = InMemoryLogHandler()
    private let secrets = ["hunter2secret", "abcdefSIGNATURE", "sidOfASession", "tokenInAnAnswer", "tokenInAForm"]

    private func traced(_ level: Logger.Level, _ requests: [HTTPRequest]) async throws {
        var logger = Logger(label: "test") { _ in records }
        logger.logLevel = level
        let transport = TracingTransport(try CurlTransport(CurlConfiguration(userAgent: "test/1")))
        await withLogger(logger) { _ in
            for request in requests { _ = try? await transport.send(request) }
        }
    }

    private var text: String { records.entries.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n") }

    @Test func `shows method, address, status, times and bytes, and hides what opens doors`() async throws {
        let server = ScriptedServer.answering { _ in
            ScriptedServer.answer(
                201, ["Set-Cookie: sid=sidOfASession", "Content-Type: application/json", "ETag: \"e1\""],
                #"{"access_token": "tokenInAnAnswer", "name": "IMG_1.jpg"}"#)
        }
        let address = server.endpoint.replacing("http://", with: "http://me:hunter2secret@")
        try await traced(
            .trace,
            [
                HTTPRequest(
                    method: "PUT", url: "\(server.endpoint)/a.jpg?partNumber=3&X-Amz-Signature=abcdefSIGNATURE",
                    headers: [
                        ("Authorization", "Basic hunter2secret"), ("X-Amz-Security-Token", "hunter2secret"),
                        ("Content-Type", "text/plain"),
                    ],
                    body: .bytes(Array("hello".utf8))),
                HTTPRequest(
                    method: "POST", url: "\(server.endpoint)/token",
                    headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: .bytes(Array("grant_type=refresh_token&refresh_token=tokenInAForm".utf8))),
                HTTPRequest(method: "GET", url: address),
            ])
        for shown in [
            "→ PUT \(server.endpoint)/a.jpg?partNumber=3&X-Amz-Signature=…", "Authorization: …",
            "X-Amz-Security-Token: …",
            "← 201 on PUT", "Set-Cookie: …", "hello", "IMG_1.jpg", "grant_type=refresh_token&refresh_token=…",
            "total_ms",
        ] {
            #expect(text.contains(shown), "\(shown) in \(text)")
        }
        for secret in secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
    }

    @Test func `hides what is signed in the URLs of any header`() async throws {
        let server = ScriptedServer.answering { _ in
            ScriptedServer.answer(200, ["X-Goog-Upload-URL: https://up.example/a?upload_id=abcdefSIGNATURE&limit=3"])
        }
        try await traced(.trace, [HTTPRequest(method: "GET", url: server.endpoint)])
        #expect(text.contains("X-Goog-Upload-URL: https://up.example/a?upload_id=…&limit=3"), "\(text)")
        #expect(!text.contains("abcdefSIGNATURE"))
    }

    @Test(arguments: ["text/plain", "application/json", "application/x-www-form-urlencoded"])
    func `cuts bodies after their secrets are hidden`(type: String) {
        let secret = "kL3mN5pQ7rS9tU1vW3xY5zA7bC9dE1fG"
        KnownSecrets.add(secret)
        let escaped = secret.utf8.map { "\\u00" + String($0, radix: 16) }.joined()
        let beginning = type.hasPrefix("application/x") ? "prefix=" : ""
        for written in [secret, escaped] {
            for shift in 0..<32 {
                let dots = String(repeating: ".", count: shift)
                let text = beginning + dots + String(repeating: written, count: 2000)
                let shown = TraceRedaction.body(Array(text.utf8), [("Content-Type", type)])
                let rest = shown.dropFirst("\(text.utf8.count) bytes: ".count)
                #expect(rest.allSatisfy { "prefix=.…".contains($0) }, "\(rest.suffix(60))")
            }
        }
    }

    @Test func `cuts bodies, and shows none that is no text`() async throws {
        let server = ScriptedServer.answering { _ in
            ScriptedServer.answer(200, ["Content-Type: text/xml"], String(repeating: "é", count: 5000))
        }
        try await traced(
            .trace,
            [
                HTTPRequest(
                    method: "PUT", url: "\(server.endpoint)/a", headers: [("Content-Type", "image/jpeg")],
                    body: .bytes([UInt8](repeating: 0xff, count: 70_000)))
            ])
        #expect(text.contains("70000 bytes of image/jpeg") && text.contains("10000 bytes: é"), "\(text)")
        #expect(text.utf8.count < 6000)
    }

    @Test func `tells libcurl's code where there is no answer`() async throws {
        let server = ScriptedServer { connection in _ = connection.request() }
        try await traced(.trace, [HTTPRequest(method: "POST", url: "\(server.endpoint)/a", body: .bytes([1]))])
        #expect(records.entries.contains { $0.message == "· failed" && $0.metadata["libcurl"] == "52" }, "\(text)")
        #expect(text.contains("← nothing on POST"))
    }

    @Test func `is there for the level trace alone`() async throws {
        let server = ScriptedServer.answering { _ in ScriptedServer.answer(200) }
        try await traced(.debug, [HTTPRequest(method: "GET", url: "\(server.endpoint)/a")])
        #expect(records.entries.isEmpty)
    }
}
