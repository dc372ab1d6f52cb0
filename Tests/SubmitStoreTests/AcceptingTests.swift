import Submit
import SubmitStore
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Accepting, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `writes down what is there when the store is opened again`(maker: StoreMaker) async throws {
        let place = maker.place()
        var items = NewItem.photos(3)
        for index in items.indices { items[index].submissions[1].album = "Summer" }
        let batch = try await place.open().accept(items).batch
        let again = try place.open()
        let records = try await again.submissions(SubmissionSelection(batch: batch))
        #expect(records.count == 6)
        #expect(records[1].item == items[0].item && records[1].identity == items[0].identity)
        #expect(records[1].album == "Summer")
        let claimed = try await again.makeWorker().take("b", first: [batch], limit: 1)
        #expect(claimed.first?.identity == items[0].identity && claimed.first?.item == items[0].item)
        #expect(claimed.first?.accepted == place.clock.now)
    }

    @Test(arguments: StoreMaker.all, [1, 15, 16, 17, 40])
    func `gives every item of a portion its own submissions, however many come together`(
        maker: StoreMaker, count: Int
    ) async throws {
        let store = try maker.place().open()
        let items = (0..<count).map { index in
            var new = NewItem.photo("\(index).jpg")
            new.submissions = (0..<index % 3).map { number in
                NewSubmission(
                    destination: "\(index)-\(number)", refusal: index.isMultiple(of: 2) ? .scripted : nil)
            }
            return new
        }
        let batch = try await store.accept([.photo("before.jpg")]).batch
        let ids = try await store.accept(items, in: batch).submissions
        #expect(ids.map(\.count) == items.map(\.submissions.count))
        for (new, ids) in zip(items, ids) {
            for (submission, id) in zip(new.submissions, ids) {
                let record = try #require(try await store.record(id))
                #expect(record.item.name == new.item.name)
                #expect(record.destination == submission.destination)
                #expect(record.state == (submission.refusal == nil ? .waiting : .failed))
            }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `keeps a path that is not UTF-8 byte for byte`(maker: StoreMaker) async throws {
        let bytes: [CInterop.PlatformChar] = [0x2f, -1, -2, 0x2e, 0x6a, 0]
        let path = bytes.withUnsafeBufferPointer { FilePath(platformString: $0.baseAddress!) }
        let store = try maker.place().open()
        try await store.accept([.photo(path: path)])
        #expect(try await store.submissions(SubmissionSelection()).first?.item.source == path)
        #expect(try await store.submissions(ofSource: path, limit: 9).count == 2)
    }

    @Test(arguments: StoreMaker.all)
    func `keeps what was asked for until all of it is accepted`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let first = try await store.begin("these files")
        let batch = first.batch
        _ = try await store.accept([.photo("a.jpg")], for: first, portion: 0)
        #expect(try await store.openAcceptances(of: batch) == [first] && first.request == "these files")
        #expect(try await store.sources(of: first) == ["/photos/a.jpg"])
        let second = try await store.begin("and those", in: batch)
        #expect(second.batch == batch)
        #expect(try await store.sources(of: second) == [], "the first one's are not its own")
        try await store.complete(first)
        #expect(try await store.openAcceptances(of: nil).map(\.request) == ["and those"])
        #expect(try await store.batches([batch]).map(\.isComplete) == [false])
        try await store.complete(second)
        #expect(try await store.openAcceptances(of: batch).isEmpty)
        #expect(try await store.batches([batch]).map(\.isComplete) == [true])
        _ = try await store.begin("more", in: batch)
        #expect(try await store.batches([batch]).map(\.isComplete) == [false], "it is complete no longer")
        #expect(try await store.unfinishedBatches() == [batch])
    }

    @Test(arguments: StoreMaker.all)
    func `is completed by one, and not while somebody is at it`(maker: StoreMaker) async throws {
        let place = maker.place()
        var first: (any Store)? = try place.open()
        let acceptance = try #require(try await first?.begin("these files"))
        #expect(try await first?.takeUp(acceptance, key: IdempotencyKey()) == false, "it is at it itself")
        let other = try place.open()
        try await other.sweep()
        #expect(try await other.takeUp(acceptance, key: IdempotencyKey()) == false, "the first one lives")
        try await first?.release(acceptance)
        #expect(try await other.takeUp(acceptance, key: IdempotencyKey()) == true, "it was left to others")
        try await other.release(acceptance)
        #expect(try await first?.takeUp(acceptance, key: IdempotencyKey()) == true)
        first = nil
        let key = IdempotencyKey()
        try await other.sweep { try await other.takeUp(acceptance, key: key) }
        #expect(try await place.open().takeUp(acceptance, key: IdempotencyKey()) == false)
        try await other.complete(acceptance)
        #expect(try await other.takeUp(acceptance, key: IdempotencyKey()) == false)
        #expect(try await other.takeUp(acceptance, key: key) == false)
    }

    @Test(arguments: StoreMaker.all)
    func `tells of what is asked for anew, and ends with a cancel`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        let acceptance = try await store.begin("these files")
        #expect(try await store.amend(acceptance, to: "those files"))
        #expect(try await other.amend(acceptance, to: "others") == false, "it is not that one's")
        #expect(try await store.openAcceptances(of: nil).map(\.request) == ["those files"])
        _ = try await store.accept([.photo()], for: acceptance, portion: 0)
        let cancellation = try await other.cancel(SubmissionSelection(batch: acceptance.batch))
        if place.remembers { #expect(cancellation.endedAcceptances == 1) }
        #expect(try await store.accept([.photo("b.jpg")], for: acceptance, portion: 1) == nil)
        #expect(try await store.amend(acceptance, to: "these files") == false)
        #expect(try await store.tallies(SubmissionSelection()).map(\.count) == [1, 1])
        #expect(try await store.batches([acceptance.batch]).map(\.isComplete) == [true])
    }

    @Test(arguments: StoreMaker.all)
    func `takes an item with a key in once, whoever brings it`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        let first = try await store.accept([.photo(key: "k")])
        let acceptance = try await other.begin()
        let again = try await other.accept([.photo(key: "k"), .photo(key: "l")], for: acceptance, portion: 0)
        let known = KnownItem(idempotencyKey: "k", batch: first.batch, submissions: first.submissions[0])
        #expect(again?.first == .known(known))
        #expect(try await store.submissions(SubmissionSelection()).count == 4)
        #expect(try await store.known(keys: ["k", "m"]) == ["k": known])
    }

    @Test(arguments: StoreMaker.all)
    func `takes an item with a key in once, though it is owed to nobody`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let acceptance = try await store.begin()
        _ = try await store.accept(NewItem.photos(3), for: acceptance, portion: 0)
        let first = try await store.accept([.photo("k.jpg", to: [], key: "k")], for: acceptance, portion: 1)
        #expect(first?.flatMap(\.submissions) == [])
        let known = KnownItem(idempotencyKey: "k", batch: acceptance.batch, submissions: [])
        #expect(try await store.accept([.photo(key: "k")], for: acceptance, portion: 2) == [.known(known)])
    }

    @Test(arguments: StoreMaker.all)
    func `needs a file as long as something of it is owed or asked for`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let source: FilePath = "/spool/4711.jpg"
        #expect(try await store.needs(source, toRetry: true) == false)
        let acceptance = try await store.begin("4711.jpg")
        #expect(try await store.needs(source, toRetry: true), "it is asked for")
        _ = try await store.accept([.photo(path: source, to: ["a"])], for: acceptance, portion: 0)
        try await store.complete(acceptance)
        #expect(try await store.needs(source, toRetry: false), "it is owed")
        #expect(try await store.needs("/elsewhere/spool/4711.jpg", toRetry: false), "its folder has another path there")
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take().first)
        #expect(try await store.needs(source, toRetry: false), "it is sent")
        try await store.settle(claim, .failed(.scripted))
        #expect(try await store.needs(source, toRetry: true))
        #expect(try await store.needs(source, toRetry: false) == false)
    }

    @Test(arguments: StoreMaker.all)
    func `knows sources by their paths and marks, or by their bytes`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var mine = NewItem.photo(to: ["a", "b"])
        mine.identity.changed = Timestamp(nanoseconds: 7)
        mine.item.tags = ["sun"]
        try await store.accept([mine])
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take("a").first)
        try await store.settle(claim, .done(Receipt(remoteID: "1", evidence: .verified)))
        let path = mine.item.source
        var touched = mine.identity
        touched.changed = Timestamp(nanoseconds: 8)
        let found = try await store.known(sources: [
            SourceQuery(path: path, likeness: .marks(mine.identity)),
            SourceQuery(path: path, likeness: .marks(touched)),
            SourceQuery(path: "/elsewhere.jpg", likeness: .marks(mine.identity)),
            SourceQuery(path: path, likeness: .bytes(mine.item.digests[.sha256] ?? [])),
            SourceQuery(path: path, likeness: .bytes([1])),
        ])
        #expect(found.map(\.isKnownPath) == [true, true, false, true, true])
        #expect(found.map(\.submissions.count) == [2, 0, 0, 2, 0])
        #expect(found[0] == found[3])
        let done = try #require(found[0].submissions.first { $0.destination == "a" })
        #expect(done.state == .done && done.evidence == .verified && !done.isSkipped && done.tags == ["sun"])
        #expect(found[0].submissions.first { $0.destination == "b" }?.state == .waiting)
        try await store.reidentify([claim.itemID: touched])
        let again = try await store.known(sources: [SourceQuery(path: path, likeness: .marks(touched))])
        #expect(again.first?.submissions.count == 2)
    }

    @Test(arguments: StoreMaker.all)
    func `forgets a batch into which nothing was accepted`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let empty = try await store.begin()
        try await store.complete(empty)
        #expect(try await store.batches().isEmpty)
        try await store.accept([.photo(to: ["a"])])
        #expect(try await store.batches().count == 1)
    }
}
