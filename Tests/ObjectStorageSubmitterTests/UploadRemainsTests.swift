import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// What uploads in parts leave: nothing, whoever ends them.
@Suite struct `What an upload in parts leaves` {
    private let part = Endeavour.partSize

    /// An endeavour of which so many parts are there.
    private func begun(
        parts: Int, quirks: Set<FakeUploads.Quirk> = [], _ settings: [String: String] = [:],
        after: @escaping FakeStorage.After = { _, _, _ in nil }
    ) async throws -> Endeavour {
        let once = Once(.part(parts + 1))
        let endeavour = try Endeavour(
            FakeStorage(
                quirks: quirks, script: { once.strikes($0) ? .failure(.reset) : nil },
                after: after), settings)
        await #expect(throws: SubmitFailure.self) { try await endeavour.attempt() }
        #expect(endeavour.storage.openUploads == ["a.jpg"])
        return endeavour
    }

    @Test func `is removed when it is cancelled in the middle of a part, and looked for`() async throws {
        let task = Locked<Task<Void, any Error>?>(nil)
        let endeavour = try Endeavour(
            FakeStorage(midway: { sent, count in
                if Step(sent) == .part(2), count >= 8192 { task.withLock { $0 }?.cancel() }
                return nil
            }))
        let started = Task { _ = try await endeavour.attempt() }
        task.withLock { $0 = started }
        let failure = await #expect(throws: SubmitFailure.self) { try await started.value }
        #expect(failure?.remedy == .cancelled && endeavour.storage.openUploads == ["a.jpg"])
        try await endeavour.discard()
        #expect(endeavour.storage.openUploads == [] && endeavour.storage.steps.suffix(2) == [.abort, .listParts])
    }

    @Test func `is aborted again while parts of it are there`() async throws {
        let endeavour = try await begun(parts: 2, quirks: [.abortsTwice])
        try await endeavour.discard()
        #expect(endeavour.storage.openUploads == [])
        #expect(endeavour.storage.steps.suffix(4) == [.abort, .listParts, .abort, .listParts])
    }

    @Test func `is said to stay when no abort helps, and is aborted the next time`() async throws {
        let endeavour = try await begun(parts: 2, quirks: [.abortsNever])
        let failure = await #expect(throws: SubmitFailure.self) { try await endeavour.discard() }
        #expect(failure?.code == "upload-stays" && failure?.remedy == .retry(after: nil))
        failure?.expectSentence(naming: "“a.jpg”")
        #expect(endeavour.storage.steps.count { $0 == .abort } == 3)
        endeavour.storage.change { $0.uploads.quirks = [] }
        try await endeavour.discard()
        #expect(endeavour.storage.openUploads == [])
    }

    @Test(arguments: [(1, true), (0, true), (0, false)])
    func `is gone where parts are not listed and something else got the key meanwhile`(less: Int, isTold: Bool)
        async throws
    {
        let begun = try await begun(parts: 2, quirks: [.listsNoParts])
        var note = try #require(begun.note)
        note.mayBeObject = isTold
        let endeavour = try Endeavour(begun.storage, checkpoint: note.checkpoint)
        // Of another size it cannot be what the upload became; of the same size it may be, where it was told to.
        let other = ScriptedBytes.content(count: endeavour.bytes.content.count - less, seed: 7)
        endeavour.storage.put(other, at: "a.jpg")
        let receipt = try await endeavour.attempt()
        #expect(receipt.remoteID == "a-1.jpg" && endeavour.storage.objects["a.jpg"]?.bytes == other)
        #expect(endeavour.storage.openUploads == (less == 0 && isTold ? ["a.jpg"] : []))
    }

    @Test func `is gone where others removed it before`() async throws {
        let endeavour = try await begun(parts: 2)
        endeavour.storage.change { $0.uploads.open = [:] }
        try await endeavour.discard()
    }

    @Test func `is gone when its id is no longer even understood`() async throws {
        let endeavour = try await begun(parts: 2)
        let gone = FakeStorage { sent in
            switch Step(sent) {
            case .abort, .listParts: .success(.error(400, "NoSuchUpload"))
            default: nil
            }
        }
        try await Endeavour(gone, checkpoint: endeavour.checkpoint).discard()
    }

    @Test func `is removed when others came first and are left alone`() async throws {
        let endeavour = try await begun(parts: 2)
        endeavour.storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await endeavour.attempt(onConflict: .skip)
        #expect(receipt.note?.contains("left alone") == true)
        #expect(endeavour.storage.openUploads == [] && endeavour.storage.objects["a.jpg"]?.bytes == [1, 2, 3])
    }

    @Test func `is removed when others came first and it gets another name`() async throws {
        let endeavour = try await begun(parts: 2)
        endeavour.storage.put([1, 2, 3], at: "a.jpg")
        let receipt = try await endeavour.attempt()
        #expect(receipt.remoteID == "a-1.jpg" && receipt.evidence == .verified)
        #expect(endeavour.storage.openUploads == [] && endeavour.storage.objects.count == 2)
    }

    @Test func `is removed when others came at the last moment`() async throws {
        let last = Once(.part(5))
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, state in
                if last.strikes(sent) { state.objects["a.jpg"] = FakeStorage.Object(bytes: [1, 2, 3], headers: []) }
                return nil
            }))
        let receipt = try await endeavour.attempt()
        #expect(receipt.remoteID == "a-1.jpg" && endeavour.storage.objects["a.jpg"]?.bytes == [1, 2, 3])
        #expect(endeavour.storage.openUploads == [])
    }

    @Test func `is removed when the same bytes are there meanwhile`() async throws {
        let endeavour = try await begun(parts: 2)
        endeavour.storage.put(endeavour.bytes.content, at: "a.jpg")
        #expect(try await endeavour.arrives(wasThere: true) == 0)
    }

    @Test func `is removed when the item is stored whole by now`() async throws {
        let endeavour = try await begun(parts: 2)
        let whole = try Endeavour(endeavour.storage, ["parts_above": "1GiB"], checkpoint: endeavour.checkpoint)
        #expect(try await whole.arrives() == endeavour.bytes.content.count)
    }

    @Test func `goes on in parts of the size it was begun with`() async throws {
        let endeavour = try await begun(parts: 2)
        let larger = try Endeavour(endeavour.storage, ["part_size": "64KiB"], checkpoint: endeavour.checkpoint)
        #expect(try await larger.arrives() == endeavour.bytes.content.count - 2 * part)
    }

    @Test func `of one whose answer was lost is not mistaken for what others have begun under its key`() async throws {
        let once = Once(.begin)
        let endeavour = try Endeavour(
            FakeStorage(after: { sent, _, _ in
                once.strikes(sent) ? .failure(.lost) : nil
            }))
        endeavour.storage.change { state in
            state.uploads.open["old"] = .init(key: "a.jpg", headers: [], begun: Timestamp(nanoseconds: 0))
        }
        try await endeavour.fails(.tryAnother(after: nil), "broken")
        endeavour.storage.change { state in
            state.uploads.open["theirs"] = .init(key: "a.jpg", headers: [], parts: [1: [1, 2, 3]])
            state.uploads.open["beside"] = .init(key: "a.jpg.b", headers: [])
        }
        #expect(endeavour.note?.id == nil && endeavour.note != nil)
        _ = try await endeavour.attempt()
        endeavour.storage.change { #expect($0.uploads.open.keys.sorted() == ["beside", "old", "theirs"]) }
    }

    @Test func `is listed over many pages but for what is still to go on, and removed one by one`() async throws {
        let storage = FakeStorage()
        let now = Timestamp.now
        storage.change { state in
            for number in 1...7 {
                state.uploads.open["id\(number)"] = .init(
                    key: "phone/a b\(number).jpg", headers: [], parts: [1: [1, 2], 2: [3], 3: [4, 5]],
                    begun: Timestamp(nanoseconds: now.nanoseconds - Int64(number) * 1_000_000_000))
            }
            state.uploads.open["elsewhere"] = .init(key: "phones/a.jpg", headers: [])
        }
        let submitter = try storage.submitter(["prefix": "phone"])
        let leftovers = try #require(submitter.facets.leftovers)
        func note(_ number: Int, id: String?) -> Checkpoint {
            MultipartCheckpoint(
                bucket: "photos", key: "phone/a b\(number).jpg", partSize: 5, begun: now.seconds - 10, id: id
            ).checkpoint
        }
        let spared = [
            note(2, id: "id2"), note(3, id: nil), note(4, id: "another"), Checkpoint(data: [1, 2, 3]),
            MultipartCheckpoint(bucket: "else", key: "phone/a b5.jpg", partSize: 5, begun: 0, id: "id5").checkpoint,
        ]
        let found = try await leftovers.list(sparing: spared)
        #expect(found.map(\.id) == ["id7", "id6", "id5", "id4", "id1"])
        #expect(found.allSatisfy { $0.bytes == 5 && $0.name.hasPrefix("phone/a b") })
        #expect(found.last?.begun?.seconds == now.seconds - 1)
        for leftover in found { try await leftovers.remove(leftover) }
        storage.change { #expect($0.uploads.open.keys.sorted() == ["elsewhere", "id2", "id3"]) }
    }
}
