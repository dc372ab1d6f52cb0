import Submit
import SubmitConcurrency
import SubmitDigest
import SystemPackage
import Testing

@testable import SubmitTransfer

/// A service in memory.
private final class Service: StagingService {
    struct State {
        var uploads: [String: [UInt8]] = [:]
        var copies: [String: [UInt8]] = [:]
        var sent: [Int64] = []
        var tellsDigests = true
        var handsOut = true
        var isDamaging = false
    }

    let state = Locked(State())
    let place = "the service"
    let partSize: Int64 = 4
    var account: String { "\(ObjectIdentifier(self))" }

    private func digest(_ bytes: [UInt8]?) -> [UInt8]? {
        guard let bytes else { return nil }
        var pass = DigestPass([.sha256])
        bytes.withUnsafeBytes { pass.update($0) }
        return pass.finalize()[.sha256]
    }

    func look(_ address: String) -> CopyFindings? {
        state.withLock { state in
            guard let copy = state.copies[address] else { return nil }
            var findings = CopyFindings(size: Int64(copy.count))
            if state.tellsDigests { findings.computed[.sha256] = digest(copy) }
            return findings
        }
    }

    func readBack(_ address: String) -> [UInt8]? {
        state.withLock { $0.handsOut ? digest($0.copies[address]) : nil }
    }

    func begin(_ item: MediaItem, submission: String) -> String {
        state.withLock { $0.uploads["upload of \(submission)"] = [] }
        return "upload of \(submission)"
    }

    func landed(_ upload: String) -> Int64? { state.withLock { $0.uploads[upload].map { Int64($0.count) } } }

    func send(_ piece: [UInt8], at offset: Int64, to upload: String) throws(SubmitFailure) {
        state.withLock { state in
            state.sent.append(offset)
            state.uploads[upload]? += state.isDamaging ? piece.map { ~$0 } : piece
        }
    }

    func digest(of upload: String) -> [UInt8]? {
        state.withLock { $0.tellsDigests ? digest($0.uploads[upload]) : nil }
    }

    func publish(_ upload: String, as address: String, replacing: Bool) -> Bool {
        state.withLock { state in
            guard replacing || state.copies[address] == nil else { return false }
            state.copies[address] = state.uploads.removeValue(forKey: upload)
            return true
        }
    }

    func abandon(_ upload: String) { state.withLock { $0.uploads[upload] = nil } }
}

@Suite struct `Staged uploads` {
    private let service = Service()
    private let bytes = PlainBytes(content: Array(1...10))

    private func submit(_ checkpoint: String? = nil, attempt: Int = 1) async throws -> Receipt {
        let context = SubmissionContext(
            submission: "s", attempt: attempt, checkpoint: checkpoint.map { Checkpoint(data: Array($0.utf8)) })
        var pass = DigestPass([.sha256])
        bytes.content.withUnsafeBytes { pass.update($0) }
        let item = MediaItem(
            source: "/card/a.jpg", name: "a.jpg", size: bytes.size, type: .other, modified: Timestamp(nanoseconds: 0),
            digests: pass.finalize())
        return try await StagedUploads(service).submit(item, bytes: bytes, context: context)
    }

    @Test func `an upload resumes at the offset that the service reports`() async throws {
        service.state.withLock { $0.uploads["begun"] = [1, 2, 3, 4, 5] }
        #expect(try await submit("begun", attempt: 2) == Receipt(remoteID: "a.jpg", evidence: .verified))
        #expect(service.state.withLock { $0.sent } == [5, 9])
        #expect(service.state.withLock { $0.copies } == ["a.jpg": bytes.content])
    }

    @Test func `an upload that the service has forgotten starts over`() async throws {
        _ = try await submit("forgotten", attempt: 2)
        #expect(service.state.withLock { $0.sent } == [0, 4, 8])
    }

    @Test func `a damaged upload is removed and never published`() async throws {
        service.state.withLock { $0.isDamaging = true }
        await #expect { try await submit() } throws: { ($0 as? SubmitFailure)?.code == "damaged" }
        #expect(service.state.withLock { $0.uploads.isEmpty && $0.copies.isEmpty })
    }

    @Test func `without a digest, a receipt claims only the size`() async throws {
        service.state.withLock { $0.tellsDigests = false }
        #expect(try await submit().evidence == .size)
    }

    @Test func `another file of the same size is not taken for the item`() async throws {
        service.state.withLock { ($0.tellsDigests, $0.handsOut) = (false, false) }
        service.state.withLock { $0.copies["a.jpg"] = Array(11...20) }
        #expect(try await submit().remoteID == "a-1.jpg")
        #expect(service.state.withLock { $0.copies["a.jpg"] } == Array(11...20))
    }

    @Test func `a copy that is there is recognised by reading it back, and nothing of the upload stays`() async throws {
        service.state.withLock { state in
            state.tellsDigests = false
            state.copies["a.jpg"] = bytes.content
            state.uploads["begun"] = [1]
        }
        #expect(try await submit("begun", attempt: 2).wasThere)
        #expect(service.state.withLock { $0.uploads.isEmpty && $0.sent.isEmpty })
    }
}
