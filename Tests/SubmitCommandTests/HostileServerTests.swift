import Foundation
import SubmitConcurrency
import TestServers
import Testing

/// Servers that answer nonsense: each time a sentence, the right exit code, nothing lost and no secret shown.
@Suite(.fewAtOnce) struct `A hostile server that` {
    /// Sends one photo to a server, resumes it at an honest one, and looks for the secret everywhere.
    @discardableResult
    private func meets(
        _ server: ScriptedServer, status: CInt, _ words: [String], location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let submit = Submit(endpoint: server.endpoint)
        let path = try Photos.make(1, in: submit.folder, sizes: 100_000...100_000)[0]
        let outcome = try await submit.run(["--wait", "0", "--to", "file,objstore", path], within: 40)
        #expect(outcome.end == .exited(status), "\(outcome)", sourceLocation: location)
        // The other destination does not care.
        #expect(outcome.out.contains("file: 1 done"), "\(outcome)", sourceLocation: location)
        let sentence = try #require(outcome.troubles.first, "\(outcome)", sourceLocation: location)
        #expect(sentence.contains("objstore"), "\(outcome)", sourceLocation: location)
        for word in words { #expect(sentence.contains(word), "\(outcome)", sourceLocation: location) }
        #expect(sentence.utf8.count < 1200 && !sentence.contains("\u{1b}"), "\(outcome)", sourceLocation: location)
        for text in [outcome.out, outcome.err] {
            #expect(
                !text.contains(Submit.secret) && !text.contains("Signature="), "\(outcome)", sourceLocation: location)
        }
        #expect(submit.journalBytes().range(of: Data(Submit.secret.utf8)) == nil, sourceLocation: location)

        let honest = GatedStore(isOpen: true)
        let again = try await submit.run(
            [status == 1 ? "retry" : "resume"], env: ["AWS_ENDPOINT_URL": honest.endpoint])
        #expect(again.end == .exited(0), "\(again)", sourceLocation: location)
        #expect(honest.objects.count == 1, sourceLocation: location)
        return outcome
    }

    private static let file = "“IMG_1000.jpg”"

    @Test func `answers garbage is tried again later`() async throws {
        let server = ScriptedServer { connection in
            _ = connection.request()
            connection.write("\u{1}\u{2}\u{1b}[31mSSH-2.0-nonsense\r\n\r\n")
        }
        try await meets(server, status: 3, [Self.file, "did not answer as a web server does"])
    }

    @Test func `closes the connection without a word is tried again later`() async throws {
        try await meets(ScriptedServer { _ = $0.request() }, status: 3, [Self.file, "broke"])
    }

    @Test func `answers every request with a page is no object storage`() async throws {
        let page = ScriptedServer.answer(
            200, ["Content-Type: text/html"], "<html><body>Welcome to the hotel</body></html>")
        try await meets(.answering { _ in page }, status: 3, ["no object storage", "check “endpoint”"])
    }

    @Test func `says yes to a PUT with a page is no object storage`() async throws {
        let server = ScriptedServer.answering { request in
            request.method == "PUT"
                ? ScriptedServer.answer(200, ["Content-Type: text/html"], "<html>yes</html>")
                : ScriptedServer.answer(404)
        }
        try await meets(server, status: 3, [Self.file, "no object storage"])
    }

    @Test func `says yes to a PUT and has nothing is not believed`() async throws {
        let server = ScriptedServer.answering { ScriptedServer.answer($0.method == "PUT" ? 200 : 404) }
        try await meets(server, status: 3, [Self.file, "said yes", "has nothing there"])
    }

    @Test func `says yes with another's ETag and other bytes is not believed`() async throws {
        let server = ScriptedServer.answering { request in
            switch request.method {
            case "PUT": ScriptedServer.answer(200, ["ETag: \"00000000000000000000000000000000\""])
            default: ScriptedServer.answer(404)
            }
        }
        try await meets(server, status: 3, [Self.file, "said yes"])
    }

    @Test func `sends headers without end is cut off`() async throws {
        let server = ScriptedServer { connection in
            _ = connection.request()
            connection.write("HTTP/1.1 200 OK\r\n")
            for number in 0..<2_000_000
            where !connection.write("X-Header-\(number): \(String(repeating: "a", count: 500))\r\n") {
                return
            }
        }
        try await meets(server, status: 3, [Self.file])
    }

    @Test func `sends one header without end is cut off`() async throws {
        let server = ScriptedServer { connection in
            _ = connection.request()
            connection.write("HTTP/1.1 200 OK\r\nX-Header: ")
            while connection.write(String(repeating: "a", count: 100_000)) {}
        }
        try await meets(server, status: 3, [Self.file])
    }

    @Test func `sends a body without end is cut off`() async throws {
        let server = ScriptedServer { connection in
            guard let request = connection.request() else { return }
            if request.method == "HEAD" { connection.write("HTTP/1.1 400 X\r\nContent-Length: 0\r\n\r\n") }
            while request.method == "HEAD", connection.request() != nil {
                connection.write("HTTP/1.1 400 X\r\nTransfer-Encoding: chunked\r\n\r\n")
                while connection.write("10000\r\n\(String(repeating: "a", count: 65536))\r\n") {}
            }
        }
        try await meets(server, status: 3, [Self.file, "did not answer as a web server does"])
    }

    @Test func `sends us to another host gets no photo and no key there`() async throws {
        let reached = Captured()
        let elsewhere = ScriptedServer.answering { request in
            reached.add(request)
            return ScriptedServer.answer(200)
        }
        for status in [301, 302, 303, 307, 308] {
            let location = "Location: http://localhost:\(elsewhere.port)/bucket/IMG_1000.jpg"
            try await meets(.answering { _ in ScriptedServer.answer(status, [location]) }, status: 3, [])
        }
        #expect(reached.all.allSatisfy { $0.method == "GET" || $0.method == "HEAD" })
        for request in reached.all {
            #expect(request["Authorization"] == nil && request["x-amz-security-token"] == nil && request.body.isEmpty)
            #expect(!request.head.contains("AKIDTHISISTHEID"))
        }
    }

    @Test func `refuses with a bomb of entities is read without expanding it`() async throws {
        var entities = "<!ENTITY a0 \"lol lol lol lol lol lol lol lol lol lol\">"
        for number in 1...12 {
            entities += "<!ENTITY a\(number) \"\(String(repeating: "&a\(number - 1);", count: 10))\">"
        }
        let bomb =
            "<?xml version=\"1.0\"?><!DOCTYPE Error [\(entities)<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
            + "<Error><Code>&a12;</Code><Message>&x;</Message></Error>"
        let server = ScriptedServer.answering { request in
            request.method == "HEAD"
                ? ScriptedServer.answer(404) : ScriptedServer.answer(400, ["Content-Type: application/xml"], bomb)
        }
        let outcome = try await meets(server, status: 1, [Self.file, "400"])
        #expect(!outcome.err.contains("lol lol") && !outcome.err.contains("root:"))
    }

    @Test func `repeats our credentials in its refusal does not get them printed`() async throws {
        let body =
            "<Error><Code>Strange</Code><Message>key \(Submit.secret) of AKIDTHISISTHEID \u{1b}[31m</Message></Error>"
        let server = ScriptedServer.answering { request in
            request.method == "HEAD" ? ScriptedServer.answer(404) : ScriptedServer.answer(400, [], body)
        }
        try await meets(server, status: 1, [Self.file])
    }

    @Test func `says that it is busy is not asked again before its time`() async throws {
        let asked = Captured()
        let server = ScriptedServer.answering { request in
            asked.add(request)
            return ScriptedServer.answer(429, ["Retry-After: 3600"])
        }
        let start = ContinuousClock.now
        try await meets(server, status: 3, [Self.file, "slow down"])
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(asked.all.count < 4)
    }

    @Test func `takes our time does not show the secret among the processes`() async throws {
        let store = GatedStore()
        let submit = Submit(endpoint: store.endpoint)
        let path = try Photos.make(1, in: submit.folder)[0]
        try submit.configure("")
        try submit.folder.write(
            "objstore:\n  access_key_id: KEY\n  secret_access_key: \(Submit.secret)\n", to: "config/submit/secrets.yaml"
        )
        chmod(submit.secrets, 0o600)
        let running = try submit.start(
            ["--to", "objstore", path], env: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""])
        #expect(await store.waiting(1))
        // As everyone sees them; and the environment, which is the owner's alone, holds none from the file either.
        let processes = try await ChildProcess.output(of: ["ps", "-e", "-ww", "-o", "args="])
        #expect(processes.contains(path) && !processes.contains(Submit.secret))
        let environment = FileManager.default.contents(atPath: "/proc/\(running.child.pid)/environ") ?? Data()
        #expect(environment.range(of: Data(Submit.secret.utf8)) == nil && !environment.isEmpty)
        store.open()
        let outcome = try await running.outcome()
        #expect(outcome.end == .exited(0), "\(outcome)")
        #expect(submit.journalBytes().range(of: Data(Submit.secret.utf8)) == nil)
    }
}

/// What a server got to see.
final class Captured: @unchecked Sendable {
    private let lock = NSLock()
    private var requests: [ReceivedRequest] = []

    func add(_ request: ReceivedRequest) { lock.withLock { requests.append(request) } }

    var all: [ReceivedRequest] { lock.withLock { requests } }
}
