import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

@Suite struct `An item that a WebDAV server never stores` {
    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000))

    /// A server that answers so to the item, or to all files that are stored once it is known.
    private func server(_ answer: Result<HTTPResponse, HTTPFailure>, isDown: Bool = false) -> FakeDAV {
        FakeDAV { request, _ in
            guard request.method == "PUT", request.url.contains("test-1"),
                isDown || !request.url.hasSuffix("-trial")
            else { return nil }
            return answer
        }
    }

    private func twoFailures(
        at server: FakeDAV, _ bytes: ScriptedBytes, named name: String = "a.jpg"
    ) async throws -> (SubmitFailure, SubmitFailure) {
        let submitter = try server.submitter()
        let first = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, named: name)
        }
        let second = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, named: name, attempt: 2)
        }
        return (first, second)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `counts an attempt from the second time on if the server stores a small file`(_ status: Int) async throws {
        let server = server(.success(HTTPResponse(status: status)))
        let (first, second) = try await twoFailures(at: server, bytes)
        #expect(first.remedy == .tryAnother(after: nil))
        #expect(second.remedy == .retry(after: nil), "\(second)")
        #expect(second.message.contains("took a small file right after it"), "\(second)")
        #expect(server.names.allSatisfy { !$0.contains("trial") }, "\(server.names)")
    }

    @Test(arguments: [500, 503])
    func `counts no attempt while the server stores nothing at all`(_ status: Int) async throws {
        let server = server(.success(HTTPResponse(status: status)), isDown: true)
        let (first, second) = try await twoFailures(at: server, bytes)
        #expect([first.remedy, second.remedy] == [.tryAnother(after: nil), .tryAnother(after: nil)])
    }

    @Test func `counts an attempt if the connection breaks at its start and a small file is stored`() async throws {
        let server = server(.failure(.broken("", afterBody: false)))
        let (first, second) = try await twoFailures(at: server, bytes)
        #expect(first.remedy == .tryAnother(after: nil) && second.remedy == .retry(after: nil), "\(second)")
    }

    @Test func `leaves no small file behind if its removal failed at first`() async throws {
        let isBroken = Locked(true)
        let server = FakeDAV { request, _ in
            guard isBroken.withLock({ $0 }), request.url.contains("test-1") else { return nil }
            let isTrial = request.url.hasSuffix("-trial")
            let fails = isTrial ? request.method == "DELETE" : request.method == "PUT"
            return fails ? .success(HTTPResponse(status: 500)) : nil
        }
        let submitter = try server.submitter()
        for attempt in 1...2 {
            _ = try await failure { () async throws(SubmitFailure) in
                try await submitter.submit(bytes, attempt: attempt)
            }
        }
        #expect(server.names.contains { $0.hasSuffix("-trial") })
        isBroken.withLock { $0 = false }
        _ = try await submitter.submit(bytes, attempt: 3)
        #expect(server.names == ["a.jpg"])
    }

    @Test func `is left to the engine if the connection breaks in the middle of it`() async throws {
        let server = FakeDAV { request, _ in
            guard request.method == "PUT", request.url.contains("test-1") else { return nil }
            request.sent?(2 << 20)
            return .failure(.broken("", afterBody: false))
        }
        let (_, second) = try await twoFailures(at: server, ScriptedBytes(ScriptedBytes.content(count: 3 << 20)))
        #expect(second.remedy == .tryAnother(after: nil))
        #expect(!server.log.contains { $0.contains("trial") })
    }
}
