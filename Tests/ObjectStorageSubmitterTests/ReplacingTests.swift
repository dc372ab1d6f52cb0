import Submit
import SubmitConcurrency
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
                if sent.method == "HEAD",
                    !isDone.withLock({ done in
                        defer { done = true }
                        return done
                    })
                {
                    change(&state)
                }
                return nil
            })
    }

    private func conditions(_ storage: FakeStorage) -> [String] {
        storage.sent.filter { $0.method == "PUT" }.map {
            $0["if-match"].map { "match \($0)" } ?? $0["if-none-match"] ?? "none"
        }
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

    @Test func `overwrite takes the next key if a copy of another photo has its own, or is on its way there`()
        async throws
    {
        let storage = FakeStorage()
        for key in ["a.jpg", "a-1.jpg"] { storage.put([1, 2, 3], at: key) }
        let submitter = try storage.submitter()
        let bytes = ScriptedBytes(content)
        func context(_ number: Int) -> SubmissionContext {
            SubmissionContext(
                submission: "test-\(number)", onConflict: .overwrite, reserve: { $0.remoteID != "b.jpg" },
                mayReplace: { .success($0.remoteID != "a.jpg") })
        }
        let taken = try await submitter.submit(bytes.item(named: "a.jpg"), bytes: bytes, context: context(1))
        let reserved = try await submitter.submit(bytes.item(named: "b.jpg"), bytes: bytes, context: context(2))
        // What others have under a number is not what was meant.
        #expect(taken.remoteID == "a-2.jpg" && reserved.remoteID == "b-1.jpg")
        #expect(storage.objects["a.jpg"]?.bytes == [1, 2, 3] && storage.objects["a-1.jpg"]?.bytes == [1, 2, 3])
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
        if manner == .withoutConditions {
            #expect(conditions(storage).count == 3 && conditions(storage).last == "none")
        }
    }

    @Test func `is replaced where the server refuses whatever the condition says`() async throws {
        let storage = FakeStorage { sent in sent["if-match"] == nil ? nil : .success(.error(412, "PreconditionFailed"))
        }
        storage.put([1, 2, 3], at: "a.jpg")
        _ = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes == content && conditions(storage).last == "none")
    }

    @Test func `is left to others who store there in the same moment`() async throws {
        let conflicts = Locked(2)
        let storage = FakeStorage { sent in
            guard sent["if-match"] != nil, conflicts.withLock({ $0 > 0 }) else { return nil }
            conflicts.withLock { $0 -= 1 }
            return .success(.error(409, "ConditionalRequestConflict"))
        }
        storage.put([1, 2, 3], at: "a.jpg")
        _ = try await storage.submitter().submit(content, onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes == content && conditions(storage).allSatisfy { $0.hasPrefix("match") })
        #expect(conditions(storage).count == 3)
    }

    private func inParts(_ storage: FakeStorage) throws -> any Submitter {
        var profile = S3Profile()
        (profile.putsConditionally, profile.completesConditionally) = (true, true)
        return try storage.submitter(["parts_above": "5MiB", "part_size": "5MiB"], profile: profile)
    }

    private func completions(_ storage: FakeStorage) -> [FakeStorage.Sent] {
        storage.sent.filter { $0.method == "POST" && $0.url.contains("uploadId=") }
    }

    @Test(arguments: [501, 412])
    func `by one in parts is replaced where that condition is refused, which says nothing of the other`(
        _ status: Int
    ) async throws {
        let storage = FakeStorage { sent in
            sent["if-match"] == nil
                ? nil : .success(.error(status, status == 501 ? "NotImplemented" : "PreconditionFailed"))
        }
        storage.put([1, 2, 3], at: "a.jpg")
        let submitter = try inParts(storage)
        _ = try await submitter.submit(ScriptedBytes.content(count: 6 << 20), onConflict: .overwrite)
        #expect(storage.objects["a.jpg"]?.bytes.count == 6 << 20 && storage.taken == 6 << 20)
        #expect(completions(storage).map { $0["if-match"] != nil } == [true, false])
        _ = try await submitter.submit(ScriptedBytes.content(count: 6 << 20, seed: 2), named: "b.jpg")
        #expect(completions(storage).last?["if-none-match"] == "*")
    }

    @Test func `by one in parts is the one that was seen last`() async throws {
        let storage = FakeStorage()
        storage.put([1, 2, 3], at: "a.jpg")
        _ = try await inParts(storage).submit(ScriptedBytes.content(count: 6 << 20), onConflict: .overwrite)
        #expect(completions(storage).last?["if-match"] == "\"\([1, 2, 3].md5)\"")
        #expect(storage.objects["a.jpg"]?.bytes.count == 6 << 20 && storage.openUploads == [])
    }
}
