import Submit
import Testing

@testable import SubmitPluginHost

@Suite(.timeLimit(.minutes(1))) struct BrokenLineTests {
    /// What the engine counts: where the body was cut.
    private func cut(attempt: Int, bytes: Int) async throws -> Int64? {
        let submitter = try await TestPrograms.submitter("broken-line")
        let watch = BodyWatch()
        let photo = try Photo(bytes: bytes)
        let failure = await BodyWatch.$ofTask.withValue(watch) {
            await submitter.submit(photo, attempt: attempt).failure
        }
        #expect(failure?.remedy == .tryAnother(after: nil))
        return watch.cut
    }

    @Test func `a program that reports a broken connection and the bytes sent has its breaks counted by offset`()
        async throws
    {
        #expect(try await cut(attempt: 1, bytes: 3_000_000) == 2_500_000)
        #expect(try await cut(attempt: 1, bytes: 2_500_000) == nil, "all of it had been sent")
        #expect(try await cut(attempt: 2, bytes: 3_000_000) == nil, "the service answered")
    }
}
