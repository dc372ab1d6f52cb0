import Submit
import SubmitTesting
import Testing

@testable import WebDAVSubmitter

extension WebDAVSubmitter {
    /// One attempt with an invented item.
    func submit(
        _ bytes: ScriptedBytes, named name: String = "a.jpg", as submission: String = "test-1", attempt: Int = 1,
        caption: String? = nil, tags: [String] = [], onConflict: ConflictPolicy = .rename
    ) async throws(SubmitFailure) -> Receipt {
        try await submit(
            bytes.item(named: name, caption: caption, tags: tags), bytes: bytes,
            context: SubmissionContext(submission: submission, attempt: attempt, onConflict: onConflict))
    }
}

/// What an attempt fails with.
func failure(
    _ location: SourceLocation = #_sourceLocation, of attempt: () async throws(SubmitFailure) -> Receipt
) async throws -> SubmitFailure {
    let found = await #expect(throws: SubmitFailure.self, sourceLocation: location) { try await attempt() }
    let failure = try #require(found, sourceLocation: location)
    #expect(failure.message.hasSuffix(".") && !failure.message.contains("\n"), "\(failure)", sourceLocation: location)
    return failure
}
