import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// Answers of strangers, which say what is needed in their own way.
@Suite struct `A server whose answers are shaped otherwise` {
    @Test func `takes an item in parts, goes on after a break and leaves nothing`() async throws {
        let endeavour = try Endeavour(
            FakeStorage(quirks: [.foreignRoots], script: `An upload in parts that meets`.resetting(.complete)))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(try await endeavour.arrives() == 0)
    }

    @Test func `is told of its broken uploads`() async throws {
        let endeavour = try Endeavour(
            FakeStorage(quirks: [.foreignRoots], script: `An upload in parts that meets`.resetting(.complete)))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        let facet = try #require(endeavour.submitter.facets.leftovers)
        let found = try await facet.list(sparing: [])
        #expect(found.map(\.name) == ["a.jpg"] && found[0].bytes == Int64(endeavour.bytes.content.count))
        for leftover in found { try await facet.remove(leftover) }
        #expect(endeavour.storage.openUploads == [])
    }

    @Test(arguments: [FakeUploads.Quirk.foreignRoots, .namesNoUpload])
    func `is tried out, and keeps nothing of that`(quirk: FakeUploads.Quirk) async throws {
        let storage = FakeStorage(.withIgnorance, quirks: [quirk])
        let said = try await storage.submitter().check()
        #expect(said.contains(quirk == .foreignRoots ? "takes parts" : "takes no parts"))
        #expect(storage.objects.isEmpty && storage.openUploads.isEmpty)
    }

    @Test(arguments: ["Error", "ErrorResponse"])
    func `does not say yes with an error, whatever else is in it`(root: String) {
        let body = Array("<\(root)><Code>InternalError</Code><UploadId>1</UploadId><ETag>x</ETag></\(root)>".utf8)
        #expect(CreatedUpload(body) == nil && CompletedUpload(body) == nil && ListedParts(body) == nil)
        #expect(ListedUploads(body) == nil)
    }

    @Test(arguments: [FakeUploads.Quirk.rangesWith200, .otherRanges])
    func `is read by what its ranges say they are`(quirk: FakeUploads.Quirk) async throws {
        let storage = FakeStorage(quirks: [quirk])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 4 << 20 | 1000))
        storage.put(bytes.content, at: "a.jpg")
        let facet = try #require(try storage.submitter().facets.presence)
        let found = await facet.presenceReadBack(
            of: bytes.item(named: "a.jpg"), receipt: Receipt(remoteID: "a.jpg", evidence: .size))
        if quirk == .rangesWith200 {
            #expect(found == .present(.verified))
        } else {
            guard case .unknown = found else {
                Issue.record("another range than was asked for was taken for it: \(found)")
                return
            }
        }
    }
}
