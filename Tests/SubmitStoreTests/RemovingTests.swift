import Submit
package import SubmitStore
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Removing sources, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `is one value's at a time, and outlives it`(maker: StoreMaker) async throws {
        let place = maker.place()
        var store: (any Store)? = try place.open()
        let accepted = try await store?.accept([.photo("a.jpg", removal: SourceRemoval(copies: 2)), .photo("b.jpg")])
        let first = try #require(accepted?.submissions[0][0])
        let mine = try #require(try await store?.claimRemovals(batches: nil, after: 0, limit: 10))
        #expect(mine.map(\.item.name) == ["a.jpg"] && mine.first?.removal == SourceRemoval(copies: 2))
        let other = try place.open()
        #expect(try await other.claimRemovals(batches: nil, after: 0, limit: 10).isEmpty)
        let need = try await store?.beginRemoval(of: mine[0], to: "/trash/a.jpg", besides: [])
        #expect(need == .submission(first, destination: "a", isFailed: false))
        _ = try await store?.cancel(SubmissionSelection())
        #expect(try await other.beginRemoval(of: mine[0], to: "/trash/b.jpg", besides: []) == .anotherProcess)
        #expect(try await store?.beginRemoval(of: mine[0], to: "/trash/a.jpg", besides: []) == .some(nil))
        store = nil
        var taken: [RemovableSource] = []
        try await other.sweep {
            taken = try await other.claimRemovals(batches: accepted.map { [$0.batch] }, after: 0, limit: 10)
            return !taken.isEmpty
        }
        try #require(taken.first?.state == .underWay && taken.first?.aside == "/trash/a.jpg")
        try await other.settleRemoval(of: taken[0], .removed)
        #expect(try await other.removedSource(of: taken[0].itemID) == "/trash/a.jpg")
        #expect(try await other.removalDestinations(batches: nil).isEmpty)
    }

    @Test(arguments: StoreMaker.all)
    func `is known by batches`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var batches: [BatchID] = []
        for removal in [SourceRemoval(copies: 1), nil, SourceRemoval(copies: 2)] {
            let items = (0..<3).map { NewItem.photo("\($0).jpg", removal: removal) }
            batches.append(try await store.accept(items).batch)
        }
        #expect(try await store.removalBatches() == [batches[0], batches[2]])
        #expect(try await store.removalDestinations(batches: nil) == ["a", "b"])
        #expect(try await store.removalDestinations(batches: [batches[1]]).isEmpty)
        let all = try await store.claimRemovals(batches: nil, after: 0, limit: 99).map(\.itemID)
        #expect(all.count == 6 && all == all.sorted())
        #expect(
            try await store.claimRemovals(batches: batches.reversed(), after: all[0], limit: 3).map(\.itemID)
                == Array(all[1...3]))
        #expect(try await store.claimRemovals(batches: nil, after: all[2], limit: 2).map(\.itemID) == Array(all[3...4]))
        let mine = try await store.claimRemovals(batches: [batches[0]], after: 0, limit: 9)
        #expect(mine.map(\.batch) == Array(repeating: batches[0], count: 3))
        try await store.settleRemoval(of: mine[0], .removed)
        for source in mine[1...] { try await store.settleRemoval(of: source, .kept(.scripted)) }
        let tally = try await store.removals(of: [batches[0], batches[1]])
        #expect(tally.removed == 1 && tally.kept == 2 && tally.wanted == 0)
        #expect(try await store.removalBatches() == [batches[2]])
        #expect(try await store.removalDestinations(batches: [batches[0]]).isEmpty)
        let kept = try await store.cancel(SubmissionSelection(batch: batches[0])).keptSources
        #expect(kept == 0, "what is settled stays written down")
        #expect(try await store.removals(of: [batches[2]]).wanted == 3)
    }

    @Test(arguments: StoreMaker.all)
    func `waits for whatever is the same file, also when it is owed again`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        // One inode, two names. The first is refused by one.
        var first = NewItem.photo("0.jpg", removal: SourceRemoval(copies: 1))
        first.submissions[1].refusal = .scripted
        let ids = try await store.accept([first, .photo("1.jpg")]).submissions
        let source = try #require(try await store.claimRemovals(batches: nil, after: 0, limit: 1).first)
        #expect(
            try await store.need(of: source, besides: []) == .submission(ids[0][0], destination: "a", isFailed: false),
            "its own, first")
        for claim in try await worker.take("a") + worker.take("b") {
            try await store.settle(claim, .done(.stored("\(claim.id)")))
        }
        #expect(try await store.need(of: source, besides: []) == nil, "what was refused beforehand needs nothing")
        let lost = LostCopy(submission: ids[1][0], outcome: "vanished", finding: .scripted, onConflict: .rename)
        _ = try await store.sendAgain([lost])
        #expect(
            try await store.need(of: source, besides: []) == .submission(ids[1][0], destination: "a", isFailed: false))
    }

    @Test(arguments: StoreMaker.all)
    func `waits for acceptances that may mean the file`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        var refused = NewItem.photo(to: ["a"], removal: SourceRemoval(copies: 1))
        refused.submissions[0].refusal = .scripted
        try await store.accept([refused])
        let source = try #require(try await store.claimRemovals(batches: nil, after: 0, limit: 1).first)
        let acceptance = try await place.open().begin("these files")
        #expect(try await store.need(of: source, besides: []) == .acceptance(acceptance))
        #expect(try await store.beginRemoval(of: source, to: "/aside", besides: []) == .acceptance(acceptance))
        #expect(try await store.beginRemoval(of: source, to: "/aside", besides: [acceptance.id]) == nil)
    }

    @Test(arguments: StoreMaker.all)
    func `goes on elsewhere when it was given back`(maker: StoreMaker) async throws {
        let place = maker.place()
        let (store, other) = (try place.open(), try place.open())
        try await store.accept([.photo(to: ["a"], removal: SourceRemoval(copies: 1))])
        let mine = try #require(try await store.claimRemovals(batches: nil, after: 0, limit: 1).first)
        try await store.settleRemoval(of: mine, .wanted(.scripted))
        let theirs = try #require(try await other.claimRemovals(batches: nil, after: 0, limit: 1).first)
        #expect(try await store.claimRemovals(batches: nil, after: 0, limit: 1).isEmpty)
        try await other.settleRemoval(of: theirs, .released)
        #expect(try await store.claimRemovals(batches: nil, after: 0, limit: 1).map(\.itemID) == [mine.itemID])
    }
}

extension SourceNeed: Equatable {
    package static func == (one: SourceNeed, other: SourceNeed) -> Bool {
        switch (one, other) {
        case (.submission(let id, let destination, let isFailed), .submission(let otherID, let name, let failed)):
            id == otherID && destination == name && isFailed == failed
        case (.acceptance(let acceptance), .acceptance(let another)): acceptance == another
        case (.anotherProcess, .anotherProcess): true
        default: false
        }
    }
}
