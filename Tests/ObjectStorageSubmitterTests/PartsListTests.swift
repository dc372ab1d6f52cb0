import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// Lists as servers hand them out.
@Suite struct `A list of parts` {
    private let part = 16

    /// An upload of 10,000 parts, of which three are missing, as a page or more hands them out.
    @Test(arguments: [10_000, 999])
    func `of ten thousand is read to its end, and what is missing is sent`(pageSize: Int) async throws {
        let count = 10_000
        let bytes = ScriptedBytes(ScriptedBytes.content(count: count * part))
        let storage = FakeStorage()
        let missing = [1, 5000, 10_000]
        storage.change { state in
            state.uploads.pageSize = pageSize
            var upload = FakeUploads.Upload(key: "a.jpg", headers: [])
            for number in 1...count where !missing.contains(number) {
                upload.parts[number] = Array(bytes.content[(number - 1) * part..<number * part])
            }
            state.uploads.open["id"] = upload
        }
        let submitter = try storage.submitter(["parts_above": "1KiB"], profile: .smallParts)
        let note = MultipartCheckpoint(bucket: "photos", key: "a.jpg", partSize: Int64(part), begun: 0, id: "id")
        let receipt = try await submitter.submit(
            bytes.item(named: "a.jpg"), bytes: bytes,
            context: SubmissionContext(submission: "test-1", checkpoint: note.checkpoint))
        #expect(receipt.evidence == .verified && storage.objects["a.jpg"]?.bytes == bytes.content)
        #expect(storage.taken == Int64(missing.count * part) && storage.openUploads == [])
        #expect(storage.steps.count { $0 == .listParts } == (count + pageSize - 1 - 3) / pageSize)
    }

    @Test func `that names no place to go on from goes on after its last part`() async throws {
        let endeavour = try Endeavour(
            FakeStorage(quirks: [.namesNoMarker], script: `An upload in parts that meets`.resetting(.complete)))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(try await endeavour.arrives() == 0)
    }

    @Test func `that goes on for ever has an end, and what it does not name is sent again`() async throws {
        let page = HTTPResponse.xml(
            "ListPartsResult", "<IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>")
        let endeavour = try Endeavour(
            FakeStorage(
                script: `An upload in parts that meets`.resetting(.complete),
                after: { sent, _, _ in Step(sent) == .listParts ? .success(page) : nil }))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(try await endeavour.arrives() == endeavour.bytes.content.count)
        #expect(endeavour.storage.steps.count { $0 == .listParts } == 2)
    }

    @Test func `of which half came is asked for again before anything is sent`() async throws {
        let once = Once(.listParts)
        let endeavour = try Endeavour(
            FakeStorage(
                script: `An upload in parts that meets`.resetting(.complete),
                after: { sent, answer, _ in
                    guard once.strikes(sent) else { return nil }
                    let half = Array(answer.body.prefix(answer.body.count / 2))
                    return .success(HTTPResponse(status: 200, headers: answer.headers, body: half))
                }))
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        let before = endeavour.storage.taken
        try await endeavour.fails(.retry(after: nil), "bad-answer")
        #expect(endeavour.storage.taken == before)
        #expect(try await endeavour.arrives() == 0)
    }

    @Test func `of uploads with ten thousand others names ours`() async throws {
        let once = Once(.begin)
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, _ in
                once.strikes(sent) ? .failure(.lost) : nil
            }))
        endeavour.storage.change { state in
            state.uploads.pageSize = 10_000
            for number in 1...10_000 {
                state.uploads.open["id\(number)"] = .init(key: "a.jpg/\(number)", headers: [])
            }
        }
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        _ = try await endeavour.attempt()
        #expect(endeavour.storage.openUploads.count == 10_000 && !endeavour.storage.openUploads.contains("a.jpg"))
        #expect(endeavour.storage.steps.count { $0 == .listUploads } == 2)
    }
}
