import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Claiming, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `takes fresh submissions in the order of acceptance and only once`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        let batch = try await store.accept(NewItem.photos(20)).batch
        let (one, two) = (try await store.makeWorker(), try await other.makeWorker())
        async let mine = one.take(first: [batch], limit: 12)
        async let theirs = two.take(first: [batch], limit: 12)
        let (first, second) = try await (mine, theirs)
        #expect(first.count + second.count == 20)
        #expect(Set(first.map(\.id)).isDisjoint(with: second.map(\.id)))
        #expect(first.map(\.id) == first.map(\.id).sorted())
        let all = try await one.held(at: "a") + (try await two.held(at: "a"))
        #expect(Set(all.map(\.id)) == Set((first + second).map(\.id)))
        #expect(try await one.held(at: "b").isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `takes whatever is due, those of the given batches first`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let old = try await store.accept(NewItem.photos(3)).batch
        let own = try await store.accept(NewItem.photos(3)).batch
        let worker = try await store.makeWorker()
        let five = try await worker.take(first: [own], limit: 5).map(\.batch)
        #expect((place.remembers ? five : five.sorted { $0 > $1 }) == [own, own, own, old, old])
        #expect(try await worker.take(first: [own], others: false, limit: 5).isEmpty)
        #expect(try await worker.take(limit: 5).map(\.batch) == [old])
    }

    @Test(arguments: StoreMaker.all)
    func `leaves none that failed before to starve behind new ones without an end`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept([.photo()])
        let failed = try #require(try await worker.take().first)
        try await store.settle(failed, .waiting(.scripted, after: .seconds(10), counts: true))
        try await store.accept(NewItem.photos(50))
        #expect(try await worker.take(limit: 4).contains { $0.id == failed.id } == false, "it is not due")
        place.clock.advance(by: .seconds(120))
        let claimed = try await worker.take(limit: 4).map(\.id)
        #expect(claimed.first == failed.id && claimed.count == 4)
    }

    @Test(arguments: StoreMaker.all)
    func `does not take what waits for a time, which holds up nothing`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let batch = try await store.accept(NewItem.photos(3)).batch
        let worker = try await store.makeWorker()
        let all = try await worker.take()
        let later = place.clock.now.advanced(by: .seconds(3600))
        let settled = try await store.settle(all[0], .waiting(.scripted, after: .seconds(3600), counts: true))
        #expect(settled == Settled(.waiting, notBefore: later))
        for claim in all[1...] { try await store.settle(claim, .released) }
        #expect(try await worker.nextDue("a", of: nil) == .zero)
        let rest = try await worker.take()
        #expect(Set(rest.map(\.id)) == Set(all[1...].map(\.id)))
        place.clock.advance(by: .seconds(600))
        #expect(try await worker.nextDue("a", of: [batch]) == .seconds(3000))
        #expect(try await worker.nextDue("a", of: nil) == .seconds(3000))
        #expect(try await worker.nextDue("a", of: [999]) == nil)
        #expect(try await worker.outlook([batch], at: ["a", "b", "c"]).due == ["a": .seconds(3000), "b": .zero])
        let record = try #require(try await store.record(all[0].id))
        #expect(record.state == .waiting && record.message == "It failed." && record.notBefore == later)
        #expect(try await store.nextWaiting(SubmissionSelection(batch: batch))?.id == all[0].id)
        #expect(try await worker.take().isEmpty)
        try await store.hurry(["a"])
        #expect(try await worker.take().map(\.id) == [all[0].id], "somebody made it due")
    }

    /// With what one run wants and others do, and with what failed before.
    @Test(arguments: StoreMaker.all)
    func `is of what goes first, and at last of what waits for others`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var batches: [BatchID] = []
        for priority in [SendingPriority.low, .normal, .high, .low, .high] {
            let batch = try await store.accept(NewItem.photos(2)).batch
            if priority != .normal { try await store.prioritise(batch, priority) }
            batches.append(batch)
        }
        func order(_ mine: [BatchID], others: Bool) async throws -> [BatchID] {
            let worker = try await store.makeWorker()
            var claims: [ClaimedSubmission] = []
            // One by one: those of a claim whose answer was lost are told of in another order.
            while let claim = try await worker.claim("a", first: mine, others: others, limit: 1, inOrder: false).first {
                claims.append(claim)
            }
            for claim in claims { try await store.settle(claim, .released) }
            return claims.map(\.batch)
        }
        func twice(_ numbers: Int...) -> [BatchID] { numbers.flatMap { [batches[$0], batches[$0]] } }
        #expect(try await order([], others: true) == twice(2, 4, 1, 0, 3))
        #expect(try await order([batches[3], batches[4]], others: true) == twice(4, 2, 1, 3, 0))
        #expect(try await order([batches[0], batches[1]], others: false) == twice(1, 0))
        try await store.prioritise(batches[2], .normal)
        #expect(try await order([], others: true) == twice(4, 1, 2, 0, 3))
    }

    @Test(arguments: StoreMaker.all)
    func `is one worker's at a time where a destination takes one at a time`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept(NewItem.photos(8))
        let (one, other) = (try await store.makeWorker(), try await store.makeWorker())
        #expect(try await one.take(limit: 2, inOrder: true).count == 2)
        #expect(try await other.outlook(nil, at: ["a"]) == Outlook(elsewhere: 2, due: ["a": .zero]))
        #expect(try await one.outlook(nil, at: []).elsewhere == 0)
        #expect(try await other.isTakenByAnother("a"))
        #expect(try await one.isTakenByAnother("a") == false)
        #expect(try await other.take(limit: 2, inOrder: true).isEmpty)
        #expect(try await one.take(limit: 1, inOrder: true).count == 1, "it is its own")
        #expect(try await other.take("b", limit: 2, inOrder: true).count == 2)
        #expect(try await other.take(limit: 1, inOrder: false).count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `is undone when a worker is gone though its process lives`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        try await store.accept(NewItem.photos(2))
        var worker: (any StoreWorker)? = try await store.makeWorker()
        let claim = try #require(try await worker?.take(limit: 1).first)
        #expect(try await store.sweep() == 0)
        worker = nil
        let next = try await store.makeWorker()
        let back = try await store.sweep { try await store.record(claim.id)?.state == .waiting }
        if place.remembers { #expect(back == 1) }
        #expect(try await next.take().count == 2)
    }

    @Test(arguments: StoreMaker.all)
    func `is undone at once when a process is gone`(maker: StoreMaker) async throws {
        let place = maker.place()
        var store: (any Store)? = try place.open()
        var worker: (any StoreWorker)? = try await store?.makeWorker()
        try await store?.accept(NewItem.photos(2))
        let claimed = try #require(try await worker?.take())
        #expect(try await store?.keep(Checkpoint(data: [1, 2]), for: claimed[0]) == true)
        #expect(try await store?.sweep() == 0, "a living worker keeps its claims")
        let other = try place.open()
        #expect(try await other.sweep() == 0)
        (store, worker) = (nil, nil)
        let back = try await other.sweep { try await other.record(claimed[0].id)?.state == .waiting }
        if place.remembers { #expect(back == 2) }
        let again = try await place.open().makeWorker().take(limit: 10)
        #expect(again.map(\.id) == claimed.map(\.id))
        #expect(again.first?.checkpoint == Checkpoint(data: [1, 2]))
        #expect(again.first?.tries == 2)
        #expect(again.first?.failures == 0, "being killed is no failure of the submission")
        #expect(try await other.attempts(of: claimed[0].id).map(\.outcome) == ["interrupted"])
    }

    @Test(arguments: StoreMaker.all)
    func `is objected to by a cancel and by a pause`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo()])
        let worker = try await store.makeWorker()
        defer { withExtendedLifetime(worker) {} }
        let claim = try #require(try await worker.take().first)
        #expect(try await store.objection(to: claim) == nil)
        try await store.setPaused(true, ["a"])
        #expect(try await store.objection(to: claim) == .paused)
        _ = try await store.cancel(SubmissionSelection())
        #expect(try await store.objection(to: claim) == .cancelled)
    }
}
