import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// Copies that another client replaced by other bytes of the same size, with what was said of them.
@Suite struct `An object that was overwritten with its metadata` {
    /// What another client does: nothing of the headers is changed.
    private func overwrite(_ storage: FakeStorage, _ bytes: [UInt8], etag: String? = nil) {
        storage.change { state in
            state.objects["a.jpg"]?.bytes = bytes
            state.objects["a.jpg"]?.etag = etag
        }
    }

    private func other(_ bytes: ScriptedBytes) -> [UInt8] {
        ScriptedBytes.content(count: bytes.content.count, seed: 9)
    }

    private func presence(_ endeavour: Endeavour, _ receipt: Receipt) async throws -> Presence {
        await (try #require(endeavour.submitter.facets.presence)).presence(of: endeavour.item, receipt: receipt)
    }

    @Test(arguments: [true, false])
    func `is known to be another where it is small`(hasMarks: Bool) async throws {
        let storage = FakeStorage()
        let submitter = try storage.submitter()
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
        var receipt = try await submitter.submit(bytes.content)
        #expect(receipt.marks["etag"] == bytes.content.md5)
        // As of copies that were stored before marks were kept.
        if !hasMarks { receipt.marks = [:] }
        overwrite(storage, other(bytes))
        let facet = try #require(submitter.facets.presence)
        #expect(await facet.presence(of: bytes.item(named: "a.jpg"), receipt: receipt) == .changed(.digest))
    }

    /// The server's ETags look like MD5s and are none: that it is the same one as when it arrived tells enough.
    @Test func `is not read where its ETag is the one it had`() async throws {
        let storage = FakeStorage()
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
        let submitter = try storage.submitter()
        _ = try await submitter.submit(bytes.content)
        overwrite(storage, bytes.content, etag: other(bytes).md5)
        let receipt = try await submitter.submit(bytes.content)
        #expect(receipt.wasThere && receipt.evidence == .verified && receipt.marks["etag"] == other(bytes).md5)
        let before = storage.sent.count
        let facet = try #require(submitter.facets.presence)
        #expect(await facet.presence(of: bytes.item(named: "a.jpg"), receipt: receipt) == .present(.echoed))
        #expect(storage.sent.dropFirst(before).map(\.method) == ["HEAD"])
    }

    @Test func `is never called there where it is large`() async throws {
        let endeavour = try Endeavour(FakeStorage())
        let item = ScriptedBytes(ScriptedBytes.content(count: 17 << 20))
        let submitter = try endeavour.storage.submitter(
            ["parts_above": "1MiB", "part_size": "8MiB"], profile: .smallParts)
        let receipt = try await submitter.submit(
            item.item(named: "a.jpg"), bytes: item, context: SubmissionContext(submission: "test-1"))
        #expect(receipt.evidence == .verified && receipt.marks["etag"]?.hasSuffix("-3") == true)
        let facet = try #require(submitter.facets.presence)
        #expect(await facet.presence(of: item.item(named: "a.jpg"), receipt: receipt) == .present(.echoed))
        overwrite(endeavour.storage, other(item), etag: "\(other(item).md5)-3")
        guard case .unknown(let why) = await facet.presence(of: item.item(named: "a.jpg"), receipt: receipt) else {
            Issue.record("its ETag says that it is another")
            return
        }
        #expect(why.contains("“readback”"))
        #expect(await facet.presenceReadBack(of: item.item(named: "a.jpg"), receipt: receipt) == .changed(.digest))
        var old = receipt
        old.marks = [:]
        #expect(await facet.presence(of: item.item(named: "a.jpg"), receipt: old) == .present(.echoed))
    }

    /// As OpenStack Swift answers by S3 where a part is gone.
    @Test func `is lost where it cannot be read, and can be replaced`() async throws {
        let isBroken = Locked(false)
        let storage = FakeStorage { sent in
            let reads = sent.method == "GET" && !sent.url.contains("?")
            return reads && isBroken.withLock { $0 } ? .success(.error(409, "BrokenMPU")) : nil
        }
        let endeavour = try Endeavour(storage)
        let receipt = try await endeavour.attempt()
        isBroken.withLock { $0 = true }
        let facet = try #require(endeavour.submitter.facets.presence)
        #expect(await facet.presenceReadBack(of: endeavour.item, receipt: receipt) == .changed(.digest))
        var context = SubmissionContext(submission: "test-1", attempt: 2)
        context.disproved = receipt.remoteID
        // Where nothing can be read, nothing can be proven either: this is another name, and fails there.
        await #expect(throws: SubmitFailure.self) {
            try await endeavour.submitter.submit(endeavour.item, bytes: endeavour.bytes, context: readingBack(context))
        }
        isBroken.withLock { $0 = false }
        overwrite(storage, other(endeavour.bytes))
        context.disproved = receipt.remoteID
        let again = try await endeavour.submitter.submit(endeavour.item, bytes: endeavour.bytes, context: context)
        #expect(again.remoteID == "a-1.jpg" && again.evidence == .verified)
    }

    private func readingBack(_ context: SubmissionContext) -> SubmissionContext {
        var context = context
        context.verification = .readback
        return context
    }

    @Test(arguments: ["", "photos-of-2024"])
    func `a repair replaces the object under the key in its receipt and no other`(prefix: String) async throws {
        let storage = FakeStorage()
        let folder = prefix.isEmpty ? "" : prefix + "/"
        storage.put([9, 9, 9], at: folder + "a.jpg")
        let submitter = try storage.submitter(prefix.isEmpty ? [:] : ["prefix": prefix])
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 300))
        let item = bytes.item(named: "a.jpg")
        let receipt = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "test-1"))
        #expect(receipt.remoteID == folder + "a-1.jpg")
        var repair = SubmissionContext(submission: "test-1", attempt: 2, onConflict: .overwrite)
        repair.disproved = receipt.remoteID
        for _ in 0..<2 {
            storage.put([8, 8], at: folder + "a-1.jpg")
            let again = try await submitter.submit(item, bytes: bytes, context: repair)
            #expect(again.remoteID == receipt.remoteID && !again.wasThere)
            #expect(storage.objects[folder + "a.jpg"]?.bytes == [9, 9, 9])
            #expect(storage.objects[folder + "a-1.jpg"]?.bytes == bytes.content)
            #expect(storage.objects.count == 2)
        }
    }

    @Test(arguments: [ConflictPolicy.overwrite, .rename])
    func `is not taken for the item once an audit disproved it`(policy: ConflictPolicy) async throws {
        let endeavour = try Endeavour(FakeStorage())
        let receipt = try await endeavour.attempt()
        let changed = other(endeavour.bytes)
        overwrite(endeavour.storage, changed, etag: "\(changed.md5)-5")
        // For all that it says of itself, it is the item.
        #expect(try await endeavour.attempt(onConflict: policy).wasThere)
        var context = SubmissionContext(submission: "test-1", attempt: 3, onConflict: policy)
        context.disproved = receipt.remoteID
        let again = try await endeavour.submitter.submit(endeavour.item, bytes: endeavour.bytes, context: context)
        #expect(!again.wasThere && again.evidence == .verified)
        #expect(again.remoteID == (policy == .rename ? "a-1.jpg" : "a.jpg"))
        #expect(endeavour.storage.objects[again.remoteID]?.bytes == endeavour.bytes.content)
        if policy == .rename { #expect(endeavour.storage.objects["a.jpg"]?.bytes == changed) }
    }
}
