import Foundation
import Submit
import SubmitConcurrency
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

@Suite struct `Looks at many keys at once` {
    /// A list of these keys, in this order.
    private func list(_ keys: [String], isWhole: Bool) throws -> ListedObjects {
        let text =
            "<ListBucketResult><IsTruncated>\(!isWhole)</IsTruncated>"
            + keys.map { "<Contents><Key>\($0)</Key></Contents>" }.joined() + "</ListBucketResult>"
        return try #require(ListedObjects(Array(text.utf8)))
    }

    @Test(arguments: [
        (["a1"], true, ["a2", "a3"]), (["a1", "a2", "a3"], true, []), ([], true, ["a1", "a2", "a3"]),
        // What comes after the last one was not told.
        (["a2"], false, ["a1"]), ([], false, []), (["a0", "b"], false, ["a1", "a2", "a3"]),
        // Whoever keeps no order may name it on the next page.
        (["b", "a0", "c"], false, []), (["b", "a0", "c"], true, ["a1", "a2", "a3"]),
        (["A2", "%61%33"], true, ["a1"]),
    ])
    func `take from a list only that nothing is there`(named: [String], isWhole: Bool, free: [String]) throws {
        #expect(try list(named, isWhole: isWhole).free(of: ["a1", "a2", "a3"]) == Set(free))
    }

    /// All that come while the first one looks.
    private func gather(
        _ keys: [String], in looks: GatheredLooks, held: Set<String> = []
    ) async throws -> (asked: [String], found: Set<String>) {
        let (asked, found, gate) = (Locked<[String]>([]), Locked<Set<String>>([]), AsyncSemaphore(0))
        try await withThrowingTaskGroup { group in
            for (index, key) in (["first.jpg"] + keys).enumerated() {
                group.addTask {
                    let object = try await looks.object(key) { () async throws(SubmitFailure) in
                        asked.withLock { $0.append(key) }
                        if index == 0 { _ = await gate.acquire() }
                        return held.contains(key)
                            ? StoredObject(size: 1, etag: nil, sha256: nil, hidesMD5: false) : nil
                    }
                    if object != nil { found.withLock { _ = $0.insert(key) } }
                }
                // The others begin when the first one has.
                while index == 0, asked.withLock({ $0.isEmpty }) { await Task.yield() }
            }
            while looks.gathered < keys.count { await Task.yield() }
            gate.release()
            try await group.waitForAll()
        }
        return (asked.withLock { $0 }, found.withLock { $0 })
    }

    @Test func `are one list, and one look at each key that is held`() async throws {
        let requests = Locked<[GatheredLooks.Request]>([])
        let page = try list(["2026/IMG_11.jpg", "2026/IMG_19.jpg"], isWhole: true)
        let looks = GatheredLooks { (request) throws(SubmitFailure) in
            requests.withLock { $0.append(request) }
            return page
        }
        let keys = (10..<30).map { "2026/IMG_\($0).jpg" }
        let (asked, found) = try await gather(keys, in: looks, held: ["2026/IMG_19.jpg"])
        #expect(asked.first == "first.jpg")
        #expect(Set(asked.dropFirst()) == ["2026/IMG_11.jpg", "2026/IMG_19.jpg"] && found == ["2026/IMG_19.jpg"])
        #expect(requests.withLock { $0 } == [.init(prefix: "2026/IMG_", after: "2026/IMG_10.jp", most: 80)])
    }

    @Test func `are looks of their own where there are few, names that may be written otherwise, or no list`()
        async throws
    {
        let lists = Locked(0)
        let looks = GatheredLooks { (_) throws(SubmitFailure) in
            lists.withLock { $0 += 1 }
            return nil
        }
        let few = (1..<GatheredLooks.least).map { "\($0).jpg" }
        #expect(try await gather(few, in: looks).asked.count == GatheredLooks.least)
        for name in ["é.jpg", "a b.jpg", "a+b.jpg", "a%20.jpg", "a\n"] {
            let asked = Locked(false)
            _ = try await looks.object(name) { () async throws(SubmitFailure) in
                asked.withLock { $0 = true }
                return nil
            }
            #expect(asked.withLock { $0 })
        }
        #expect(lists.withLock { $0 } == 0)
        let many = (0..<20).map { "\($0).jpg" }
        #expect(try await gather(many, in: looks).asked.count == 21)
        // It is not asked for again.
        #expect(try await looks.object("x.jpg") { () async throws(SubmitFailure) in nil } == nil)
        #expect(lists.withLock { $0 } == 1)
    }

    @Test func `go on where one of them is cancelled`() async throws {
        let page = try list([], isWhole: true)
        let looks = GatheredLooks { (_) throws(SubmitFailure) in page }
        let gate = AsyncSemaphore(0)
        let (isLooking, isOver) = (Locked(false), Locked(false))
        let first = Task {
            _ = try await looks.object("first.jpg") { () async throws(SubmitFailure) in
                isLooking.withLock { $0 = true }
                _ = await gate.acquire()
                return nil
            }
            isOver.withLock { $0 = true }
        }
        while !isLooking.withLock({ $0 }) { await Task.yield() }
        let others = (0..<20).map { number in
            Task { try await looks.object("\(number).jpg") { () async throws(SubmitFailure) in nil } }
        }
        while looks.gathered < 20 { await Task.yield() }
        others[0].cancel()
        await #expect(throws: SubmitFailure.cancelled) { _ = try await others[0].value }
        gate.release()
        for other in others.dropFirst() { _ = try await other.value }
        try await first.value
    }

    /// At a server that ignores conditions and lists.
    @Test(arguments: [[], [FakeUploads.Quirk.listsFromBeginning], [.listsUnordered]])
    func `keep what others have`(quirks: [FakeUploads.Quirk]) async throws {
        let (storage, notes) = (FakeStorage(.withIgnorance, quirks: Set(quirks)), TransientNotes())
        let note = ConditionNote(
            areHeeded: false, listsAtOnce: true, found: Timestamp.now.seconds, remark: "")
        await notes.write("s3 conditions \(FakeStorage.origin)", Array(try JSONEncoder().encode(note)))
        for number in stride(from: 0, to: 80, by: 5) { storage.put([1, 2, 3], at: "IMG_\(1000 + number).jpg") }
        storage.put([1, 2, 3], at: "img_1003.JPG")
        let theirs = storage.objects.mapValues(\.bytes)
        let submitter = try storage.submitter(notes: notes)
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    let content = ScriptedBytes.content(count: 300, seed: UInt64(number + 1))
                    let receipt = try await submitter.submit(content, named: "IMG_\(1000 + number).jpg")
                    #expect(receipt.evidence == .verified)
                }
            }
            try await group.waitForAll()
        }
        let copies = storage.objects.mapValues(\.bytes)
        #expect(theirs.allSatisfy { copies[$0.key] == $0.value })
        #expect(copies.count == theirs.count + 40)
        // Each by itself would be 48; how many look together is chance.
        if quirks.isEmpty { #expect(storage.sent.count { $0.method == "HEAD" } < 44) }
    }

    @Test func `are believed where a trial saw a list name at once what was stored`() async throws {
        for (quirks, isSeen) in [([], true), ([FakeUploads.Quirk.listsLate], false), ([.foldsCase], false)] {
            for manner in [FakeStorage.Manner.withIgnorance, .withoutConditions] {
                let (storage, notes) = (FakeStorage(manner, quirks: Set(quirks)), TransientNotes())
                _ = try await storage.submitter(notes: notes, triesAfter: 1).submit([1, 2, 3])
                let data = try #require(await notes.read("s3 conditions \(FakeStorage.origin)"))
                let note = try JSONDecoder().decode(ConditionNote.self, from: Data(data))
                #expect(!note.areHeeded && note.listsAtOnce == isSeen)
                #expect(Array(storage.objects.keys) == ["a.jpg"])
            }
        }
    }
}
