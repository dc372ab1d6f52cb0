import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

/// A transport over a long line, that counts how many requests there are of which each began after another was answered.
private final class LongLine: HTTPTransport {
    private let transport: any HTTPTransport
    private let deepest = Locked(0)
    private let all = Locked(0)

    init(_ transport: any HTTPTransport) { self.transport = transport }

    var inSequence: Int { deepest.withLock { $0 } }
    var count: Int { all.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let depth = deepest.withLock { $0 } + 1
        all.withLock { $0 += 1 }
        defer { deepest.withLock { $0 = max($0, depth) } }
        // So long that whoever asks beside it has begun.
        try? await Task.sleep(for: .milliseconds(50))
        return try await transport.send(request)
    }
}

@Suite struct `The first contact with a WebDAV server` {
    @Test func `leaves nothing at a server that stores beside a file what is uploaded over it`() async throws {
        let server = FakeDAV([.renamesUploads])
        _ = try await server.submitter().check()
        #expect(server.names == [])
    }

    @Test(arguments: [false, true])
    func `names the rights that are missing, and leaves no more each time`(mayMove: Bool) async throws {
        let server = FakeDAV { request, _ in
            let isDenied = request.method == "DELETE" || request.method == "MOVE" && !mayMove
            return isDenied ? .success(HTTPResponse(status: 403)) : nil
        }
        let notes = TransientNotes()
        for _ in 1...2 {
            let submitter = try server.submitter(notes: notes)
            let thrown = await #expect(throws: SubmitFailure.self) { _ = try await submitter.check() }
            let found = try #require(thrown)
            #expect(found.remedy == .hold(.misconfigured, after: nil) && found.code == "no-right-to-delete")
            #expect(
                found.message.contains(mayMove ? "the right to delete" : "the right to move and delete"), "\(found)")
        }
        #expect(server.names.count == 1, "\(server.names)")
    }

    @Test func `asks side by side what needs no other answer, and takes a fraction of the time from then on`()
        async throws
    {
        let (server, notes) = (FakeDAV(), TransientNotes())
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))
        let first = LongLine(server)
        _ = try await server.submitter(transport: first, notes: notes).submit(bytes)
        #expect(first.inSequence <= 60, "\(first.inSequence) of \(first.count): only odd names go one by one")
        #expect(server.names == ["a.jpg"])
        let second = LongLine(server)
        _ = try await server.submitter(transport: second, notes: notes).submit(bytes, attempt: 2)
        #expect(second.inSequence <= 6, "of \(second.count)")
    }
}
