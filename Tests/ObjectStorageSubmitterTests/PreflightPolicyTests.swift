import Submit
import SubmitHTTP
import SubmitTesting
import SubmitTransfer
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A small item for a service that is known to replace nothing` {
    let content = ScriptedBytes.content(count: 1000)

    private func submitter(
        _ storage: FakeStorage, _ settings: [String: String] = [:]
    ) throws(SubmitFailure) -> any Submitter {
        var profile = S3Profile()
        profile.putsConditionally = true
        profile.hosts = ["storage.example"]
        return try storage.submitter(["jobs": "1"].merging(settings) { $1 }, profile: profile)
    }

    /// For a server of one's own whose owner wants no look, after another process has found out what it does.
    private func trusting(_ storage: FakeStorage) async throws -> any Submitter {
        let notes = TransientNotes()
        _ = try await storage.submitter(notes: notes).check()
        return try storage.submitter(["look_first": "false"], notes: notes)
    }

    @Test func `takes one PUT`() async throws {
        let storage = FakeStorage()
        let receipt = try await submitter(storage).submit(content)
        #expect(storage.log == ["PUT a.jpg"])
        #expect(receipt.evidence == .verified && !receipt.wasThere)
    }

    @Test func `is found where it is there, and those after it look first`() async throws {
        let storage = FakeStorage()
        storage.put(content, at: "a.jpg")
        let submitter = try submitter(storage)
        let receipt = try await submitter.submit(content)
        #expect(receipt.wasThere && receipt.evidence == .verified)
        _ = try await submitter.submit(content, named: "b.jpg")
        #expect(storage.log == ["PUT a.jpg", "HEAD a.jpg", "HEAD b.jpg", "PUT b.jpg"])
    }

    @Test func `is sent without a look again when nothing was found for a while`() async throws {
        let storage = FakeStorage()
        storage.put(content, at: "0.jpg")
        let submitter = try submitter(storage)
        for number in 0...PreflightPolicy.waryFor { _ = try await submitter.submit(content, named: "\(number).jpg") }
        let before = storage.log.count
        _ = try await submitter.submit(content, named: "last.jpg")
        #expect(storage.log.dropFirst(before) == ["PUT last.jpg"])
    }

    @Test func `leaves other bytes alone`() async throws {
        let storage = FakeStorage()
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await submitter(storage).submit(content)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3], "a-1.jpg": content])
    }

    @Test func `leaves other bytes alone where the server does not know the condition after all`() async throws {
        let storage = FakeStorage(.withoutConditions)
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await submitter(storage).submit(content)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3], "a-1.jpg": content])
    }

    @Test func `looks first when it was tried before, is large or shall replace`() async throws {
        let storage = FakeStorage()
        let submitter = try submitter(storage)
        let bytes = ScriptedBytes(content)
        _ = try await submitter.submit(
            bytes.item(named: "tried.jpg"), bytes: bytes, context: SubmissionContext(submission: "test-1", attempt: 2))
        let large = ScriptedBytes.content(count: Int(Capabilities.smallSize) + 1)
        _ = try await submitter.submit(large, named: "large.jpg")
        _ = try await submitter.submit(content, named: "new.jpg", onConflict: .overwrite)
        let names = ["tried.jpg", "large.jpg", "new.jpg"]
        #expect(storage.log == names.flatMap { ["HEAD \($0)", "PUT \($0)"] })
    }

    @Test func `looks first at a server of one's own, whatever was found out about it`() async throws {
        var profile = S3Profile()
        profile.putsConditionally = true
        let storage = FakeStorage()
        _ = try await storage.submitter(profile: profile).submit(content)
        #expect(storage.log == ["HEAD a.jpg", "PUT a.jpg"])
    }

    @Test func `is sent without a look to a server of one's own where its owner says so and that was found out`()
        async throws
    {
        let unknown = FakeStorage()
        _ = try await unknown.submitter(["look_first": "false"]).submit(content)
        #expect(unknown.log == ["HEAD a.jpg", "PUT a.jpg"])
        let found = FakeStorage()
        _ = try await trusting(found).submit(content)
        #expect(found.log.filter { $0.hasSuffix(" a.jpg") } == ["PUT a.jpg"])
    }

    @Test func `looks first whatever its owner says where the condition was found to be ignored`() async throws {
        let storage = FakeStorage(.withIgnorance)
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await trusting(storage).submit(content)
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3], "a-1.jpg": content])
    }

    @Test func `looks first where its owner wants that`() async throws {
        let known = FakeStorage()
        _ = try await submitter(known, ["look_first": "true"]).submit(content)
        #expect(known.log == ["HEAD a.jpg", "PUT a.jpg"])
    }

    @Test func `takes one PUT to OpenStack Swift too where its owner says so, and replaces nothing`() async throws {
        let swift = FakeSwift()
        let submitter = try swift.submitter(["look_first": "false"])
        _ = try await submitter.submit(content)
        #expect(swift.sent.map(\.method).filter { $0 != "GET" } == ["PUT"])
        let receipt = try await submitter.submit([1, 2, 3])
        #expect(receipt.remoteID == "a-1.jpg")
        #expect(swift.objects == ["a.jpg": content, "a-1.jpg": [1, 2, 3]])
    }

    @Test(arguments: [false, true])
    func `leaves other bytes alone where the condition was found to be refused after that was decided`(
        isFoundByItself: Bool
    ) async throws {
        let storage = FakeStorage(.withoutConditions)
        storage.put([1, 2, 3], at: "a.jpg")
        let service = S3Service(
            endpoint: try Endpoint(FakeStorage.origin), region: "us-east-1", isPathStyle: true,
            keys: ExpiringValue(now: { .now }) { () throws(SubmitFailure) in
                (SigningKey(AccessKey(id: "AKID", secret: FakeStorage.secret)), nil)
            }, profile: S3Profile(), headers: ObjectHeaders(), prefix: "", partSize: nil, partsAbove: 1 << 20, jobs: 1,
            notes: TransientNotes(), transport: storage, clock: { .now })
        if !isFoundByItself { service.learn { $0.refusesCondition = true } }
        let bytes = ScriptedBytes(content)
        let bucket = S3Bucket(name: "photos", service: service)
        let copy = ObjectVerifier(
            container: bucket, digests: ItemDigests(bytes.item(named: "a.jpg"), bytes), key: "a.jpg",
            verification: .usual)
        let outcome = try await bucket.store(copy, over: .unknown, context: SubmissionContext(submission: "test-1"))
        guard case .taken = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": [1, 2, 3]])
        #expect(storage.log == (isFoundByItself ? ["PUT a.jpg"] : []))
    }
}
