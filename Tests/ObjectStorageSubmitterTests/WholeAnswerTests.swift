import Submit
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// Storage that answers a range with the whole object.
@Suite struct WholeAnswerTests {
    private let film = ScriptedBytes(ScriptedBytes.content(count: 9 << 20))

    private func store(_ submitter: any Submitter) async throws -> (Receipt, any PresenceFacet) {
        let receipt = try await submitter.submit(
            film.item(named: "a.mp4"), bytes: film, context: SubmissionContext(submission: "test-1"))
        return (receipt, try #require(submitter.facets.presence))
    }

    @Test func `a film is read back once from S3 storage that answers a range with everything`() async throws {
        let storage = FakeStorage(quirks: [.ignoresRange])
        let (receipt, presence) = try await store(storage.submitter(["verify": "readback"]))
        #expect(receipt.evidence == .verified && storage.objects.count == 1)
        let reads = storage.sent.count { $0.method == "GET" && $0["range"] != nil }
        #expect(reads == 1)
        let item = film.item(named: "a.mp4")
        #expect(await presence.presenceReadBack(of: item, receipt: receipt) == .present(.verified))
        #expect(storage.sent.count { $0.method == "GET" && $0["range"] != nil } == 2)
        storage.change { $0.objects["a.mp4"]?.bytes[8 << 20] ^= 1 }
        #expect(await presence.presenceReadBack(of: item, receipt: receipt) == .changed(.digest))
    }

    @Test func `a film is read back once from a Swift cluster that answers a range with everything`() async throws {
        let swift = FakeSwift([.ignoresRange])
        let (receipt, presence) = try await store(swift.submitter(["verify": "readback"]))
        #expect(receipt.evidence == .verified && swift.objects == ["a.mp4": film.content])
        #expect(swift.sent.count { $0.method == "GET" && $0["range"] != nil } == 1)
        let item = film.item(named: "a.mp4")
        #expect(await presence.presenceReadBack(of: item, receipt: receipt) == .present(.verified))
    }
}
