import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// The server goes on with a Complete that it answered with 504, and shows nothing of that.
@Suite struct `A key at which an upload may yet become an object` {
    private let storage = FakeStorage(quirks: [.hidesWhileCompleting])
    private let first = ScriptedBytes(ScriptedBytes.content(count: 5000))
    private let kept = Locked<Checkpoint?>(nil)

    private func submitter() throws(SubmitFailure) -> any Submitter {
        try storage.submitter(["parts_above": "1KiB", "part_size": "32KiB"], profile: .smallParts)
    }

    private func context(attempt: Int = 1) -> SubmissionContext {
        SubmissionContext(
            submission: "first-1", attempt: attempt, checkpoint: kept.withLock { $0 },
            keep: { [kept] checkpoint in
                kept.withLock { $0 = checkpoint }
                return .success(())
            })
    }

    private func awaited() async throws -> any Submitter {
        let submitter = try submitter()
        await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(first.item(named: "a.jpg"), bytes: first, context: context())
        }
        return submitter
    }

    private func submit(
        _ content: [UInt8], _ onConflict: ConflictPolicy = .rename, to submitter: any Submitter
    ) async throws(SubmitFailure) -> Receipt {
        let bytes = ScriptedBytes(content)
        return try await submitter.submit(
            bytes.item(named: "a.jpg"), bytes: bytes,
            context: SubmissionContext(submission: "second-1", onConflict: onConflict))
    }

    @Test func `is left to it, and others get another name`() async throws {
        let submitter = try await awaited()
        let second = ScriptedBytes.content(count: 301, seed: 2)
        #expect(try await submit(second, to: submitter).remoteID == "a-1.jpg")
        storage.settle()
        let receipt = try await submitter.submit(first.item(named: "a.jpg"), bytes: first, context: context(attempt: 2))
        #expect(receipt.remoteID == "a.jpg" && receipt.wasThere)
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": first.content, "a-1.jpg": second])
    }

    @Test(arguments: [ConflictPolicy.skip, .fail])
    func `is waited for by others that get no other name`(_ policy: ConflictPolicy) async throws {
        let submitter = try await awaited()
        let second = ScriptedBytes.content(count: 301, seed: 2)
        let failure = await #expect(throws: SubmitFailure.self) { try await submit(second, policy, to: submitter) }
        #expect(failure?.code == "conflict" && failure?.remedy == .retry(after: nil))
        failure?.expectSentence(naming: "“a.jpg”")
        // That one is not wanted any more.
        let item = first.item(named: "a.jpg")
        storage.change { $0.nodes.completing = [:] }
        try await submitter.discard(item, context: context())
        #expect(try await submit(second, policy, to: submitter).remoteID == "a.jpg")
    }

    @Test func `is waited for by the same photo, which is not stored twice`() async throws {
        let submitter = try await awaited()
        let failure = await #expect(throws: SubmitFailure.self) { try await submit(first.content, to: submitter) }
        #expect(failure?.code == "conflict")
        storage.settle()
        #expect(try await submit(first.content, to: submitter).wasThere)
        #expect(storage.objects.count == 1)
    }

    @Test func `is known to the next process as soon as it goes on with that one`() async throws {
        _ = try await awaited()
        let next = try submitter()
        // It gets no farther than its album.
        let stuck = SubmissionContext(
            submission: "first-1", attempt: 2, album: String(repeating: "x", count: 1100),
            checkpoint: kept.withLock { $0 })
        await #expect(throws: SubmitFailure.self) {
            try await next.submit(first.item(named: "a.jpg"), bytes: first, context: stuck)
        }
        #expect(try await submit(ScriptedBytes.content(count: 301, seed: 2), to: next).remoteID == "a-1.jpg")
    }
}
