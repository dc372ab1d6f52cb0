import Submit
import SubmitConcurrency
import SubmitHTTP
import SubmitTesting
import Testing

@testable import ObjectStorageSubmitter

/// What a server does with parts that it has all bytes of, whoever goes away: it stores them, later.
private final class LateParts: HTTPTransport {
    let storage = FakeStorage()
    /// One for each part that came.
    let came = AsyncSemaphore(0)
    /// One for each that is stored.
    let isStored = AsyncSemaphore(0)

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard request.method == "PUT", request.url.contains("partNumber=") else {
            return try await storage.send(request)
        }
        request.sent?(request.body.length ?? 0)
        came.release()
        let answered = AsyncSemaphore(0)
        let storing = Task { [storage, isStored] in
            defer { answered.release() }
            _ = await isStored.acquire()
            return try? await storage.send(request)
        }
        guard await answered.acquire() else { throw .cancelled }
        return await storing.value ?? HTTPResponse(status: 500)
    }
}

@Suite struct `A part that is cancelled when all of it was sent` {
    @Test func `is stored before its upload is ended, so that nothing of it stays`() async throws {
        let late = LateParts()
        let settings = ["parts_above": "1KiB", "part_size": "32KiB"]
        let submitter = try late.storage.submitter(settings, profile: .smallParts, transport: late)
        let bytes = ScriptedBytes(ScriptedBytes.content(count: 5000))
        let item = bytes.item(named: "a.jpg")
        let kept = Locked<Checkpoint?>(nil)
        let attempt = Task {
            try? await submitter.submit(
                item, bytes: bytes,
                context: SubmissionContext(
                    submission: "test-1",
                    keep: { checkpoint in
                        kept.withLock { $0 = checkpoint }
                        return .success(())
                    }))
        }
        #expect(await late.came.acquire())
        attempt.cancel()
        #expect(await attempt.value == nil)
        let discarding = Task {
            try await late.storage.submitter(settings, profile: .smallParts).discard(
                item, context: SubmissionContext(submission: "test-1", checkpoint: kept.withLock { $0 }))
        }
        for _ in 0..<2000 { await Task.yield() }
        late.isStored.release()
        try await discarding.value
        let part = try #require(late.storage.sent.firstIndex { $0.url.contains("partNumber=") })
        let end = try #require(late.storage.sent.firstIndex { $0.method == "DELETE" })
        #expect(part < end)
        #expect(late.storage.openUploads == [])
    }
}
