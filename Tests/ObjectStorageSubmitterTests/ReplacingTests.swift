import Submit
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `An object that is to be replaced` {
    private let content = ScriptedBytes.content(count: 1000)

    /// Does something to the bucket once, after a key was looked at.
    private static func storage(
        _ manner: FakeStorage.Manner = .s3, afterLook change: @escaping @Sendable (inout FakeStorage.State) -> Void
    ) -> FakeStorage {
        let isDone = Locked(false)
        return FakeStorage(
            manner,
            after: { sent, _, state in
                if sent.method == "HEAD", !isDone.withLock({ done in defer { done = true }; return done }) { change(&state) }
                return nil
            })
    }

    private func conditions(_ storage: FakeStorage) -> [String] {
        storage.sent.filter { $0.method == "PUT" }.map { $0["if-match"].map { "match \($0)" } ?? $0["if-none-match"] ?? "none" }
    }

    @Test func `is the one that was seen, and no other that came there since`() async throws {
        let storage = Self.storage { $0.objects["a.jpg"] = FakeStorage.Object(bytes: [4, 5, 6, 7], headers: []) }
        storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(receipt.remoteID == "a.jpg" && storage.objects["a.jpg"]?.bytes == content)
        // The second was looked at before it went.
        #expect(
            conditions(storage)
                == [[1, 2, 3], [4, 5, 6, 7]].map { (bytes: [UInt8]) in "match \"\(bytes.md5)\"" })
    }

    @Test func `may have gone since`() async throws {
        let storage = Self.storage { $0.objects["a.jpg"] = nil }
        storage.put([1, 2, 3], at: "a.jpg")
        _ = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes == content && conditions(storage).last == "*")
    }

    @Test func `is none where nothing was seen`() async throws {
        let storage = Self.storage { $0.objects["a.jpg"] = FakeStorage.Object(bytes: [4, 5, 6, 7], headers: []) }
        _ = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes == content)
        #expect(conditions(storage) == ["*", "match \"\([4, 5, 6, 7].md5)\""])
    }

    @Test(arguments: [FakeStorage.Manner.withIgnorance, .withoutConditions, .plainSink])
    func `is replaced where the server heeds no condition`(_ manner: FakeStorage.Manner) async throws {
        let storage = FakeStorage(manner)
        let submitter = try storage.submitter()
        for seed in 1...2 {
            storage.put([1, 2, 3], at: "a.jpg")
            let content = ScriptedBytes.content(count: 1000, seed: UInt64(seed))
            _ = try await submitter.submit(content, onConflict: .overwrite)
            #expect(storage.objects["a.jpg"]?.bytes == content)
        }
        // What it refuses it is not asked for again.
        if manner == .withoutConditions { #expect(conditions(storage).count == 3 && conditions(storage).last == "none") }
    }

    @Test func `is replaced where the server refuses whatever the condition says`() async throws {
        let storage = FakeStorage { sent in sent["if-match"] == nil ? nil : .success(.error(412, "PreconditionFailed")) }
        storage.put([1, 2, 3], at: "a.jpg")
        _ = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes == content && conditions(storage).last == "none")
    }

    @Test func `by one in parts is the one that was seen last`() async throws {
        var profile = S3Profile()
        profile.putsConditionally = true
        profile.completesConditionally = true
        let storage = FakeStorage()
        storage.put([1, 2, 3], at: "a.jpg")
        let submitter = try storage.submitter(["parts_above": "5MiB", "part_size": "5MiB"], profile: profile)
        _ = try await submitter.submit(ScriptedBytes.content(count: 6 << 20), onConflict: .overwrite)
        let completion = try #require(storage.sent.last { $0.method == "POST" && $0.url.contains("uploadId=") })
        #expect(completion["if-match"] == "\"\([1, 2, 3].md5)\"")
        #expect(storage.objects["a.jpg"]?.bytes.count == 6 << 20 && storage.openUploads == [])
    }
}
