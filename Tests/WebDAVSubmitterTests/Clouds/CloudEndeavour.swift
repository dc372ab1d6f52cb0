import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import TestServers
import Testing

@testable import WebDAVSubmitter

/// One submission of an invented item in five pieces, tried again and again from its last checkpoint, as the engine
/// does: each attempt in a new submitter.
final class CloudEndeavour: Sendable {
    static let pieceSize = 32 << 10

    let cloud: CloudServer
    let wire: Wire
    /// Of the submission and of the folder.
    let name: String
    let bytes: ScriptedBytes
    private let notes = TransientNotes()
    private let settings: [String: String]
    private let access: DAVFront.Access
    private let state: Locked<(checkpoint: Checkpoint?, tries: Int, landed: Int64)>

    /// - Parameters:
    ///   - width: pieces at once.
    ///   - checkpoint: of attempts before these.
    init(
        _ cloud: CloudServer, name: String = "e-\(UUID().uuidString.lowercased().prefix(24))",
        checkpoint: Checkpoint? = nil, width: Int = 1, _ settings: [String: String] = [:],
        bytes: ScriptedBytes = ScriptedBytes(ScriptedBytes.content(count: 4 * pieceSize + 5000))
    ) throws {
        self.name = name
        state = Locked((checkpoint, 0, 0))
        var access = try cloud.access()
        let wire = Wire(access.transport)
        access.transport = wire
        self.cloud = cloud
        self.wire = wire
        self.bytes = bytes
        self.access = access
        self.settings = ["folder": name, "parts_above": "1KiB", "part_size": "32KiB", "jobs": "\(width)"]
            .merging(settings) { $1 }
    }

    var item: MediaItem { bytes.item(named: "a.jpg") }
    var note: UploadCheckpoint? { UploadCheckpoint(state.withLock { $0.checkpoint }) }
    var landed: Int64 { state.withLock { $0.landed } }
    var folder: String { "\(cloud.data)/\(name)" }
    var upload: String { "\(cloud.uploads)/.submit-\(name)" }
    var isOpen: Bool { FileManager.default.fileExists(atPath: upload) }

    func submitter() throws(SubmitFailure) -> WebDAVSubmitter { try access.submitter(settings, notes: notes) }

    func attempt(onConflict: ConflictPolicy = .rename) async throws(SubmitFailure) -> Receipt {
        let (checkpoint, tries, _) = state.withLock { state in
            state.tries += 1
            return state
        }
        return try await submitter().submit(
            item, bytes: bytes,
            context: SubmissionContext(
                submission: name, attempt: tries, onConflict: onConflict, checkpoint: checkpoint,
                keep: { [state] checkpoint in
                    state.withLock { $0.checkpoint = checkpoint }
                    return .success(())
                }, landed: { [state] count in state.withLock { $0.landed = max($0.landed, count) } }))
    }

    func discard() async throws(SubmitFailure) {
        let checkpoint = state.withLock { $0.checkpoint }
        try await submitter().discard(item, context: SubmissionContext(submission: name, checkpoint: checkpoint))
    }

    /// An attempt that fails.
    @discardableResult
    func fails(
        _ remedy: Remedy? = nil, _ code: String? = nil, location: SourceLocation = #_sourceLocation
    ) async throws -> SubmitFailure {
        let failure = await #expect(throws: SubmitFailure.self, sourceLocation: location) { try await attempt() }
        let found = try #require(failure, sourceLocation: location)
        if let remedy { #expect(found.remedy == remedy, "\(found.code): \(found)", sourceLocation: location) }
        if let code { #expect(found.code == code, "\(found.code): \(found)", sourceLocation: location) }
        if found.remedy != .cancelled {
            #expect(found.message.hasSuffix(".") && found.message.contains(": "), "\(found)", sourceLocation: location)
            #expect(found.message.contains("“a.jpg”"), "\(found)", sourceLocation: location)
        }
        return found
    }

    /// The next attempt is the last: all bytes are there under the right name, once, and nothing else is left.
    ///
    /// - Returns: bytes that it sent.
    @discardableResult
    func arrives(
        _ evidence: Evidence? = nil, wasThere: Bool = false, location: SourceLocation = #_sourceLocation
    ) async throws -> Int {
        let before = wire.taken
        let receipt = try await attempt()
        #expect(receipt.remoteID == "a.jpg", "\(receipt)", sourceLocation: location)
        if let evidence { #expect(receipt.evidence == evidence, "\(receipt)", sourceLocation: location) }
        #expect(receipt.wasThere == wasThere, sourceLocation: location)
        try expectOnlyIt(location)
        return Int(wire.taken - before)
    }

    /// Attempts until one is the last.
    ///
    /// - Returns: the codes of those before it.
    func goesOn(location: SourceLocation = #_sourceLocation) async throws -> [String] {
        var codes: [String] = []
        for _ in 0..<8 {
            do throws(SubmitFailure) {
                _ = try await attempt()
                try? expectOnlyIt(location)
                return codes
            } catch {
                codes.append(error.code)
            }
        }
        Issue.record("It does not end: \(codes)", sourceLocation: location)
        return codes
    }

    func expectOnlyIt(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.jpg"], sourceLocation: location)
        let stored = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/a.jpg"))
        #expect(Array(stored) == bytes.content, "\(stored.count) bytes", sourceLocation: location)
        let date = try FileManager.default.attributesOfItem(atPath: "\(folder)/a.jpg")[.modificationDate] as? Date
        #expect(date.map { Int64($0.timeIntervalSince1970) } == item.modified.seconds, sourceLocation: location)
        #expect(!isOpen, sourceLocation: location)
    }

    func expectNothing(_ location: SourceLocation = #_sourceLocation) throws {
        let there = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        #expect(there == [], sourceLocation: location)
        #expect(!isOpen, sourceLocation: location)
    }
}
