import Foundation
import Submit
import SubmitConcurrency
import SystemPackage
import Testing

@testable import SubmitPluginHost

/// Programs that do not keep to the protocol: each is contained.
@Suite(.timeLimit(.minutes(10))) struct HostileProgramTests {
    /// What becomes of a submission, and how.
    struct Case: Sendable, CustomTestStringConvertible {
        let program: String
        let code: String
        let words: String
        var testDescription: String { program }
    }

    static let cases = [
        Case(program: "long-line", code: "submitter-misbehaved", words: "a line of more than 1048576 bytes"),
        Case(program: "invalid-utf8", code: "submitter-misbehaved", words: "it is not UTF-8"),
        Case(program: "rubbish", code: "submitter-misbehaved", words: "it is no JSON object"),
        Case(program: "wrong-id", code: "submitter-misbehaved", words: "a request that is not open"),
        Case(program: "wrong-question", code: "submitter-misbehaved", words: "the number of a question again (7)"),
        Case(program: "wrong-outcome", code: "submitter-misbehaved", words: "“receipt” is missing"),
        Case(program: "floods-questions", code: "submitter-misbehaved", words: "more than 16 questions at once"),
        Case(program: "forks", code: "submitter-crashed", words: "with the status 3"),
        Case(program: "forks-away", code: "submitter-crashed", words: "with the status 3"),
        Case(program: "closes-output", code: "submitter-crashed", words: "closed its input or output"),
        Case(program: "closes-input", code: "submitter-crashed", words: "closed its input or output"),
        Case(
            program: "dies-once", code: "submitter-crashed",
            words: "by the signal 9 (it last wrote “the shelf fell over”)"),
        Case(program: "floods-errors", code: "submitter-crashed", words: "the last\u{fffd}[31m words"),
    ]

    @Test(arguments: cases)
    func `what breaks the protocol fails its submission, which is tried again, and nothing of it is left`(
        _ wrong: Case
    ) async throws {
        let photo = try Photo()
        let submitter = try await TestPrograms.submitter(wrong.program)
        let other = try await TestPrograms.submitter("honest")
        let conversation = submitter.keeper.conversation
        let process = try #require(conversation.process)
        let memory = Processes.memory
        let failure = await submitter.submit(photo).failure
        #expect(failure?.remedy == .retry(after: nil))
        #expect(failure?.code == wrong.code)
        let sentence = failure?.message ?? ""
        #expect(sentence.contains("“IMG_1.jpg” was not sent to “shelf”: submit-to-\(wrong.program)"), "\(sentence)")
        #expect(sentence.contains(wrong.words), "\(sentence)")
        // Another destination notices nothing.
        #expect(await other.submit(photo).failure == nil)
        try await conversation.gone()
        #expect(!Processes.isThere(process), "a zombie is left")
        try await eventually { Processes.living(inGroup: process).isEmpty }
        // These write more than half a gigabyte, or would; other tests run beside this one.
        if ["long-line", "floods-errors", "floods-questions"].contains(wrong.program) {
            #expect(Processes.memory - memory < 400 << 20)
        }
    }

    @Test(arguments: ["no-newline", "never-answers", "asks-and-does-not-read"])
    func `what shows no sign of life for as long as it promised one is ended`(_ name: String) async throws {
        let clock = HandClock()
        let photo = try Photo(bytes: 300_000)
        let submitter = try await TestPrograms.submitter(name, TestPrograms.surroundings(clock))
        let conversation = submitter.keeper.conversation
        // Once: the last sign of life, before which the clock must not be moved.
        let failure = await submitter.submit(photo) {
            Task {
                while name == "asks-and-does-not-read", conversation.state.withLock({ $0.questions.count < 15 }) {
                    await Task.yield()
                }
                #expect(conversation.state.withLock { $0.questions.count } <= 16)
                clock.advance(by: .seconds(59))
                #expect(!conversation.isOver)
                // Answers of ours count as signs too: they may have come in between.
                while !conversation.isOver {
                    clock.advance(by: .seconds(2))
                    await Task.yield()
                }
            }
        }.failure
        #expect(failure?.code == "submitter-hung")
        #expect(failure?.remedy == .retry(after: nil))
        #expect(failure?.message.contains("no sign of life for 60 seconds") == true, "\(failure?.message ?? "")")
        try await conversation.gone()
    }

    @Test func `of what is written for whoever looks for a fault, the last is kept`() async throws {
        let submitter = try await TestPrograms.submitter("floods-log")
        #expect(await submitter.submit(try Photo()).failure == nil)
        #expect(submitter.keeper.conversation.log.count == 100)
        #expect(submitter.keeper.conversation.log.allSatisfy { $0.count == 900 })
    }

    @Test(arguments: ["floods-progress", "ignores-cancel"])
    func `what does not stop when it is asked to is ended, and the submission is cancelled`(_ name: String) async throws
    {
        let clock = HandClock()
        let submitter = try await TestPrograms.submitter(name, TestPrograms.surroundings(clock))
        let conversation = submitter.keeper.conversation
        let photo = try Photo()
        let begun = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task { await submitter.submit(photo) { begun.continuation.yield() } }
        for await _ in begun.stream { break }
        task.cancel()
        clock.advance(by: .seconds(9))
        #expect(!conversation.isOver)
        // It may have been asked to stop only after the clock was moved.
        while !conversation.isOver {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(await task.value.failure == .cancelled)
        #expect(conversation.isOver)
        try await conversation.gone()
    }

    @Test func `whoever says twice how it ended, the second time of nothing, is ended`() async throws {
        let submitter = try await TestPrograms.submitter("late-answer")
        let photo = try Photo()
        let conversation = submitter.keeper.conversation
        let begun = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task { await submitter.submit(photo) { begun.continuation.yield() } }
        for await _ in begun.stream { break }
        task.cancel()
        #expect(await task.value.failure == .cancelled)
        try await conversation.gone()
        #expect(conversation.state.withLock { $0.end } == .misbehaved("spoke of a request that is not open (3)"))
    }

    @Test func `what was done before it could be cancelled is done`() async throws {
        let submitter = try await TestPrograms.submitter("too-late-to-cancel")
        let photo = try Photo()
        let begun = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let task = Task { await submitter.submit(photo) { begun.continuation.yield() } }
        for await _ in begun.stream { break }
        task.cancel()
        #expect(await task.value.failure == nil)
    }

    @Test func `a receipt for another submission ends the program, and neither is believed twice`() async throws {
        let submitter = try await TestPrograms.submitter("other-receipt")
        let photo = try Photo()
        async let first = submitter.submit(photo, as: "test-1")
        async let second = submitter.submit(photo, as: "test-2")
        let outcomes = await [first, second]
        #expect(outcomes.filter { $0.failure == nil }.count == 1)
        #expect(outcomes.compactMap(\.failure).map(\.code) == ["submitter-misbehaved"])
    }

    @Test(arguments: ["claims-cancelled", "claims-source-lost"])
    func `what only we can know is not believed`(_ name: String) async throws {
        let failure = try await TestPrograms.submitter(name).submit(try Photo()).failure
        #expect(failure?.remedy == .retry(after: nil))
    }

    @Test func `what was ended is started anew for the next attempt, when nothing is left of it`() async throws {
        let submitter = try await TestPrograms.submitter("dies-once")
        let photo = try Photo()
        let former = submitter.keeper.conversation
        #expect(await submitter.submit(photo).failure?.code == "submitter-crashed")
        #expect(await submitter.submit(photo, attempt: 2).failure == nil)
        let process = try #require(former.process)
        #expect(!Processes.isThere(process))
        #expect(submitter.keeper.conversation.process != process)
    }

    @Test func `what does not hear SIGTERM is killed`() async throws {
        let clock = HandClock()
        let submitter = try await TestPrograms.submitter("will-not-end", TestPrograms.surroundings(clock))
        let conversation = submitter.keeper.conversation
        let failure = await submitter.submit(try Photo()) { clock.advance(by: .seconds(60)) }.failure
        #expect(failure?.code == "submitter-hung")
        try await conversation.gone()
        #expect(!Processes.isThere(try #require(conversation.process)))
    }

    // MARK: Before anything is submitted

    @Test(arguments: [
        ("exits-at-once", "with the status 4 (it last wrote “there is no shelf here”)"),
        ("nothing", "cannot be run"),
        ("absent", "cannot be run"),
        ("wrong-version", "version 2, which was not offered"),
    ])
    func `a type that cannot be had says why`(_ name: String, _ words: String) throws {
        let failure = #expect(throws: SubmitFailure.self) {
            _ = try TestPrograms.program(name).submitterType(TestPrograms.surroundings())
        }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("“\(TestPrograms.program(name).path)”") == true, "\(failure?.message ?? "")")
    }

    @Test func `a program that never says what it is is waited for ten seconds`() throws {
        let clock = HandClock()
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        // This thread waits in the call, so that another one moves the clock.
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                clock.advance(by: .seconds(1))
                sched_yield()
            }
        }
        let failure = #expect(throws: SubmitFailure.self) {
            _ = try TestPrograms.program("mute").submitterType(TestPrograms.surroundings(clock))
        }
        #expect(failure?.code == "submitter-hung")
        #expect(failure?.message.contains("for 10 seconds") == true, "\(failure?.message ?? "")")
    }

    @Test func `a program that promises more when it is configured cannot be used`() async throws {
        let failure = await #expect(throws: SubmitFailure.self) {
            _ = try await TestPrograms.submitter("more-than-promised")
        }
        #expect(failure?.remedy == .hold(.misconfigured, after: nil))
        #expect(failure?.message.contains("promises more than before it was configured (width)") == true)
    }
}
