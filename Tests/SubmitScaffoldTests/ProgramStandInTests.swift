import Foundation
import Submit
import SubmitPluginHost
import SubmitScaffold
import SubmitTesting
import SystemPackage
import Testing

/// What the templates promise beyond the contract, on the folder that plays the service.
@Suite struct ProgramStandInTests {
    private static let languages: [StandAloneProject.Language] = [.python, .sh]

    private let bytes = ScriptedBytes(ScriptedBytes.content(count: 1000), isFile: true)
    private var item: MediaItem { bytes.item(named: "photo.jpg") }

    @Test(arguments: languages, [ConflictPolicy.rename, .skip])
    func `what a broken attempt left goes when there is nothing to send any more`(
        language: StandAloneProject.Language, policy: ConflictPolicy
    ) async throws {
        let place = try ProgramHarness(language: language).place()
        try place.put(policy == .skip ? [1] : bytes.content, named: "photo.jpg")
        try place.folder.write("half", to: "place/uploads/s-1")
        let context = SubmissionContext(
            submission: "s-1", attempt: 2, onConflict: policy, checkpoint: Checkpoint(data: Array("s-1".utf8)))
        #expect(try await place.makeSubmitter().submit(item, bytes: bytes, context: context).wasThere)
        #expect(try place.leftovers() == [])
    }

    @Test(arguments: languages)
    func `without digests an upload is known by its size, and a copy by reading it back`(
        language: StandAloneProject.Language
    ) async throws {
        let place = try ProgramHarness(language: language, tellsDigests: false).place()
        let submitter = try await place.makeSubmitter()
        let receipt = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "s-1"))
        #expect(receipt.evidence == .size && !receipt.wasThere)
        let again = try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "s-2"))
        #expect(again.evidence == .verified && again.wasThere)
        // Another photo of that name and size.
        let other = ScriptedBytes(ScriptedBytes.content(count: 1000, seed: 2), isFile: true)
        let theirs = try await submitter.submit(
            other.item(named: "photo.jpg"), bytes: other, context: SubmissionContext(submission: "s-3"))
        #expect(!theirs.wasThere && theirs.remoteID == "photo-1.jpg")
        #expect(try place.contents() == ["photo.jpg": bytes.content, "photo-1.jpg": other.content])
    }

    @Test(arguments: languages)
    func `where nobody can look nothing is absent, and nothing is told as removed`(
        language: StandAloneProject.Language
    ) async throws {
        let place = try ProgramHarness(language: language).place()
        // For root too: a link that leads to itself.
        for name in ["copies", "uploads"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(place.root)/\(name)", withDestinationPath: "\(place.root)/\(name)")
        }
        let submitter = try await place.makeSubmitter()
        let receipt = Receipt(remoteID: "Summer/photo.jpg", evidence: .verified)
        let presence = try #require(await submitter.facets.presence?.presence(of: item, receipt: receipt))
        guard case .unknown = presence else {
            Issue.record("it answered \(presence)")
            return
        }
        await #expect(throws: SubmitFailure.self, "a copy") { try await submitter.facets.removal?.remove(receipt) }
        await #expect(throws: SubmitFailure.self, "an album") {
            try await submitter.facets.removal?.removeAlbum("Summer")
        }
        await #expect(throws: SubmitFailure.self, "an upload") {
            try await submitter.discard(item, context: SubmissionContext(submission: "s-1"))
        }
    }

    /// What people write into holes while they try.
    @Test(arguments: [
        (StandAloneProject.Language.python, "def begin(self, submission_id):", "raise SystemExit(3)", "SystemExit: 3"),
        (.python, "def begin(self, submission_id):", "return 42", "a checkpoint is a text, and this is of type int"),
        (.sh, "upload() {", "exit 3", "ended with status 3"),
        (.sh, "upload() {", #": "${UNSET_HERE:?no endpoint}""#, "without an answer"),
        (.sh, "upload() {", #"nonesuch 2>"$work/$id.error" || trouble"#, "not found"),
        (.sh, "discard() {", "exit 3", "ended with status 3"),
    ])
    func `a request that dies says so`(
        language: StandAloneProject.Language, hole: String, filling: String, words: String
    ) async throws {
        let place = try ProgramHarness(language: language).place()
        let path = place.program.path.string
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let broken = text.replacing(hole, with: "\(hole)\n        \(filling)")
        try #require(broken != text)
        // In place: it stays a program.
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(broken.utf8))
        try file.close()
        let submitter = try await place.makeSubmitter()
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(item, bytes: bytes, context: SubmissionContext(submission: "s-1"))
        }
        #expect(failure?.message.contains(words) ?? false, "\(failure?.message ?? "")")
        // What dies while it tidies up has stored the photo.
        #expect(try place.contents().isEmpty || hole.hasPrefix("discard"))
    }

    @Test func `what a photo is called is no trouble in sh`() async throws {
        let place = try ProgramHarness(language: .sh).place()
        // It cannot be linked to where a folder is, and that is all that counts.
        let item = bytes.item(named: "quota denied.jpg")
        let folder = "\(place.root)/copies/quota denied.jpg"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try place.folder.write("", to: "place/copies/quota denied.jpg/x")
        let submitter = try await place.makeSubmitter()
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(
                item, bytes: bytes, context: SubmissionContext(submission: "s-1", onConflict: .overwrite))
        }
        if case .hold = failure?.remedy { Issue.record("\(failure?.message ?? "")") }
    }
}
