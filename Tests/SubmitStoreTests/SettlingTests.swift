import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Settling, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `is refused to whom the claim was taken away`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo(to: ["a"])])
        let worker = try await store.makeWorker()
        let frozen = try #require(try await worker.take().first)
        try await store.settle(frozen, .released)
        let current = try #require(try await worker.take().first)
        #expect(current.fence > frozen.fence)
        #expect(try await store.settle(frozen, .done(.stored())) == nil)
        #expect(try await store.keep(Checkpoint(data: [1]), for: frozen) == false)
        #expect(try await store.settle(current, .done(.stored())) == Settled(.done))
        #expect(try await store.settle(current, .failed(.scripted)) == nil, "it has ended otherwise")
        let record = try #require(try await store.record(current.id))
        #expect(record.receipt == .stored() && record.state == .done && record.settled != nil)
    }

    /// A worker that was stopped for long wakes up.
    @Test(arguments: StoreMaker.all, [false, true])
    func `is refused to who was taken for dead, whoever has it now`(maker: StoreMaker, isDone: Bool) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        try await store.accept([.photo(to: ["a"])])
        var dead: (any StoreWorker)? = try await store.makeWorker()
        let stale = try #require(try await dead?.take().first)
        #expect(try await store.keep(Checkpoint(data: [1]), for: stale))
        dead = nil
        try await other.sweep { try await other.record(stale.id)?.state == .waiting }
        #expect(try await store.settle(stale, .done(.stored("stale"))) == nil, "it is nobody's")
        #expect(try await store.keep(Checkpoint(data: [2]), for: stale) == false)
        let worker = try await other.makeWorker()
        let claim = try #require(try await worker.take().first)
        #expect(claim.checkpoint == Checkpoint(data: [1]))
        if isDone { try await other.settle(claim, .done(.stored("new"))) }
        for settlement in [Settlement.done(.stored("stale")), .failed(.scripted), .released, .untried, .cancelled] {
            #expect(try await store.settle(stale, settlement) == nil)
        }
        #expect(try await store.keep(nil, for: stale) == false)
        #expect(try await store.checkpoints(destination: "a", of: nil).count == (isDone ? 0 : 1))
        let record = try #require(try await store.record(stale.id))
        #expect(record.state == (isDone ? .done : .running) && record.receipt?.remoteID == (isDone ? "new" : nil))
        #expect(try await store.attempts(of: stale.id).map(\.outcome) == ["interrupted"] + (isDone ? ["done"] : []))
        if !isDone { #expect(try await other.settle(claim, .done(.stored("new"))) == Settled(.done)) }
    }

    @Test(arguments: StoreMaker.all)
    func `of what arrived together ends each as it would alone`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept(NewItem.photos(4, to: ["a"]))
        let worker = try await store.makeWorker()
        let claims = try await worker.take().sorted { $0.id < $1.id }
        try await store.settle(claims[1], .released)
        try await store.settle(claims[2], .done(.stored("before")))
        let arrivals = claims.map { Arrival(claim: $0, receipt: .stored("\($0.id)"), place: 7) }
        #expect(try await store.settle { arrivals } == [Settled(.done), nil, Settled(.done), Settled(.done)])
        let records = try await store.submissions(SubmissionSelection())
        #expect(records.map(\.state) == [.done, .waiting, .done, .done])
        #expect(records.map(\.receipt?.remoteID) == ["1", nil, "before", "4"])
        #expect(try await store.settle { [] } == [])
    }

    @Test(arguments: StoreMaker.all)
    func `counts failures until an attempt gets farther than any before`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        try await store.accept([.photo(to: ["a"])])
        let worker = try await store.makeWorker()
        var failures: [Int] = []
        for (landed, counts) in [(0, true), (0, false), (0, true), (5, true), (5, true), (3, true), (6, false)] {
            let claim = try #require(try await worker.take().first)
            failures.append(claim.failures)
            let wait = Settlement.waiting(.scripted, after: .zero, counts: counts)
            try await store.settle(claim, wait, landed: Int64(landed), fault: .own)
        }
        let claim = try #require(try await worker.take().first)
        #expect(failures + [claim.failures] == [0, 1, 1, 2, 0, 1, 2, 0])
        #expect(claim.landed == 6 && claim.fault == .own && claim.tries == 8)
    }

    @Test(arguments: StoreMaker.all)
    func `leaves a checkpoint until the submission is done, or nothing is left of it`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let ids = try await store.accept(NewItem.photos(3, to: ["a"])).submissions.map { $0[0] }
        let claims = try await store.makeWorker().take()
        for (claim, number) in zip(claims, UInt8(1)...) {
            #expect(try await store.keep(Checkpoint(data: [number]), for: claim))
        }
        try await store.settle(claims[0], .done(.stored()))
        try await store.settle(claims[1], .failed(.scripted))
        try await store.settle(claims[2], .cancelled)
        #expect(try await store.checkpoints(destination: "a", of: nil).map(\.submission) == Array(ids[1...]))
        #expect(try await store.checkpoints(destination: "a", of: ids[2]).map(\.state) == [.cancelled])
        #expect(try await store.checkpoints(destination: "b", of: nil).isEmpty)
        #expect(try await store.checkpointNames() == ["a"])
        try await store.discarded(ids[2])
        #expect(try await store.checkpoints(destination: "a", of: nil).map(\.checkpoint) == [Checkpoint(data: [2])])
        _ = try await store.retry(SubmissionSelection())
        try await store.discarded(ids[1])
        #expect(try await store.checkpointNames() == ["a"], "it is owed again")
    }

    @Test(arguments: StoreMaker.all)
    func `fails what nobody works on where an item's source is broken`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo(to: ["a", "b", "c"])])
        let worker = try await store.makeWorker()
        let mine = try #require(try await worker.take().first)
        let failed = try #require(try await worker.take("c").first)
        try await store.settle(failed, .failed(.scripted))
        let condemned = try await store.condemn(item: mine.itemID, .scripted, key: IdempotencyKey())
        #expect(condemned.map(\.destination) == ["b"])
        #expect(try await store.submissions(of: mine.itemID).map(\.state) == [.running, .failed, .failed])
        var identity = mine.identity
        identity.inode = 5
        try await store.reidentify([mine.itemID: identity])
        #expect(try await store.record(mine.id)?.identity == identity)
    }

    @Test(arguments: StoreMaker.all)
    func `tells of what failed otherwise before`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept([.photo(to: ["a"])])
        let claim = try #require(try await store.makeWorker().take().first)
        try await store.settle(claim, .failed(.scripted))
        _ = try await store.retry(SubmissionSelection())
        let lost = SubmitFailure(.sourceLost, code: "lost", message: "The source is another.")
        #expect(try await store.condemn(item: claim.itemID, lost, key: IdempotencyKey()).map(\.id) == [claim.id])
    }

    @Test(arguments: StoreMaker.all)
    func `is counted as the submissions say, whatever becomes of them`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        var items = (0..<9).map { NewItem.photo("\($0).jpg", size: Int64($0) + 1) }
        items[0].submissions[1].refusal = .scripted
        let batch = try await store.accept(items).batch
        try await expectRight(store, "accepted")
        let claims = try await worker.take(limit: 100).prefix(6)
        for claim in try await worker.held(at: "a").dropFirst(6) { try await store.settle(claim, .untried) }
        try await expectRight(store, "claimed")
        try await store.settle(claims[0], .done(.stored()))
        try await store.settle(claims[1], .failed(.scripted))
        try await store.settle(claims[2], .waiting(.scripted, after: .zero, counts: true))
        try await store.settle(claims[3], .released)
        try await store.settle(claims[4], .cancelled)
        try await expectRight(store, "settled")
        #expect(try await store.settle(claims[0], .failed(.scripted)) == nil)
        try await store.settle(claims[5], .untried)
        try await expectRight(store, "given back")
        _ = try await store.retry(SubmissionSelection(batch: batch))
        _ = try await store.condemn(item: claims[1].itemID, .scripted, key: IdempotencyKey())
        _ = try await store.cancel(SubmissionSelection(batch: batch, destination: "b"))
        try await expectRight(store, "tried again, condemned, cancelled")
        #expect(try await store.tallies(SubmissionSelection(submission: claims[0].id)).map(\.bytes) == [1])
        #expect(try await store.destinationNames() == ["a", "b"])
        let waiting = try await store.waiting(nil)
        #expect(waiting.mapValues(\.count) == ["a": 6])
        #expect(try await store.waiting([batch]) == waiting)
        #expect(try await store.waiting([999]).isEmpty)
        #expect(try await store.arrivals(at: "a") == 1)
        #expect(try await store.holdsCopies("a"))
        #expect(try await store.holdsCopies("b") == false)
    }

    /// What the store counts, and what its submissions say.
    private func expectRight(_ store: any Store, _ what: Comment) async throws {
        var counted: [[Int64]: [Int64]] = [:]
        for record in try await store.submissions(SubmissionSelection()) {
            let place = [record.batch.rawValue, record.destination == "a" ? 0 : 1, Int64(record.state.rawValue)]
            counted[place, default: [0, 0]][0] += 1
            counted[place, default: [0, 0]][1] += record.item.size
        }
        var told: [[Int64]: [Int64]] = [:]
        for tally in try await store.tallies(SubmissionSelection()) {
            let place = [tally.batch.rawValue, tally.destination == "a" ? 0 : 1, Int64(tally.state.rawValue)]
            told[place] = [Int64(tally.count), tally.bytes]
        }
        #expect(told == counted, what)
    }
}
