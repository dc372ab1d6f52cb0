import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A trial of an object storage` {
    private func trial(_ submitter: any Submitter) async throws -> TrialResult {
        try await #require(submitter.facets.trial).trial(
            after: ScriptedBytes([1]).item(named: "a.jpg"), context: SubmissionContext(submission: "test-1", attempt: 2)
        )
    }

    @Test func `stores a small object in a bucket and removes it`() async throws {
        let storage = FakeStorage { $0.url.hasSuffix("a.jpg") ? .success(.error(500, "InternalError")) : nil }
        storage.put([1], at: "mine/theirs.jpg")
        #expect(try await trial(storage.submitter(["prefix": "mine"])) == .stored)
        #expect(storage.sent.contains { $0.method == "PUT" && $0.url.contains("/mine/.submit-probe-") })
        #expect(storage.objects.keys.sorted() == ["mine/theirs.jpg"])
    }

    @Test func `says that a bucket is in trouble`() async throws {
        let storage = FakeStorage { $0.method == "PUT" ? .success(.error(503, "ServiceUnavailable")) : nil }
        let failure = await #expect(throws: SubmitFailure.self) { try await trial(storage.submitter()) }
        #expect(failure?.remedy == .tryAnother(after: nil))
    }

    @Test func `stores nothing where nothing may be removed`() async throws {
        let storage = FakeStorage { $0.method == "DELETE" ? .success(.error(403, "AccessDenied")) : nil }
        let failure = await #expect(throws: SubmitFailure.self) { try await trial(storage.submitter()) }
        #expect(failure?.remedy == .giveUp && storage.objects.isEmpty)
    }

    @Test func `stores a small object in a container and removes it`() async throws {
        let swift = FakeSwift()
        #expect(try await trial(swift.submitter(["prefix": "mine"])) == .stored)
        #expect(swift.objects.isEmpty)
        let put = swift.sent.first { $0.method == "PUT" && $0.url.contains("/photos/mine/.submit-trial-") }
        #expect(put?["x-delete-after"] == "3600")
    }

    @Test func `says that a cluster is in trouble`() async throws {
        let swift = FakeSwift { $0.method == "PUT" ? .success(HTTPResponse(status: 503)) : nil }
        let failure = await #expect(throws: SubmitFailure.self) { try await trial(swift.submitter()) }
        #expect(failure?.remedy == .tryAnother(after: nil))
    }
}
