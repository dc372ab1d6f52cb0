import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Attending, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `tells what others made of a batch, until it is heard`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let batch = try await store.accept(NewItem.photos(3)).batch
        let (watcher, sender) = (try await store.makeWorker(), try await store.makeWorker())
        try await watcher.attend([batch])
        try await sender.attend([batch])
        let claims = try await sender.take(limit: 2)
        try await store.settle(claims[0], .done(.stored()))
        try await store.settle(claims[1], .untried)
        let own = try await watcher.take(limit: 1)
        try await store.settle(own[0], .failed(.scripted))
        let first = try await watcher.news(after: nil)
        #expect(first.news.map(\.id) == [claims[0].id] && first.news.first?.state == .done)
        #expect(try await watcher.news(after: nil).news.map(\.id) == [claims[0].id], "it has not said that it heard")
        #expect(try await watcher.news(after: first.heard).news.isEmpty)
        #expect(try await watcher.news(after: first.heard).heard == first.heard)
        #expect(try await sender.news(after: nil).news.map(\.id) == own.map(\.id), "nobody hears of its own")
        #expect(try await store.record(claims[1].id)?.tries == 1)
        #expect(
            try await store.attempts(of: claims[1].id).map(\.outcome) == ["failed"], "what was not tried is no attempt")
        try await watcher.leave(nil)
        let last = try #require(try await sender.take().first)
        try await store.settle(last, .released)
        #expect(try await watcher.news(after: first.heard).news.isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `tells once more of what has changed since`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let batch = try await store.accept([.photo(to: ["a"])]).batch
        let other = try await store.accept([.photo(to: ["b"])]).batch
        let (watcher, sender) = (try await store.makeWorker(), try await store.makeWorker())
        try await watcher.attend([batch, other])
        try await watcher.leave([other])
        try await store.settle(try #require(try await sender.take().first), .released)
        let first = try await watcher.news(after: nil)
        #expect(first.news.map(\.state) == [.waiting])
        try await store.settle(try #require(try await sender.take().first), .done(.stored()))
        try await store.settle(try #require(try await sender.take("b").first), .done(.stored()))
        let second = try await watcher.news(after: first.heard)
        #expect(second.news.map(\.state) == [.done] && second.news.map(\.batch) == [batch])
        #expect(try await watcher.news(after: second.heard).news.isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `a mark is another one when somebody else has written`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        let before = try await store.mark()
        try await other.setPaused(true, ["a"])
        let after = try await store.mark()
        #expect(after != before)
        try await other.setPaused(false, ["a"])
        #expect(try await store.mark() != after)
    }

    @Test(arguments: StoreMaker.all)
    func `a batch is running while somebody accepts, sends or watches it`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        func isRunning(_ batch: BatchID) async throws -> Bool { try await other.batches([batch])[0].isRunning }
        let acceptance = try await store.begin()
        let batch = acceptance.batch
        #expect(try await isRunning(batch))
        _ = try await store.accept([.photo(to: ["a"])], for: acceptance, portion: 0)
        try await store.beatAcceptances()
        try await store.complete(acceptance)
        #expect(try await isRunning(batch) == false)
        let worker = try await store.makeWorker()
        try await worker.beat()
        let claim = try #require(try await worker.take().first)
        #expect(try await isRunning(batch))
        try await store.settle(claim, .done(.stored()))
        #expect(try await isRunning(batch) == false)
        try await worker.attend([batch])
        #expect(try await isRunning(batch))
        try await worker.leave(nil)
        #expect(try await isRunning(batch) == false)
    }
}
