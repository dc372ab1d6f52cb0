import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `A server of which nobody knows whether it heeds conditions` {
    let content = ScriptedBytes.content(count: 1000)
    let storage = FakeStorage()
    let notes = TransientNotes()

    /// One that tries it out beside the first small item.
    private func submitter(
        _ storage: FakeStorage, _ settings: [String: String] = [:], triesAfter: Int = 1
    ) throws(SubmitFailure) -> any Submitter {
        try storage.submitter(["jobs": "1"].merging(settings) { $1 }, notes: notes, triesAfter: triesAfter)
    }

    /// What was asked about items, and not about scratch objects.
    private func items(_ storage: FakeStorage) -> [String] {
        storage.log.filter { $0.contains(".jpg") }
    }

    private func trial(_ storage: FakeStorage) -> [FakeStorage.Sent] {
        storage.sent.filter { $0.url.contains(ScratchObject.mark) }
    }

    private func remember(_ areHeeded: Bool, daysAgo days: Int64) async throws {
        let note = ConditionNote(areHeeded: areHeeded, found: Timestamp.now.seconds - days * 86_400, remark: "")
        await notes.write("s3 conditions \(FakeStorage.origin)", Array(try JSONEncoder().encode(note)))
    }

    @Test func `is tried out beside a look, and small items after it take one PUT, in later processes too`()
        async throws
    {
        _ = try await submitter(storage).submit(content)
        let submitter = try submitter(storage)
        _ = try await submitter.submit(content, named: "b.jpg")
        #expect(items(storage) == ["HEAD a.jpg", "PUT a.jpg", "PUT b.jpg"])
        #expect(Set(storage.objects.keys) == ["a.jpg", "b.jpg"])
        // A list, two DELETEs, five PUTs and a GET.
        #expect(trial(storage).count == 9)
        // One is as large as what is sent without a look.
        #expect(trial(storage).compactMap(\.bodyLength).max() == Capabilities.smallSize)
    }

    @Test(arguments: [
        FakeUploads.Quirk.heedsEveryOther, .heedsSmallOnly, .heedsLate, .keepsAndSays200, .replacesAndSays412,
    ])
    func `is looked at each time where it does so now and then, and keeps what others have`(
        quirk: FakeUploads.Quirk
    ) async throws {
        let storage = FakeStorage(quirks: [quirk])
        storage.put([1, 2, 3], at: "b.jpg")
        let submitter = try submitter(storage)
        _ = try await submitter.submit(content)
        let receipt = try await submitter.submit(content, named: "b.jpg")
        #expect(receipt.remoteID == "b-1.jpg")
        #expect(
            storage.objects.mapValues(\.bytes) == ["a.jpg": content, "b.jpg": [1, 2, 3], "b-1.jpg": content])
        #expect(
            items(storage)
                == ["a", "b", "b-1"].flatMap { $0 == "b" ? ["HEAD b.jpg"] : ["HEAD \($0).jpg", "PUT \($0).jpg"] })
    }

    @Test(arguments: [FakeStorage.Manner.withIgnorance, .withoutConditions, .plainSink])
    func `is looked at each time where it does not, and is not tried again for a week`(
        manner: FakeStorage.Manner
    ) async throws {
        let storage = FakeStorage(manner)
        _ = try await submitter(storage).submit(content)
        let count = trial(storage).count
        _ = try await submitter(storage).submit(content, named: "b.jpg")
        #expect(items(storage).filter { $0.hasPrefix("HEAD b") }.count >= 1)
        #expect(trial(storage).count == count && storage.objects.count == 2)
    }

    @Test func `is not tried for a few items`() async throws {
        let submitter = try submitter(storage, triesAfter: PreflightPolicy.usualTrial)
        for number in 1..<PreflightPolicy.usualTrial { _ = try await submitter.submit(content, named: "\(number).jpg") }
        #expect(trial(storage).isEmpty)
        _ = try await submitter.submit(content, named: "last.jpg")
        #expect(!trial(storage).isEmpty)
    }

    @Test(arguments: [["look_first": "true"], ["lock_mode": "governance", "lock_days": "1"]])
    func `is not tried where its owner wants looks or locks`(settings: [String: String]) async throws {
        _ = try await submitter(storage, settings).submit(content)
        #expect(trial(storage).isEmpty && items(storage) == ["HEAD a.jpg", "PUT a.jpg"])
    }

    @Test(arguments: [(-1, 3), (0, 1), (6, 1), (8, 3)])
    func `is believed for a week`(daysAgo: Int64, looked: Int) async throws {
        try await remember(true, daysAgo: daysAgo)
        _ = try await submitter(storage, triesAfter: 3).submit(content)
        #expect(items(storage).count == min(looked, 2) && trial(storage).isEmpty)
    }

    @Test func `is not tried where it keeps by default what is stored`() async throws {
        let storage = FakeStorage { sent in
            guard sent.url.hasSuffix("?object-lock=") else { return nil }
            return .success(
                .xml(
                    "ObjectLockConfiguration",
                    "<ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode>"
                        + "<Days>3650</Days></DefaultRetention></Rule>"))
        }
        for name in ["a.jpg", "b.jpg"] { _ = try await submitter(storage).submit(content, named: name) }
        #expect(items(storage) == ["HEAD a.jpg", "PUT a.jpg", "HEAD b.jpg", "PUT b.jpg"])
        #expect(trial(storage).map(\.method) == ["GET"])
    }

    @Test func `is looked at each time where it is OpenStack Swift, which stores with fewer nodes than it looks at`()
        async throws
    {
        let storage = FakeStorage { sent in
            guard sent.method == "PUT", sent.url.contains(ScratchObject.mark) else { return nil }
            return .success(HTTPResponse(status: 200, headers: [("x-trans-id", "tx0-0")]))
        }
        for name in ["a.jpg", "b.jpg"] { _ = try await submitter(storage).submit(content, named: name) }
        #expect(items(storage) == ["HEAD a.jpg", "PUT a.jpg", "HEAD b.jpg", "PUT b.jpg"])
        #expect(Set(storage.objects.keys) == ["a.jpg", "b.jpg"])
    }

    @Test func `is not tried by who may remove nothing, and keeps nothing of it`() async throws {
        let storage = FakeStorage { sent in
            sent.method == "DELETE" ? .success(.error(403, "AccessDenied")) : nil
        }
        for name in ["a.jpg", "b.jpg"] { _ = try await submitter(storage).submit(content, named: name) }
        #expect(items(storage) == ["HEAD a.jpg", "PUT a.jpg", "HEAD b.jpg", "PUT b.jpg"])
        #expect(Set(storage.objects.keys) == ["a.jpg", "b.jpg"])
        #expect(trial(storage).map(\.method) == ["GET", "DELETE"])
    }

    @Test func `has its owner told what stays there`() async throws {
        let storage = FakeStorage { sent in
            let isHeld = holder.withLock { $0 }?.objects.keys.contains { $0.hasPrefix(ScratchObject.mark) } ?? false
            return sent.method == "DELETE" && isHeld ? .success(.error(403, "AccessDenied")) : nil
        }
        holder.withLock { $0 = storage }
        defer { holder.withLock { $0 = nil } }
        let receipt = try await submitter(storage).submit(content)
        #expect(receipt.note?.contains("The scratch object “\(ScratchObject.mark)") == true)
        #expect(receipt.evidence == .verified)
    }

    private let holder = Locked<FakeStorage?>(nil)

    @Test func `is freed of what a killed process left there, and of nothing else`() async throws {
        let old = Timestamp(nanoseconds: Timestamp.now.nanoseconds - 7200 * 1_000_000_000)
        let kept = ["\(ScratchObject.mark)young", "phone/\(ScratchObject.mark)old", "submit-probe-old", ".submit-prob"]
        storage.put([1], at: "\(ScratchObject.mark)old", stored: old)
        for key in kept { storage.put([1], at: key, stored: key.hasSuffix("young") ? .now : old) }
        _ = try await submitter(storage).submit(content)
        #expect(Set(storage.objects.keys) == Set(kept + ["a.jpg"]))
    }

    @Test func `shows what a killed process left there as a leftover`() async throws {
        storage.put([1, 2], at: "phone/\(ScratchObject.mark)1")
        storage.put([1, 2], at: "phone/a.jpg")
        let facet = try #require(try submitter(storage, ["prefix": "phone"]).facets.leftovers)
        let found = try await facet.list(sparing: [])
        #expect(found.map(\.name) == ["phone/\(ScratchObject.mark)1"] && found.first?.bytes == 2)
        for leftover in found { try await facet.remove(leftover) }
        #expect(Array(storage.objects.keys) == ["phone/a.jpg"])
        // Another's name makes it no leftover.
        try await facet.remove(Leftover(id: found[0].id, name: "phone/a.jpg"))
        #expect(Array(storage.objects.keys) == ["phone/a.jpg"])
    }

    @Test(arguments: 0..<9) func `keeps nothing of a trial that is broken off`(number: Int) async throws {
        let (count, running) = (Locked(0), Locked<Task<Receipt, any Error>?>(nil))
        let storage = FakeStorage { sent in
            guard sent.url.contains(ScratchObject.mark) else { return nil }
            let isNow = count.withLock { count in
                count += 1
                return count == number + 1
            }
            if isNow { running.withLock { $0?.cancel() } }
            return nil
        }
        let (submitter, gate) = (try submitter(storage), Locked(false))
        let task = Task {
            while !gate.withLock({ $0 }) { await Task.yield() }
            return try await submitter.submit(content)
        }
        running.withLock { $0 = task }
        gate.withLock { $0 = true }
        _ = await task.result
        #expect(storage.objects.keys.allSatisfy { $0 == "a.jpg" })
    }

    @Test(arguments: ["PUT", "GET", "DELETE"]) func `in trouble is tried again by the next process`(
        method: String
    ) async throws {
        let isOnce = Locked(true)
        let storage = FakeStorage { sent in
            guard sent.method == method, sent.url.contains("/photos/\(ScratchObject.mark)") else { return nil }
            return isOnce.withLock { isOnce in
                defer { isOnce = false }
                return isOnce ? .success(.error(503, "SlowDown")) : nil
            }
        }
        _ = try await submitter(storage).submit(content)
        let count = trial(storage).count
        _ = try await submitter(storage).submit(content, named: "b.jpg")
        #expect(trial(storage).count > count && storage.objects.count == 2)
        _ = try await submitter(storage).submit(content, named: "c.jpg")
        #expect(items(storage).suffix(1) == ["PUT c.jpg"] && items(storage).count == 5)
    }

    @Test func `is sent to without a look after a check that saw it`() async throws {
        _ = try await submitter(storage).check()
        let count = trial(storage).count
        _ = try await submitter(storage).submit(content)
        #expect(items(storage) == ["PUT a.jpg"] && trial(storage).count == count)
    }
}
