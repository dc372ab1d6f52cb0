import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Forgetting, at every store,` {
    private static let year = Duration.seconds(365 * 86_400)

    /// Submits items for `a`, and ends all of it in the same way.
    @discardableResult
    private func night(
        _ store: any Store, _ items: [NewItem], ending: (ClaimedSubmission) -> Settlement
    ) async throws -> Accepted {
        let accepted = try await store.accept(items)
        let worker = try await store.makeWorker()
        for claim in try await worker.take("a", first: [accepted.batch]) {
            try await store.settle(claim, ending(claim))
        }
        return accepted
    }

    private func forget(_ store: any Store, limit: Int = 2, isDryRun: Bool = false) async throws -> ForgottenHistory {
        var (sum, last) = (ForgottenHistory(), SubmissionID(rawValue: 0))
        while true {
            let some = try await store.forget(endedBefore: Self.year, after: last, limit: limit, isDryRun: isDryRun)
            sum.submissions += some.submissions
            sum.attempts += some.attempts
            sum.items += some.items
            guard let next = some.next else { return sum }
            #expect(next > last)
            last = next
        }
    }

    private func ids(_ store: any Store) async throws -> [SubmissionID] {
        try await store.submissions(SubmissionSelection()).map(\.id)
    }

    @Test(arguments: StoreMaker.all)
    func `leaves of each copy the last proof, and of other nights nothing`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        var nights: [Accepted] = []
        for _ in 0..<4 {
            nights.append(
                try await night(store, [.photo("a.jpg", to: ["a"]), .photo("b.jpg", to: ["a"])]) {
                    .done(.stored($0.item.name))
                })
        }
        #expect(try await forget(store).submissions == 0, "it is not old enough")
        place.clock.advance(by: Self.year + .seconds(1))
        nights.append(
            try await night(store, [.photo("a.jpg", to: ["a"])]) { .done(.stored($0.item.name)) })
        let dry = try await forget(store, isDryRun: true)
        #expect(dry.submissions == 7 && dry.attempts == 7 && dry.items == 7)
        #expect(try await ids(store).count == 9, "a dry run forgets nothing")
        let batches = try await store.forgetBatches(begunBefore: Self.year, after: 0, limit: 99, isDryRun: true)
        #expect(batches.count == 3)
        let real = try await forget(store)
        if place.remembers { #expect(real == dry) }
        #expect(try await ids(store) == [nights[3].submissions[1][0], nights[4].submissions[0][0]])
        #expect(try await store.tallies(SubmissionSelection()).map(\.count) == [1, 1])
        #expect(try await forget(store).submissions == 0)
        var last: BatchID? = 0
        while let after = last {
            last = try await store.forgetBatches(begunBefore: Self.year, after: after, limit: 2, isDryRun: false).next
        }
        #expect(try await store.batches().map(\.id) == [nights[4].batch, nights[3].batch])
    }

    @Test(arguments: StoreMaker.all)
    func `leaves other copies, better proofs and the last word`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let receipts: [Receipt] = [
            .stored("a.jpg", .verified), .stored("a-1.jpg", .size), .stored("a.jpg", .size),
            .stored("a-1.jpg", .echoed),
        ]
        var kept: [SubmissionID] = []
        for receipt in receipts {
            let ids = try await night(store, [.photo("a.jpg", to: ["a"])]) { _ in .done(receipt) }.submissions
            kept.append(ids[0][0])
        }
        // The second one has a later and better proof.
        kept.remove(at: 1)
        for name in ["b.jpg", "b.jpg", "c.jpg"] {
            let ids = try await night(store, [.photo(name, to: ["a"])]) { _ in .failed(.scripted) }.submissions
            kept.append(ids[0][0])
        }
        kept.remove(at: 3)
        let skipped = Receipt(remoteID: "d.jpg", evidence: .unknown, wasThere: true, note: "other bytes")
        for receipt in [.stored("d.jpg"), skipped, skipped] {
            let ids = try await night(store, [.photo("d.jpg", to: ["a"])]) { _ in .done(receipt) }.submissions
            kept.append(ids[0][0])
        }
        kept.remove(at: kept.count - 2)
        try await night(store, [.photo("e.jpg", to: ["a"])]) { _ in .cancelled }
        place.clock.advance(by: Self.year + .seconds(1))
        _ = try await forget(store)
        #expect(try await ids(store) == kept)
    }

    @Test(arguments: StoreMaker.all)
    func `leaves whatever is needed, however old`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        func done(_ items: [NewItem]) async throws {
            try await night(store, items) { .done(.stored($0.item.name)) }
        }
        try await done([.photo("removed.jpg", to: ["a"], removal: SourceRemoval(copies: 1))])
        try await done([.photo("keyed.jpg", to: ["a"], key: "k")])
        let open = try await store.begin()
        _ = try await store.accept([.photo("open.jpg", to: ["a"])], for: open, portion: 0)
        for claim in try await worker.take() { try await store.settle(claim, .done(.stored("open.jpg"))) }
        try await store.accept([.photo("broken.jpg", to: ["a"])])
        for claim in try await worker.take() {
            _ = try await store.keep(Checkpoint(data: [1]), for: claim)
            try await store.settle(claim, .cancelled)
        }
        try await store.accept([.photo("running.jpg", to: ["a"])])
        #expect(try await worker.take().count == 1)
        try await store.accept([.photo("waiting.jpg", to: ["a"])])
        // What came later proves all of them anew.
        let names = ["removed", "keyed", "open", "broken"]
        try await done(names.map { .photo("\($0).jpg", to: ["b"]) } + names.map { .photo("\($0).jpg", to: ["a"]) })
        let all = try await ids(store)
        place.clock.advance(by: Self.year + .seconds(1))
        #expect(try await forget(store) == ForgottenHistory())
        #expect(try await ids(store) == all)
        let known = try await store.known(keys: ["k"])
        #expect(known["k"]?.submissions.count == 1)
        // What its removal needed goes with it.
        let source = try #require(try await store.claimRemovals(batches: nil, after: 0, limit: 9).first)
        try await store.settleRemoval(of: source, .removed)
        try await store.complete(open)
        _ = try await forget(store)
        #expect(try await ids(store).count == all.count - 2)
    }

    @Test(arguments: StoreMaker.all)
    func `takes attempts of what stays, but for the last one`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept([.photo("a.jpg", to: ["a"])])
        for _ in 0..<3 {
            for claim in try await worker.take() {
                try await store.settle(claim, .waiting(.scripted, after: .zero, counts: true))
            }
        }
        for claim in try await worker.take() { try await store.settle(claim, .done(.stored("a.jpg"))) }
        let id = try #require(try await ids(store).first)
        #expect(try await store.attempts(of: id).count == 4)
        place.clock.advance(by: Self.year + .seconds(1))
        let forgotten = try await forget(store)
        if place.remembers { #expect(forgotten.attempts == 3) }
        #expect(try await store.attempts(of: id).map(\.outcome) == ["done"])
    }

    @Test(arguments: StoreMaker.all)
    func `is not what an audit needs: of many nights the last one speaks of a copy`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var nights: [Accepted] = []
        for _ in 0..<3 {
            nights.append(
                try await night(store, [.photo("a.jpg", to: ["a"]), .photo("b.jpg", to: ["a"])]) {
                    .done(.stored($0.item.name))
                })
        }
        func latest(in batch: BatchID? = nil, of batches: [BatchID] = []) async throws -> [SubmissionID] {
            try await store.latest(at: "a", in: batch, of: batches, after: nil, limit: 99).map(\.id)
        }
        #expect(try await latest() == nights[2].submissions.flatMap(\.self))
        #expect(try await latest(in: nights[0].batch, of: [nights[0].batch]) == nights[0].submissions.flatMap(\.self))
        #expect(try await latest(in: nights[0].batch, of: [nights[0].batch, nights[1].batch]).isEmpty)
        let lost = LostCopy(
            submission: nights[2].submissions[0][0], outcome: "vanished", finding: .scripted, onConflict: .rename)
        _ = try await store.sendAgain([lost])
        #expect(try await latest() == nights[2].submissions.flatMap(\.self), "one that waits again stands for its copy")
        try await night(store, [.photo("a.jpg", to: ["a"])]) { _ in .done(.stored("2026/a.jpg")) }
        #expect(try await latest().count == 3, "another copy")
    }
}
