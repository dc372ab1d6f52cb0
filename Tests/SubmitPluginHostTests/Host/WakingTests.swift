import Submit
import Testing

@testable import SubmitPluginHost

/// Deadlines by the machine's clock: whoever waits for them is woken by nobody else.
@Suite(.timeLimit(.minutes(1))) struct WakingTests {
    private static func surroundings(greeting: Duration = .seconds(60)) -> ProgramSurroundings {
        var surroundings = TestPrograms.surroundings()
        surroundings.clock = .machine
        surroundings.patience.greeting = greeting
        return surroundings
    }

    @Test func `a program that never says what it is is ended`() async throws {
        let surroundings = Self.surroundings(greeting: .seconds(1))
        let failure = await #expect(throws: SubmitFailure.self) {
            _ = try await TestPrograms.submitter("mute", surroundings)
        }
        #expect(failure?.code == "submitter-hung")
    }

    @Test func `a program that goes silent after we took longer to answer than it may is ended`() async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter("silent-after-answer", Self.surroundings())
        let conversation = submitter.keeper.conversation
        let context = SubmissionContext(submission: "test-1", keep: { _ in
            // Until the thread waits for nothing but us.
            try? await eventually {
                conversation.state.withLock { $0.end != nil || ($0.wakesAt == nil && !$0.questions.isEmpty) }
            }
            return .success(())
        })
        let failure = await #expect(throws: SubmitFailure.self) {
            try await submitter.submit(photo.item, bytes: photo, context: context)
        }
        #expect(failure?.code == "submitter-hung")
    }
}
