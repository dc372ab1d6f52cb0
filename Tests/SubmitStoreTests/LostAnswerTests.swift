import Submit
import SubmitStore
import Testing

/// Whoever lost an answer asks again, also when others went on meanwhile.
@Suite(.timeLimit(.minutes(2))) struct `An answer that was lost, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `of a beginning is given again, and nothing more is begun`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let key = IdempotencyKey()
        let first = try await store.beginAcceptance("these files", in: nil, key: key)
        let other = try await store.begin("others")
        #expect(try await store.beginAcceptance("these files", in: nil, key: key) == first)
        #expect(try await store.openAcceptances(of: nil) == [first, other])
        #expect(try await store.batches().count == 2)
        let inBatch = IdempotencyKey()
        let more = try await store.beginAcceptance("more", in: first.batch, key: inBatch)
        #expect(more.batch == first.batch && more.id != first.id)
        #expect(try await store.beginAcceptance("more", in: first.batch, key: inBatch) == more)
    }

    @Test(arguments: StoreMaker.all)
    func `of a portion is given again, and what it was is accepted once`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let acceptance = try await store.begin()
        for portion in 0..<3 {
            let items = [NewItem.photo("\(portion)-a.jpg"), .photo("\(portion)-b.jpg", to: ["a"])]
            let first = try await store.accept(items, for: acceptance, portion: portion)
            try await place.open().accept([.photo("between.jpg", to: ["z"])])
            #expect(try await store.accept(items, for: acceptance, portion: portion) == first)
            let ids = try #require(first).flatMap(\.submissions)
            #expect(
                try await store.submissions(SubmissionSelection(batch: acceptance.batch)).suffix(3).map(\.id) == ids)
        }
        #expect(try await store.submissions(SubmissionSelection(batch: acceptance.batch)).count == 9)
    }

    @Test(arguments: StoreMaker.all)
    func `of a portion with keys in it, too, in which others have none`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        try await store.accept([.photo("known.jpg", key: "k")])
        let acceptance = try await store.begin()
        let items = [
            NewItem.photo("0.jpg"), .photo("1.jpg", key: "l"), .photo("2.jpg", key: "k"), .photo("3.jpg", to: ["c"]),
        ]
        let first = try await store.accept(items, for: acceptance, portion: 0)
        try await place.open().accept([.photo("between.jpg", to: ["z"])])
        let again = try await store.accept(items, for: acceptance, portion: 0)
        #expect(again?.map(\.submissions) == first?.map(\.submissions))
        let records = try await store.submissions(SubmissionSelection(batch: acceptance.batch))
        #expect(records.map(\.item.name) == ["0.jpg", "0.jpg", "1.jpg", "1.jpg", "3.jpg"])
        #expect(records.map(\.id) == [0, 1, 3].flatMap { first?[$0].submissions ?? [] })
    }

    @Test(arguments: StoreMaker.all)
    func `of a taking up is given again to the same one only`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        let acceptance = try await store.begin()
        _ = try await store.accept([.photo("a.jpg", to: ["a"])], for: acceptance, portion: 0)
        try await store.release(acceptance)
        let key = IdempotencyKey()
        #expect(try await other.takeUp(acceptance, key: key))
        #expect(try await other.takeUp(acceptance, key: key))
        #expect(try await other.takeUp(acceptance, key: IdempotencyKey()) == false, "another of the same value")
        #expect(try await store.takeUp(acceptance, key: key) == false, "another value")
        // Its portions are counted anew.
        let items = [NewItem.photo("b.jpg", to: ["a"])]
        let first = try await other.accept(items, for: acceptance, portion: 0)
        #expect(try await other.takeUp(acceptance, key: key))
        #expect(try await other.accept(items, for: acceptance, portion: 0) == first)
        #expect(try await other.submissions(SubmissionSelection()).map(\.item.name) == ["a.jpg", "b.jpg"])
    }

    @Test(arguments: StoreMaker.all)
    func `of a claim is found by what is held`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(3))
        #expect(try await worker.held(at: "a").isEmpty)
        let claims = try await worker.take(limit: 2)
        place.clock.advance(by: .seconds(5))
        #expect(try await store.keep(Checkpoint(data: [1]), for: claims[1]))
        let held = try await worker.held(at: "a")
        #expect(held.map(\.id) == claims.map(\.id) && held.map(\.fence) == claims.map(\.fence))
        #expect(held.map(\.tries) == claims.map(\.tries) && held.map(\.started) == claims.map(\.started))
        #expect(held.map(\.worker) == claims.map(\.worker) && held.map(\.item) == claims.map(\.item))
        #expect(held.map(\.checkpoint) == [nil, Checkpoint(data: [1])])
        #expect(try await worker.held(at: "b").isEmpty)
        #expect(try await store.makeWorker().held(at: "a").isEmpty)
        #expect(try await store.settle(held[0], .done(.stored())) == Settled(.done))
        #expect(try await worker.held(at: "a").map(\.id) == [claims[1].id])
    }

    @Test(arguments: StoreMaker.all, Ending.allCases)
    func `of a settlement is given again, and it is one attempt`(maker: StoreMaker, ending: Ending) async throws {
        let place = maker.place()
        let store = try place.open()
        try await store.accept([.photo(to: ["a"])])
        let (worker, watcher) = (try await store.makeWorker(), try await store.makeWorker())
        let claim = try #require(try await worker.take().first)
        try await watcher.attend([claim.batch])
        if ending == .cancelledMeanwhile { _ = try await store.cancel(SubmissionSelection()) }
        let first = try await store.settle(claim, ending.settlement, landed: 3, fault: .own)
        #expect(first?.state == ending.state)
        let (attempts, record) = (try await store.attempts(of: claim.id), try await store.record(claim.id))
        place.clock.advance(by: .seconds(5))
        let news = try await watcher.news(after: nil)
        #expect(try await store.settle(claim, ending.settlement, landed: 3, fault: .own) == first)
        #expect(try await store.attempts(of: claim.id) == attempts)
        #expect(attempts.count == (ending == .untried ? 0 : 1))
        let again = try await store.record(claim.id)
        #expect(
            again?.settled == record?.settled && again?.tries == record?.tries && again?.notBefore == record?.notBefore)
        #expect(try await watcher.news(after: news.heard).news.isEmpty)
        place.clock.advance(by: .seconds(60))
        // As soon as somebody has it the answer says that, and changes nothing.
        guard let next = try await worker.take().first else { return }
        #expect(next.failures == 0 && next.landed == 3)
        #expect(try await store.settle(claim, ending.settlement, landed: 3, fault: .own) == nil)
        #expect(try await store.settle(next, .done(.stored())) == Settled(.done))
    }

    enum Ending: CaseIterable {
        case done, failed, waiting, cancelled, released, untried, cancelledMeanwhile

        var settlement: Settlement {
            switch self {
            case .done: .done(.stored())
            case .failed: .failed(.scripted)
            case .waiting: .waiting(.scripted, after: .seconds(60), counts: true)
            case .cancelled: .cancelled
            case .released, .cancelledMeanwhile: .released
            case .untried: .untried
            }
        }

        var state: SubmissionState {
            switch self {
            case .done: .done
            case .failed: .failed
            case .waiting, .released, .untried: .waiting
            case .cancelled, .cancelledMeanwhile: .cancelled
            }
        }
    }

    @Test(arguments: StoreMaker.all)
    func `of a settlement tells where it stands when somebody owed it again`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept(NewItem.photos(2, to: ["a"]))
        let claims = try await store.makeWorker().take()
        try await store.settle(claims[0], .done(.stored()))
        try await store.settle(claims[1], .failed(.scripted))
        let lost = LostCopy(submission: claims[0].id, outcome: "vanished", finding: .scripted, onConflict: .rename)
        _ = try await store.sendAgain([lost])
        _ = try await store.retry(SubmissionSelection())
        #expect(try await store.settle(claims[0], .done(.stored())) == Settled(.waiting))
        #expect(try await store.settle(claims[1], .failed(.scripted)) == Settled(.waiting))
        #expect(try await store.attempts(of: claims[0].id).map(\.outcome) == ["done", "vanished"])
    }

    @Test(arguments: StoreMaker.all)
    func `of owing again is given again, and what was found is one attempt`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo(to: ["a"])])
        let worker = try await store.makeWorker()
        let claim = try #require(try await worker.take().first)
        try await store.settle(claim, .done(.stored()))
        let lost = LostCopy(submission: claim.id, outcome: "vanished", finding: .scripted, onConflict: .rename)
        for _ in 0..<2 { #expect(try await store.sendAgain([lost]) == [claim.id]) }
        #expect(try await store.attempts(of: claim.id).map(\.outcome) == ["done", "vanished"])
        #expect(try await store.record(claim.id)?.tries == 2)
    }

    @Test(arguments: StoreMaker.all)
    func `of condemning is given again`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo()])
        let item = try #require(try await store.submissions(SubmissionSelection()).first?.itemID)
        let key = IdempotencyKey()
        for _ in 0..<2 {
            #expect(try await store.condemn(item: item, .scripted, key: key).map(\.destination) == ["a", "b"])
        }
        #expect(try await store.condemn(item: item, .scripted, key: IdempotencyKey()).isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `of hold counts as one, whatever became of it since`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(3, to: ["a"]))
        let claim = try #require(try await worker.take(limit: 1).first)
        func hold() async throws -> DestinationState {
            try await store.hold(
                "a", .unreachable, .scripted, by: claim, isProbe: true, looks: [.seconds(1), .seconds(9)])
        }
        let first = try await hold()
        #expect(first.hold?.count == 1)
        #expect(try await hold() == first)
        place.clock.advance(by: .seconds(5))
        #expect(try await hold() == first, "it is time to look again")
        try await store.endHold("a")
        #expect(try await hold().hold == nil, "somebody got through since")
        #expect(try await worker.take(limit: 1).count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `of giving a source back does not take it from who has it now`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        try await store.accept([.photo(removal: SourceRemoval(copies: 1))])
        func claim(_ store: any Store) async throws -> RemovableSource? {
            try await store.claimRemovals(batches: nil, after: 0, limit: 1).first
        }
        let mine = try #require(try await claim(store))
        try await store.settleRemoval(of: mine, .released)
        #expect(try await claim(other) != nil)
        try await store.settleRemoval(of: mine, .released)
        #expect(try await claim(store) == nil)
        try await store.settleRemoval(of: mine, .wanted(.scripted))
        #expect(try await claim(store) == nil)
        try await store.settleRemoval(of: mine, .removed)
        #expect(try await store.removals(of: [mine.batch]).wanted == 1, "it is not its to say")
    }

    @Test(arguments: StoreMaker.all)
    func `of a sweep, a cancel and a retry is what was left to do`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept(NewItem.photos(3, to: ["a"]))
        let claim = try #require(try await store.makeWorker().take(limit: 1).first)
        try await store.settle(claim, .failed(.scripted))
        _ = try await store.retry(SubmissionSelection())
        #expect(try await store.retry(SubmissionSelection()) == 0)
        _ = try await store.cancel(SubmissionSelection())
        #expect(try await store.cancel(SubmissionSelection()).cancelled.isEmpty)
        #expect(try await store.sweep() == 0)
        #expect(try await store.tallies(SubmissionSelection()).map(\.state) == [.cancelled])
    }

    @Test(arguments: StoreMaker.all)
    func `items that are known by then are told again as they were, beside others and those with keys`(
        maker: StoreMaker
    ) async throws {
        let store = try maker.place().open()
        func unlessKnown(_ name: String, to names: [String]) -> NewItem {
            var item = NewItem.photo(name, to: names)
            item.isUnlessKnown = true
            return item
        }
        let before = try await store.accept([.photo("known.jpg", to: ["a"]), .photo("key.jpg", key: "k")])
        let acceptance = try await store.begin()
        let items = [
            unlessKnown("known.jpg", to: ["a"]), unlessKnown("known.jpg", to: ["a", "c"]),
            unlessKnown("new.jpg", to: ["a", "b"]), .photo("plain.jpg"), .photo("key.jpg", key: "k"),
            .photo("other.jpg", to: ["a"], key: "l"),
        ]
        let first = try #require(try await store.accept(items, for: acceptance, portion: 0))
        let again = try #require(try await store.accept(items, for: acceptance, portion: 0))
        for outcomes in [first, again] {
            guard case .acceptedUnlessKnown(let none, let known) = outcomes[0],
                case .acceptedUnlessKnown(let new, _) = outcomes[2], case .known(let keyed) = outcomes[4]
            else {
                Issue.record("\(outcomes)")
                continue
            }
            #expect(none["a"] == nil && known.map(\.id) == before.submissions[0])
            #expect(new.keys.sorted() == ["a", "b"])
            #expect(outcomes[3].submissions.count == 2 && keyed.submissions == before.submissions[1])
        }
        #expect(first[2] == again[2] && first[3].submissions == again[3].submissions)
        #expect(try await store.submissions(SubmissionSelection()).count == 3 + 1 + 2 + 2 + 1)
        #expect(try await store.known(keys: ["l"])["l"]?.submissions == first[5].submissions)
    }
}
