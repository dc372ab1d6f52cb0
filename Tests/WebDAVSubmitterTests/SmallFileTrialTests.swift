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

    private func trial(at server: FakeDAV) throws -> any TrialFacet {
        try #require(try server.submitter().facets.trial)
    }

    @Test(arguments: [500, 502, 503, 504])
    func `is told apart by a small file, of which nothing stays`(_ status: Int) async throws {
        let server = server(.success(HTTPResponse(status: status)))
        let submitter = try server.submitter()
        let failed = try await failure { () async throws(SubmitFailure) in
            try await submitter.submit(bytes, named: "a.jpg")
        }
        #expect(failed.remedy == .tryAnother(after: nil))
        let found = try await submitter.facets.trial?.trial(
            after: bytes.item(named: "a.jpg"), context: SubmissionContext(submission: "test-1", attempt: 2))
        #expect(found == .stored)
        #expect(server.names.allSatisfy { !$0.contains("trial") }, "\(server.names)")
    }

    @Test(arguments: [500, 503])
    func `is no reason while the server stores nothing at all`(_ status: Int) async throws {
        let server = server(.success(HTTPResponse(status: status)), isDown: true)
        let trial = try trial(at: server)
        let found = await #expect(throws: SubmitFailure.self) {
            try await trial.trial(
                after: bytes.item(named: "a.jpg"), context: SubmissionContext(submission: "test-1", attempt: 2))
        }
        #expect(found?.remedy == .tryAnother(after: nil))
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
        _ = try? await submitter.facets.trial?.trial(
            after: bytes.item(named: "a.jpg"), context: SubmissionContext(submission: "test-1", attempt: 2))
        #expect(server.names.contains { $0.hasSuffix("-trial") })
        isBroken.withLock { $0 = false }
        _ = try await submitter.submit(bytes, attempt: 3)
        #expect(server.names == ["a.jpg"])
    }
}
