import Foundation
import Submit
import SubmitEngine
import SubmitJournal
import SubmitTesting
import SystemPackage
import Testing

@Suite struct StoreControlTests {
    /// Lets submissions to `place` begin and not go on until the gate opens; a cancelled one goes on.
    private func hold(_ place: InMemoryPlace) -> Gate {
        let gate = Gate()
        place.script = { moment, _, _ in
            guard moment == .beforeStoring else { return .success(()) }
            await withTaskCancellationHandler {
                await gate.pass()
            } onCancel: {
                gate.open()
            }
            return .success(())
        }
        return gate
    }

    @Test func `one submission is cancelled from another process while it is sent`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let gate = hold(shop["a"])
        let batch = try await shop.accept(try shop.photos(1))
        async let run: Void = shop.run(batch)
        await gate.arrivals(1)
        let other = try shop.otherManager()
        let cancellation = try await other.cancel(SubmissionSelection(submission: 1))
        #expect(cancellation.told == [1])
        try await run
        #expect(try await shop.states(batch, at: "a") == [.cancelled: 1])
        #expect(shop["a"].contents.isEmpty)
    }

    @Test func `a destination is cancelled and the other goes on`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(10))
        let cancellation = try await shop.manager.cancel(SubmissionSelection(destination: "b"))
        #expect(cancellation.cancelled.count == 10)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 10])
        #expect(try await shop.states(batch, at: "b") == [.cancelled: 10])
        #expect(shop["b"].contents.isEmpty)
    }

    @Test func `one batch is cancelled and the other goes on`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let first = try await shop.accept([try shop.photo("one.jpg")])
        let second = try await shop.accept([try shop.photo("two.jpg")])
        _ = try await shop.manager.cancel(SubmissionSelection(batch: first))
        try await shop.manager.start([first, second]).finish(patience: .zero)
        #expect(shop["a"].contents.keys.sorted() == ["two.jpg"])
        _ = try await shop.manager.cancel(SubmissionSelection())
        #expect(try await shop.states(second, at: "a") == [.done: 1], "what is done stays done")
    }

    @Test func `a pause holds in every process until someone resumes`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(10))
        try await shop.otherManager().pause(["b"])
        try await shop.run(batch, patience: .seconds(3600))
        #expect(try await shop.states(batch, at: "a") == [.done: 10])
        #expect(try await shop.states(batch, at: "b") == [.waiting: 10])
        try await shop.otherManager().resume(["b"])
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "b") == [.done: 10])
    }

    @Test func `a pause from another process stops a run that is under way`() async throws {
        let shop = try Workshop(["a": Capabilities(ordering: .sequential, requiresNetwork: false)])
        let gate = hold(shop["a"])
        let batch = try await shop.accept(try shop.photos(10))
        async let run: Void = shop.run(batch, patience: .seconds(3600))
        await gate.arrivals(1)
        try await shop.otherManager().pause(["a"])
        gate.open()
        try await run
        let states = try await shop.states(batch, at: "a")
        #expect(states[.waiting, default: 0] >= 8, "what is under way and the one behind it may still go: \(states)")
        #expect(states[.running] == nil)
    }

    @Test func `failed submissions are sent again on request`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        shop["a"].script = { _, _, _ in
            .failure(SubmitFailure(.giveUp, code: "no", message: "It is refused: change it."))
        }
        let batch = try await shop.accept(try shop.photos(3))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.failed: 3])
        shop["a"].script = nil
        #expect(try await shop.manager.retry(SubmissionSelection(batch: batch)) == 3)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 3])
    }

    @Test func `an interrupted run leaves its submissions owed, and the next one sends each once`() async throws {
        let shop = try Workshop()
        let gate = hold(shop["a"])
        let batch = try await shop.accept(try shop.photos(20))
        let task = Task { try await shop.run(batch) }
        await gate.arrivals(4)
        task.cancel()
        try await task.value
        let states = try await shop.states(batch, at: "a")
        #expect(states[.running] == nil && states[.failed] == nil && states[.cancelled] == nil)
        shop["a"].script = nil
        let next = try shop.otherManager()
        try await next.start([batch]).finish(patience: .seconds(20))
        for place in ["a", "b"] {
            #expect(try await shop.states(batch, at: place) == [.done: 20])
            #expect(shop[place].stored.count == 20)
        }
    }

    @Test func `two managers on one journal send each submission once`() async throws {
        let shop = try Workshop()
        let batch = try await shop.accept(try shop.photos(150))
        let other = try shop.otherManager()
        async let first: Void = shop.run(batch)
        async let second: Void = other.start([batch]).finish(patience: .seconds(20))
        _ = try await (first, second)
        for place in ["a", "b"] {
            #expect(try await shop.states(batch, at: place) == [.done: 150])
            #expect(shop[place].begun.count == 150, "none was begun twice")
        }
    }
}
