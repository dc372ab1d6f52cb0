import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import Testing

@testable import SubmitEngine

@Suite struct SmallItemTests {
    private static func facts(places: Int, smallPerPlace: Int) -> Capabilities {
        Capabilities(
            ordering: .concurrent(places), smallPerPlace: smallPerPlace, kinds: [.photo], captionLimit: 5,
            requiresNetwork: false)
    }

    @Test func `several small items take the place of a large one`() async throws {
        let facts = Self.facts(places: 2, smallPerPlace: 3)
        let shop = try Workshop(["a": facts])
        let gate = shop.gate(at: "a")
        let small = try await shop.accept(try shop.photos(20))
        async let run: Void = shop.run(small)
        await gate.arrivals(6)
        gate.open()
        try await run
        #expect(shop["a"].widest == 6)
    }

    /// A place that takes 100 ms, as over a long line, and refuses what comes while it has so many.
    private static func makeFar(_ place: InMemoryPlace, limit: Int = .max) -> Locked<(underWay: Int, refused: Int)> {
        let far = Locked((underWay: 0, refused: 0))
        place.script = { moment, _, _ in
            guard moment == .beforeSending else { return .success(()) }
            let isTaken = far.withLock { far in
                let isTaken = far.underWay < limit
                if isTaken { far.underWay += 1 } else { far.refused += 1 }
                return isTaken
            }
            guard isTaken else {
                return .failure(
                    SubmitFailure(.retry(after: .milliseconds(1)), code: "busy", message: "It is busy: wait."))
            }
            try? await Task.sleep(for: .milliseconds(100))
            far.withLock { $0.underWay -= 1 }
            return .success(())
        }
        return far
    }

    @Test func `more small items are sent at once where that makes none of them slower`() async throws {
        let facts = Self.facts(places: 2, smallPerPlace: 16)
        let shop = try Workshop(["far": facts])
        _ = Self.makeFar(shop["far"])
        let batch = try await shop.accept(try shop.photos(200))
        try await shop.run(batch)
        #expect((9...32).contains(shop["far"].widest), "8 to begin with")
        #expect(try await shop.states(batch, at: "far") == [.done: 200])
    }

    @Test func `no more are sent at once than a destination takes, once it has said so`() async throws {
        let facts = Self.facts(places: 2, smallPerPlace: 16)
        let shop = try Workshop(["far": facts])
        let far = Self.makeFar(shop["far"], limit: 12)
        let batch = try await shop.accept(try shop.photos(200))
        try await shop.run(batch)
        #expect(far.withLock(\.refused) <= 32, "as many as were let in at once, at most")
        #expect(try await shop.states(batch, at: "far") == [.done: 200])
    }

    @Test func `destinations share how many small items are under way, and each keeps its places`() async throws {
        let facts = Self.facts(places: 20, smallPerPlace: 40)
        let wide = Self.facts(places: 50, smallPerPlace: 2)
        let names = ["a", "b", "wide"]
        let shop = try Workshop(["a": facts, "b": facts, "wide": wide, "idle": facts])
        let (narrowGate, wideGate) = (shop.gate(at: "a", "b"), shop.gate(at: "wide"))
        let batch = try await shop.accept(try shop.photos(100), to: names)
        async let run: Void = shop.run(batch)
        // At least a quarter each, until the idle one leaves its own.
        await narrowGate.arrivals(32 + 32)
        await wideGate.arrivals(50)
        for _ in 0..<1000 { await Task.yield() }
        let widest = names.map { shop[$0].widest }
        narrowGate.open()
        wideGate.open()
        try await run
        #expect(widest[0] <= 42 && widest[1] <= 42 && widest[2] == 50, "\(widest)")
        for name in names { #expect(try await shop.states(batch, at: name) == [.done: 100]) }
    }

    @Test func `a queue with nothing to do leaves its share to the others until it has something again`() {
        let shares = ConcurrencyShares()
        let facts = Self.facts(places: 20, smallPerPlace: 40)
        let queues = [nil, nil].map { ConcurrencyLimiter(facts, jobs: $0, shares: shares) }
        #expect(queues.map(\.current) == [64, 64])
        for _ in 0..<2 {
            for _ in 0..<3 { queues[1].share(false) }
            #expect(queues[0].current == 80, "as many as it begins with")
            queues[1].share(true)
            #expect(queues[0].current == 64)
            for _ in 0..<3 { queues[1].share(true) }
            #expect(queues[0].current == 64)
        }
    }

    @Test(arguments: [nil, 2])
    func `large items take a place each, and nobody gets more than are asked for`(jobs: Int?) async throws {
        let facts = Self.facts(places: 2, smallPerPlace: 3)
        let shop = try Workshop(["a": facts])
        let size = Int(Capabilities.smallSize) + (jobs == nil ? 1 : 0)
        let gate = shop.gate(at: "a")
        let batch = try await shop.accept(try (0..<8).map { try shop.photo("\($0).jpg", bytes: size) })
        async let run: Void = shop.manager.start([batch], jobs: jobs).finish(patience: .seconds(20))
        await gate.arrivals(2)
        // All are claimed; whoever may begin has had the time to.
        while try await shop.states(batch, at: "a")[.running] ?? 0 < (jobs == nil ? 8 : 4) { await Task.yield() }
        for _ in 0..<1000 { await Task.yield() }
        gate.open()
        try await run
        #expect(shop["a"].widest == 2)
        #expect(shop["a"].stored.count == 8)
    }

    @Test func `what waits for a place is neither sent nor lost when it is cancelled`() async throws {
        let facts = Self.facts(places: 1, smallPerPlace: 4)
        let shop = try Workshop(["a": facts])
        let gate = shop.gate(at: "a")
        let large = Int(Capabilities.smallSize) + 1
        let first = try await shop.accept([try shop.photo("1.jpg", bytes: large)])
        let second = try await shop.accept([try shop.photo("2.jpg", bytes: large)])
        let third = try await shop.accept([try shop.photo("3.jpg")])
        async let run: Void = shop.manager.start([first, second, third]).finish(patience: .seconds(20))
        await gate.arrivals(1)
        _ = try await shop.manager.cancel(SubmissionSelection(batch: second))
        gate.open()
        try await run
        #expect(shop["a"].stored.sorted() == ["1.jpg", "3.jpg"])
        #expect(try await shop.states(second, at: "a") == [.cancelled: 1])
    }
}
