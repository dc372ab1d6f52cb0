import Submit
import SubmitEngine
import Testing

@Suite struct LifetimeTests {
    /// Ends a stream when nobody holds it any more.
    private final class Farewell: Sendable {
        let gone: AsyncStream<Never>.Continuation

        init(_ gone: AsyncStream<Never>.Continuation) {
            self.gone = gone
        }

        deinit {
            gone.finish()
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a manager and its runs are gone with those who held them`() async throws {
        let (stream, gone) = AsyncStream.makeStream(of: Never.self)
        try await work(heldBy: Farewell(gone))
        for await _ in stream {}
        #expect(!Task.isCancelled)
    }

    private func work(heldBy farewell: Farewell) async throws {
        let shop = try Workshop()
        // Every queue of every run holds what calls the listeners, as the manager does.
        shop.manager.listen { _ in _ = farewell }
        let batch = try await shop.accept(try shop.photos(3))
        try await shop.run(batch)
        try await shop.run(batch)
    }
}
