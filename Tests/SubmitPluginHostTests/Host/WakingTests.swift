import Submit
import SubmitConcurrency
import Testing

@testable import SubmitPluginHost

/// Deadlines by the machine's clock: whoever waits for them is woken by nobody else.
@Suite(.timeLimit(.minutes(1))) struct WakingTests {
    /// - Parameter patience: for `hello` and `configure`. Where it is long, no deadline of theirs wakes the thread by chance.
    private static func surroundings(_ patience: Duration = .seconds(3600)) -> ProgramEnvironment {
        var surroundings = TestPrograms.surroundings()
        surroundings.clock = .machine
        surroundings.patience.greeting = patience
        surroundings.patience.configuring = patience
        return surroundings
    }

    @Test func `a program that never says what it is is ended`() async throws {
        let surroundings = Self.surroundings(.seconds(1))
        let failure = await #expect(throws: SubmitFailure.self) {
            _ = try await TestPrograms.submitter("mute", surroundings)
        }
        #expect(failure?.code == "submitter-hung")
    }

    @Test func `a program that goes silent after we took longer to answer than it may is ended`() async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter("silent-after-answer", Self.surroundings())
        let conversation = submitter.keeper.conversation
        let context = SubmissionContext(
            submission: "test-1",
            keep: { _ in
                // Until the thread waits for us, and would not wake by itself for long.
                try? await eventually {
                    let soon = conversation.clock.now() + .seconds(60)
                    return conversation.state.withLock { $0.end != nil || ($0.wakesAt.map { $0 > soon } ?? true) }
                }
                return .success(())
            })
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(photo.item, bytes: photo, context: context)
        }
        #expect(failure?.code == "submitter-hung")
    }
}
