import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// One submission of an invented item in five parts, tried again and again from its last checkpoint, as the engine does.
final class Endeavour: Sendable {
    static let partSize = 32 << 10

    let storage: FakeStorage
    let bytes = ScriptedBytes(ScriptedBytes.content(count: 4 * partSize + 5000))
    let submitter: any Submitter
    private let state: Locked<(checkpoint: Checkpoint?, tries: Int)>

    /// - Parameters:
    ///   - width: parts at once.
    ///   - checkpoint: of attempts before these.
    init(
        _ storage: FakeStorage, width: Int = 1, _ settings: [String: String] = [:], profile: S3Profile = .smallParts,
        checkpoint: Checkpoint? = nil, clock: @escaping @Sendable () -> Timestamp = { .now }
    ) throws(SubmitFailure) {
        let parts = ["parts_above": "1KiB", "part_size": "32KiB", "jobs": "\(width)"]
        self.storage = storage
        submitter = try storage.submitter(parts.merging(settings) { $1 }, profile: profile, clock: clock)
        state = Locked((checkpoint, 0))
    }

    init(_ storage: FakeStorage, _ submitter: any Submitter) {
        self.storage = storage
        self.submitter = submitter
        state = Locked((nil, 0))
    }

    var item: MediaItem { bytes.item(named: "a.jpg") }
    var checkpoint: Checkpoint? { state.withLock { $0.checkpoint } }
    var note: MultipartCheckpoint? { MultipartCheckpoint(checkpoint) }

    func attempt(
        onConflict: ConflictPolicy = .rename, sent: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(SubmitFailure) -> Receipt {
        let (checkpoint, tries) = state.withLock { state in
            state.tries += 1
            return state
        }
        return try await submitter.submit(
            item, bytes: bytes,
            context: SubmissionContext(
                submission: "test-1", attempt: tries, onConflict: onConflict, checkpoint: checkpoint,
                keep: { [state] checkpoint in
                    state.withLock { $0.checkpoint = checkpoint }
                    return .success(())
                }, sent: sent))
    }

    func discard() async throws(SubmitFailure) {
        try await submitter.discard(item, context: SubmissionContext(submission: "test-1", checkpoint: checkpoint))
    }

    /// An attempt that fails with one sentence that names the photo and says what to do.
    func fails(
        _ remedy: Remedy, _ code: String, location: SourceLocation = #_sourceLocation
    ) async throws {
        let failure = await #expect(throws: SubmitFailure.self, sourceLocation: location) { try await attempt() }
        let found = try #require(failure, sourceLocation: location)
        #expect(found.remedy == remedy && found.code == code, "\(found.code): \(found)", sourceLocation: location)
        found.expectSentence(naming: "“a.jpg”", location: location)
    }

    /// The next attempt is the last: all bytes are there under the right key, once, and nothing else is left.
    ///
    /// - Returns: bytes of parts that it sent.
    @discardableResult
    func arrives(
        _ evidence: Evidence = .verified, wasThere: Bool = false, location: SourceLocation = #_sourceLocation
    ) async throws -> Int {
        let before = storage.taken
        let receipt = try await attempt()
        #expect(receipt.evidence == evidence && receipt.remoteID == "a.jpg", "\(receipt)", sourceLocation: location)
        #expect(receipt.wasThere == wasThere, sourceLocation: location)
        #expect(storage.objects.mapValues(\.bytes) == ["a.jpg": bytes.content], sourceLocation: location)
        #expect(storage.openUploads == [], sourceLocation: location)
        return Int(storage.taken - before)
    }
}

extension SubmitFailure {
    /// It is one sentence, and says what to do.
    func expectSentence(naming name: String, location: SourceLocation = #_sourceLocation) {
        #expect(message.contains(name), "\(message)", sourceLocation: location)
        #expect(message.hasSuffix(".") && !message.contains(". "), "\(message)", sourceLocation: location)
        #expect(message.contains(": "), "\(message)", sourceLocation: location)
        #expect(!message.contains(FakeStorage.secret) && !message.contains("\n"), sourceLocation: location)
    }
}

/// What a request to a bucket is about.
enum Step: Sendable, Hashable {
    case look, begin
    case part(Int)
    case listParts, listUploads, complete, abort, other

    init(_ sent: FakeStorage.Sent) {
        let parts = sent.url.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? parts[1] : ""
        let isUpload = query.contains("uploadId=")
        switch sent.method {
        case "HEAD": self = .look
        case "POST": self = isUpload ? .complete : .begin
        case "PUT": self = query.firstMatch(of: /partNumber=(\d+)/).flatMap { Int($0.1) }.map(Step.part) ?? .other
        case "GET" where isUpload: self = .listParts
        case "GET" where query.hasSuffix("uploads="): self = .listUploads
        case "DELETE" where isUpload: self = .abort
        default: self = .other
        }
    }
}

extension FakeStorage {
    var steps: [Step] { sent.map { Step($0) } }
}

/// Something that happens once, at the first request of a step.
final class Once: Sendable {
    private let step: Step
    private let isDone = Locked(false)

    init(_ step: Step) { self.step = step }

    func strikes(_ sent: FakeStorage.Sent) -> Bool {
        guard Step(sent) == step else { return false }
        return isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
