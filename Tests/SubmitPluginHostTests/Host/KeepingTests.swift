import Submit
import SubmitConcurrency
import Testing

@testable import SubmitPluginHost

@Suite(.timeLimit(.minutes(2))) struct KeepingTests {
    /// What was kept, in order. What comes first takes longest.
    private final class Shelf: DestinationNotes {
        let kept = Locked<[String]>([])

        func keep(_ text: String) async {
            for _ in 0..<(text == "1" ? 10_000 : 1) { await Task.yield() }
            kept.withLock { $0.append(text) }
        }

        func read(_ topic: String) async -> [UInt8]? { nil }

        func write(_ topic: String, _ note: [UInt8]?) async { await keep(String(decoding: note ?? [], as: UTF8.self)) }
    }

    @Test func `what a program has kept without waiting is kept in the order of its words`() async throws {
        let photo = try Photo()
        let notes = Shelf()
        let checkpoints = Shelf()
        let submitter = try await TestPrograms.submitter("hurries", notes: notes)
        let context = SubmissionContext(
            submission: "test-1",
            keep: { checkpoint in
                await checkpoints.keep(String(decoding: checkpoint?.data ?? [], as: UTF8.self))
                return .success(())
            })
        _ = try await submitter.submit(photo.item, bytes: photo, context: context)
        #expect(checkpoints.kept.withLock { $0 } == ["1", "2", "3"])
        #expect(notes.kept.withLock { $0 } == ["1", "2", "3"])
    }
}
