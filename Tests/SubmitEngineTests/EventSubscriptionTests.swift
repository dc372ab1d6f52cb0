import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import Testing

@Suite struct `Who listens` {
    private func names(_ heard: Locked<[SubmitEvent]>) -> [String] {
        heard.withLock { $0 }.compactMap {
            if case .done(let note, _) = $0 { "\(note.item.name) \(note.destination)" } else { nil }
        }
        .sorted()
    }

    @Test func `hears what it asked for: of a batch, at a destination, and what concerns all`() async throws {
        let shop = try Workshop()
        let first = try await shop.accept([shop.photo("first.jpg")])
        let second = try await shop.accept([shop.photo("second.jpg")])
        let (ofFirst, atB) = (Locked<[SubmitEvent]>([]), Locked<[SubmitEvent]>([]))
        shop.manager.listen(to: EventFilter(batches: [first])) { event in ofFirst.withLock { $0.append(event) } }
        shop.manager.listen(to: EventFilter(destinations: ["b"])) { event in atB.withLock { $0.append(event) } }
        let both = shop.manager.events(EventFilter(batches: [second], destinations: ["a"]))
        try await shop.manager.start([first, second]).finish(patience: .seconds(20))
        try await shop.manager.pause(["a"])
        shop.manager.endEvents()
        #expect(names(ofFirst) == ["first.jpg a", "first.jpg b"])
        #expect(names(atB) == ["first.jpg b", "second.jpg b"])
        #expect(ofFirst.withLock { $0.contains { if case .paused = $0 { true } else { false } } })
        #expect(!atB.withLock { $0.contains { if case .paused = $0 { true } else { false } } })
        let streamed = Locked<[SubmitEvent]>([])
        for await event in both { streamed.withLock { $0.append(event) } }
        #expect(names(streamed) == ["second.jpg a"])
    }

    @Test func `hears of an acceptance where one of its submissions is wanted`() async throws {
        let shop = try Workshop()
        let heard = Locked<[String: Int]>([:])
        for name in ["a", "b", "none"] {
            shop.manager.listen(to: EventFilter(destinations: [name])) { event in
                if case .accepted = event { heard.withLock { $0[name, default: 0] += 1 } }
            }
        }
        _ = try await shop.accept([shop.photo("one.jpg")])
        #expect(heard.withLock { $0 } == ["a": 1, "b": 1])
    }

    @Test func `hears nothing more when it has cancelled, from within too, and others go on`() async throws {
        let shop = try Workshop()
        let (own, others) = (Locked(0), Locked(0))
        let listening = Locked<EventSubscription?>(nil)
        let one = shop.manager.listen { _ in
            own.withLock { $0 += 1 }
            listening.withLock { $0 }?.cancel()
        }
        listening.withLock { $0 = one }
        shop.manager.listen { _ in others.withLock { $0 += 1 } }
        try await shop.manager.pause(["a", "b"])
        one.cancel()
        #expect(own.withLock { $0 } == 1)
        #expect(others.withLock { $0 } == 2)
    }

    @Test func `goes on where nobody keeps what listen returned`() async throws {
        let shop = try Workshop()
        let count = Locked(0)
        shop.manager.listen { _ in count.withLock { $0 += 1 } }
        try await shop.manager.pause(["a"])
        #expect(count.withLock { $0 } == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `sees how far what is being sent has come`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let (half, all) = (Gate(), Gate())
        shop["a"].script = { moment, item, context in
            guard moment == .beforeSending else { return .success(()) }
            if item.name == "large.jpg" {
                context.sent(100)
                await half.pass()
                context.sent(200)
                await all.pass()
            }
            return .success(())
        }
        let batch = try await shop.accept([shop.photo("large.jpg", bytes: 300), shop.photo("small.jpg")])
        let id = try await shop.record(batch, at: "a", named: "large.jpg").id
        var progress = shop.manager.progress(of: id, every: .milliseconds(1)).makeAsyncIterator()
        async let run: Void = shop.run(batch)
        await half.arrivals(1)
        let seen = await shop.manager.underWay().first { $0.submission == id }
        #expect(seen?.sent == 100 && seen?.size == 300 && seen?.attempt == 1 && seen?.name == "large.jpg")
        #expect(await shop.manager.underWay(EventFilter(batches: [batch + 1])).isEmpty)
        half.open()
        await all.arrivals(1)
        var last: Int64 = 0
        while last < 200, let now = await progress.next() { last = now.sent }
        #expect(last >= 200)
        all.open()
        try await run
        while await progress.next() != nil {}
        #expect(await shop.manager.underWay().isEmpty)
    }
}
