import Submit
import SubmitConcurrency
import Testing

@testable import ObjectStorageSubmitter

/// Hands out `value 1`, `value 2` ... by hand or at once, and a clock that is set by hand.
private final class Issuer: Sendable {
    struct State {
        var seconds: Int64 = 1000
        /// How long what is issued is good for.
        var life: Int64? = 3600
        var fetches = 0
        var cancelled = 0
        var failure: SubmitFailure?
        /// Fetches wait until they are let go on.
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    let state = Locked(State())

    func renewed() -> ExpiringValue<String> {
        ExpiringValue(now: { Timestamp(nanoseconds: self.state.withLock { $0.seconds } * 1_000_000_000) }) {
            () async throws(SubmitFailure) in
            let number = self.state.withLock { state in
                state.fetches += 1
                return state.fetches
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isHeld = self.state.withLock { state in
                        if state.isHeld { state.held.append(continuation) }
                        return state.isHeld
                    }
                    if !isHeld { continuation.resume() }
                }
            } onCancel: {
                self.state.withLock { $0.cancelled += 1 }
            }
            let (failure, seconds, life) = self.state.withLock { ($0.failure, $0.seconds, $0.life) }
            if let failure { throw failure }
            return ("value \(number)", life.map { Timestamp(nanoseconds: (seconds + $0) * 1_000_000_000) })
        }
    }

    var fetches: Int { state.withLock { $0.fetches } }

    func set(seconds: Int64) { state.withLock { $0.seconds = seconds } }

    func hold() { state.withLock { $0.isHeld = true } }

    /// Waits until `count` fetches are held.
    func heard(_ count: Int) async {
        while state.withLock({ $0.held.count < count }) { await Task.yield() }
    }

    func letGo() {
        let held = state.withLock { state in
            defer { state.held = [] }
            state.isHeld = false
            return state.held
        }
        for continuation in held { continuation.resume() }
    }
}

private let trouble = SubmitFailure(.retry(after: nil), code: "trouble", message: "It is in trouble.")

/// Asks in a task of its own, which runs only when `hand` says so.
private func ask(_ renewed: ExpiringValue<String>, on hand: ByHand) -> Task<Result<String, SubmitFailure>, Never> {
    Task(executorPreference: hand) {
        do throws(SubmitFailure) {
            return .success(try await renewed.value().value)
        } catch {
            return .failure(error)
        }
    }
}

/// What a task that runs by hand comes to.
private func end<Value>(_ task: Task<Value, Never>, on hand: ByHand) async -> Value {
    let isDone = Locked(false)
    let watch = Task {
        let value = await task.value
        isDone.withLock { $0 = true }
        return value
    }
    while !isDone.withLock({ $0 }) {
        hand.run()
        await Task.yield()
    }
    return await watch.value
}

@Suite struct `Something that is renewed` {
    private let issuer = Issuer()
    let hand = ByHand()

    @Test func `is fetched by one, however many wait`() async {
        let renewed = issuer.renewed()
        issuer.hold()
        let tasks = (0..<50).map { _ in ask(renewed, on: hand) }
        hand.run()
        await issuer.heard(1)
        issuer.letGo()
        for task in tasks { #expect(await end(task, on: hand) == .success("value 1")) }
        #expect(issuer.fetches == 1)
    }

    @Test(arguments: [
        // Of an hour, five minutes; of ten minutes, one.
        (3600, 3299, 3300), (600, 539, 540), (36000, 35699, 35700),
    ])
    func `is kept until little of its time is left`(_ life: Int64, _ good: Int64, _ due: Int64) async throws {
        issuer.state.withLock { $0.life = life }
        let renewed = issuer.renewed()
        #expect(try await renewed.value().expires == Timestamp(nanoseconds: (1000 + life) * 1_000_000_000))
        issuer.set(seconds: 1000 + good)
        #expect(try await renewed.value().value == "value 1")
        issuer.set(seconds: 1000 + due)
        #expect(try await renewed.value().value == "value 2")
        #expect(try await renewed.value().value == "value 2")
    }

    @Test func `is kept for ever where no end is known`() async throws {
        issuer.state.withLock { $0.life = nil }
        let renewed = issuer.renewed()
        _ = try await renewed.value()
        issuer.set(seconds: 1_000_000_000)
        #expect(try await renewed.value().value == "value 1")
    }

    @Test func `that is over when it comes is handed out once`() async throws {
        issuer.state.withLock { $0.life = -60 }
        let renewed = issuer.renewed()
        #expect(try await renewed.value().value == "value 1")
        #expect(try await renewed.value().value == "value 2")
    }

    @Test func `is fetched anew once when many were refused the same`() async throws {
        let renewed = issuer.renewed()
        let first = try await renewed.value()
        for _ in 0..<3 { renewed.refuse(first) }
        let second = try await renewed.value()
        #expect(second.value == "value 2")
        renewed.refuse(first)
        #expect(try await renewed.value().value == "value 2")
        renewed.refuse(second)
        #expect(try await renewed.value().value == "value 3")
    }

    @Test func `that is refused while it is fetched anew stays refused`() async throws {
        let renewed = issuer.renewed()
        let first = try await renewed.value()
        issuer.set(seconds: 1000 + 3400)
        issuer.hold()
        let task = ask(renewed, on: hand)
        hand.run()
        await issuer.heard(1)
        renewed.refuse(first)
        issuer.state.withLock { $0.failure = trouble }
        issuer.letGo()
        #expect(await end(task, on: hand) == .failure(trouble))
    }

    @Test func `fails all who wait, and is tried again by the next`() async throws {
        let renewed = issuer.renewed()
        issuer.hold()
        let tasks = (0..<5).map { _ in ask(renewed, on: hand) }
        hand.run()
        await issuer.heard(1)
        issuer.state.withLock { $0.failure = trouble }
        issuer.letGo()
        for task in tasks { #expect(await end(task, on: hand) == .failure(trouble)) }
        #expect(issuer.fetches == 1)
        issuer.state.withLock { $0.failure = nil }
        #expect(try await renewed.value().value == "value 2")
    }

    @Test func `is handed out to its end when no other can be fetched`() async throws {
        let renewed = issuer.renewed()
        _ = try await renewed.value()
        issuer.state.withLock { $0.failure = trouble }
        issuer.set(seconds: 1000 + 3599)
        #expect(try await renewed.value().value == "value 1")
        #expect(issuer.fetches == 2)
        issuer.set(seconds: 1000 + 3600)
        await #expect(throws: trouble) { try await renewed.value() }
    }

    @Test func `lets one who is cancelled go while others wait on`() async {
        let renewed = issuer.renewed()
        issuer.hold()
        let leaver = ask(renewed, on: hand)
        let stayer = ask(renewed, on: hand)
        hand.run()
        await issuer.heard(1)
        leaver.cancel()
        #expect(await end(leaver, on: hand) == .failure(.cancelled))
        issuer.letGo()
        #expect(await end(stayer, on: hand) == .success("value 1"))
        #expect(issuer.fetches == 1)
        #expect(issuer.state.withLock { $0.cancelled } == 0)
    }

    @Test func `is no longer fetched when all have gone, and is fetched anew by the next`() async throws {
        let renewed = issuer.renewed()
        issuer.hold()
        let leaver = ask(renewed, on: hand)
        hand.run()
        await issuer.heard(1)
        leaver.cancel()
        #expect(await end(leaver, on: hand) == .failure(.cancelled))
        #expect(issuer.state.withLock { $0.cancelled } == 1)
        let next = ask(renewed, on: hand)
        hand.run()
        await issuer.heard(2)
        issuer.letGo()
        #expect(await end(next, on: hand) == .success("value 2"))
        #expect(try await renewed.value().value == "value 2")
    }

    @Test func `is not fetched for a task that is cancelled before it asks`() async {
        let renewed = issuer.renewed()
        let task = ask(renewed, on: hand)
        task.cancel()
        #expect(await end(task, on: hand) == .failure(.cancelled))
        #expect(issuer.fetches == 0)
    }

    @Test func `is not shown by anything that prints`() async throws {
        let renewed = issuer.renewed()
        let issued = try await renewed.value()
        var text = "\(issued) \(String(reflecting: issued)) \(renewed)"
        dump(issued, to: &text)
        dump(renewed, to: &text)
        #expect(!text.contains("value 1"))
    }
}
