import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import Testing

/// Nothing comes through to a destination: be it the way there or the whole of it, be it for one item alone.
@Suite(.timeLimit(.minutes(1))) struct `A destination to which nothing comes through` {
    private static let broken = SubmitFailure(
        .tryAnother(after: nil), code: "broken", message: "The connection broke: try again.")

    /// Items whose names begin so break what they are sent to.
    private func poison(_ place: InMemoryPlace, _ prefix: String) {
        place.script = { moment, item, _ in
            moment == .beforeSending && item.name.hasPrefix(prefix) ? .failure(Self.broken) : .success(())
        }
    }

    private func shop() throws -> Workshop { try Workshop(["a": InMemorySubmitter.capabilities]) }

    /// Sends until the gate opens, however long that takes. What is under way then goes on waiting.
    private func send(_ batch: BatchID, of shop: Workshop, until gate: Gate) async throws {
        let run = try await shop.manager.start([batch])
        let sending = Task { try await run.finish(patience: nil) }
        await gate.pass()
        sending.cancel()
        try await sending.value
    }

    @Test(arguments: [1, 20])
    func `is waited for as one that cannot be reached, and counts no attempt of anyone`(count: Int) async throws {
        let shop = try shop()
        let (tries, enough) = (Locked(0), Gate())
        shop["a"].script = { moment, _, _ in
            guard moment == .beforeSending else { return .success(()) }
            // All may have been under way when the first of them broke.
            let isEnough = tries.withLock { tries in
                tries += 1
                return tries > count + Workshop.policy.attempts
            }
            if isEnough { enough.open() }
            return .failure(Self.broken)
        }
        let batch = try await shop.accept(try shop.photos(count))
        try await send(batch, of: shop, until: enough)
        #expect(try await shop.states(batch, at: "a") == [.waiting: count])
        let hold = try #require(try await shop.journal.state(of: "a").hold)
        #expect(hold.reason == .unreachable && hold.code == "broken")
        #expect(shop["a"].contents.isEmpty)
        shop["a"].script = nil
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: count])
        #expect(try await shop.journal.state(of: "a").hold == nil)
    }

    @Test func `for one item alone fails that, and nobody waits for it`() async throws {
        let shop = try shop()
        poison(shop["a"], "IMG_0000")
        let batch = try await shop.accept(try shop.photos(200))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 199, .failed: 1])
        let attempts = try await shop.journal.attempts(of: 1)
        #expect(attempts.count { $0.outcome == "waiting" } >= Workshop.policy.attempts - 1)
        #expect(attempts.last?.outcome == "failed" && attempts.last?.code == "broken")
    }

    @Test func `for one item alone does so in the next run too`() async throws {
        let shop = try shop()
        poison(shop["a"], "IMG_0000")
        let batch = try await shop.accept(try shop.photos(2))
        // The one that breaks may put the destination on hold before the other has its turn.
        for _ in 0..<40 where try await shop.states(batch, at: "a")[.done] == nil {
            try await shop.run(batch, patience: .zero)
        }
        #expect(try await shop.states(batch, at: "a")[.done] == 1)
        for _ in 0..<400 where try await shop.states(batch, at: "a")[.failed] == nil {
            let later = try await shop.accept([try shop.photo("later-\(Int.random(in: 0..<1 << 40)).jpg")])
            try await shop.manager.start([batch, later]).finish(patience: .zero)
        }
        #expect(try await shop.states(batch, at: "a") == [.done: 1, .failed: 1])
    }

    @Test func `for the one item of a process fails that, though what arrives comes from another process`() async throws
    {
        let shop = try shop()
        poison(shop["a"], "IMG_0000")
        let batch = try await shop.accept(try shop.photos(1))
        let run = try await shop.manager.start([batch])
        async let lonely: Void = run.finish(patience: .seconds(10))
        let others = try shop.otherManager()
        for number in 0..<400 where try await shop.states(batch, at: "a")[.failed] == nil {
            let good = try await others.accept(
                SubmitRequest(paths: [try shop.photo("good-\(number).jpg")], destinations: ["a"])
            ).batch
            try await others.start([good]).finish(patience: .seconds(5))
        }
        #expect(try await shop.states(batch, at: "a") == [.failed: 1])
        try await lonely
    }

    @Test func `for all that go first is looked at by the last ones too`() async throws {
        let shop = try shop()
        let bad = try (0..<60).map { try shop.photo("A\($0).jpg") }
        let good = try (0..<60).map { try shop.photo("B\($0).jpg") }
        let tried = Locked<[String]>([])
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            tried.withLock { $0.append(item.name) }
            return item.name.hasPrefix("A") ? .failure(Self.broken) : .success(())
        }
        let (arrived, all) = (Locked(0), Gate())
        let listening = shop.manager.listen { event in
            guard case .done = event else { return }
            let isAll = arrived.withLock { arrived in
                arrived += 1
                return arrived == good.count
            }
            if isAll { all.open() }
        }
        let batch = try await shop.accept(bad + good)
        try await send(batch, of: shop, until: all)
        listening.cancel()
        #expect(try await shop.states(batch, at: "a")[.done] == good.count)
        let first = try #require(tried.withLock { $0.firstIndex { $0.hasPrefix("B") } })
        #expect(first < 40, "\(tried.withLock { $0 })")
    }

    @Test func `is left when the wait is over, however often it was looked at`() async throws {
        let shop = try Workshop(
            ["a": InMemorySubmitter.capabilities],
            policy: RetryPolicy(base: .milliseconds(10), longest: .milliseconds(10)))
        shop["a"].outage = SubmitFailure(.hold(.unreachable, after: nil), code: "down", message: "It is down.")
        let batch = try await shop.accept(try shop.photos(3))
        try await shop.run(batch, patience: .milliseconds(50))
        #expect(try await shop.states(batch, at: "a") == [.waiting: 3])
    }

    @Test func `is what a resume takes up of what failed, and nothing else`() async throws {
        let shop = try shop()
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending else { return .success(()) }
            switch item.name {
            case "IMG_0000.jpg": return .failure(Self.broken)
            case "IMG_0001.jpg":
                return .failure(SubmitFailure(.giveUp, code: "no", message: "It is refused: change it."))
            default: return .success(())
            }
        }
        let batch = try await shop.accept(try shop.photos(200))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 198, .failed: 2])
        shop["a"].script = nil
        #expect(try await shop.manager.resume(["a"], batches: [batch + 1]) == 0)
        #expect(try await shop.manager.resume(["b"]) == 0)
        #expect(try await shop.manager.resume(["a"], batches: [batch]) == 1)
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 199, .failed: 1])
    }
}
