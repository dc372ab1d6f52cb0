import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// One submission of an invented item in five segments, tried again and again from its last checkpoint, as the engine
/// does.
final class SegmentEndeavour: Sendable {
    static let partSize = 32 << 10

    let swift: FakeSwift
    let name: String
    let bytes: ScriptedBytes
    let submitter: any Submitter
    private let submission: String
    private let state: Locked<Checkpoint?>

    /// - Parameters:
    ///   - width: segments at once.
    ///   - checkpoint: of attempts before these.
    init(
        _ swift: FakeSwift, named name: String = "a.jpg", width: Int = 1, seed: UInt64 = 1,
        _ settings: [String: String] = [:], submission: String = "test-1", checkpoint: Checkpoint? = nil
    ) throws(SubmitFailure) {
        let parts = ["parts_above": "1KiB", "part_size": "32KiB", "jobs": "\(width)"]
        self.swift = swift
        self.name = name
        self.submission = submission
        bytes = ScriptedBytes(ScriptedBytes.content(count: 4 * Self.partSize + 5000, seed: seed))
        submitter = try swift.submitter(parts.merging(settings) { $1 })
        state = Locked(checkpoint)
    }

    var checkpoint: Checkpoint? { state.withLock { $0 } }

    func attempt(onConflict: ConflictPolicy = .rename) async throws(SubmitFailure) -> Receipt {
        try await submitter.submit(
            bytes.item(named: name), bytes: bytes,
            context: SubmissionContext(
                submission: submission, onConflict: onConflict, checkpoint: checkpoint,
                keep: { [state] checkpoint in
                    state.withLock { $0 = checkpoint }
                    return .success(())
                }))
    }

    func discard() async throws(SubmitFailure) {
        try await submitter.discard(
            bytes.item(named: name), context: SubmissionContext(submission: submission, checkpoint: checkpoint))
    }

    /// An attempt that fails with one sentence that names the photo and says what to do.
    func fails(
        _ remedy: Remedy, _ code: String, onConflict: ConflictPolicy = .rename,
        location: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = await #expect(throws: SubmitFailure.self, sourceLocation: location) {
            try await attempt(onConflict: onConflict)
        }
        let found = try #require(failure, sourceLocation: location)
        #expect(found.remedy == remedy && found.code == code, "\(found.code): \(found)", sourceLocation: location)
        found.expectSentence(naming: "“\(name)”", location: location)
    }

    /// The next attempt is the last: all bytes are there under the right key, once, and nothing else is left.
    ///
    /// - Returns: bytes of segments that it sent.
    @discardableResult
    func arrives(
        _ evidence: Evidence = .verified, wasThere: Bool = false, location: SourceLocation = #_sourceLocation
    ) async throws -> Int {
        let before = swift.taken
        let receipt = try await attempt()
        #expect(receipt.evidence == evidence && receipt.remoteID == name, "\(receipt)", sourceLocation: location)
        #expect(receipt.wasThere == wasThere, sourceLocation: location)
        #expect(swift.objects == [name: bytes.content], sourceLocation: location)
        #expect(swift.leftovers == [], sourceLocation: location)
        // Whoever forgets it only now must leave the copy whole.
        try await discard()
        #expect(swift.objects == [name: bytes.content], sourceLocation: location)
        return swift.taken - before
    }
}

/// Something that happens once, at the first request of a step.
final class OnceInSegments: Sendable {
    private let step: SegmentStep
    private let isDone = Locked(false)

    init(_ step: SegmentStep) { self.step = step }

    func strikes(_ sent: FakeSwift.Sent) -> Bool {
        guard SegmentStep(sent) == step else { return false }
        return isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
