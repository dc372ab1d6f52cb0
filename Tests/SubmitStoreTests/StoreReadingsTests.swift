import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Reading, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `tells a store from any other, whoever has it open`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        #expect(store.identity.count == 12 && store.identity.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(try place.open().identity == store.identity && maker.place().open().identity != store.identity)
        #expect(!store.ownFiles.contains(store.spool))
    }

    @Test(arguments: StoreMaker.all)
    func `is by pages, and what is open is found beside a long history`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        var batches: [BatchID] = []
        for number in 0..<7 {
            let acceptance = try await store.begin()
            var photo = NewItem.photo(to: ["a"])
            if number != 4 { photo.submissions[0].refusal = .scripted }
            _ = try await store.accept([photo], for: acceptance, portion: 0)
            if number != 2 { try await store.complete(acceptance) }
            batches.append(acceptance.batch)
        }
        let first = try await store.batches(before: nil, limit: 3).map(\.id)
        #expect(first == Array(batches.reversed().prefix(3)))
        #expect(try await store.batches(before: first[2], limit: 3).map(\.id) == Array(batches[1...3].reversed()))
        #expect(try await store.batches([batches[5], 999, batches[0]]).map(\.id) == [batches[5], batches[0]])
        #expect(try await store.openBatches().map(\.id) == [batches[6], batches[4], batches[2]])
        #expect(try await store.unfinishedBatches() == [batches[2], batches[4]])
        #expect(try await store.batches().count == 7)
    }

    @Test(arguments: StoreMaker.all)
    func `finds other copies at other places, of each the last`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        var items = NewItem.photos(4)
        items[0].submissions[1].refusal = .scripted
        let accepted = try await store.accept(items)
        let ids = accepted.submissions
        for claim in try await worker.take("a") {
            let isFirst = ids[..<2].contains { $0.contains(claim.id) }
            try await store.settle(claim, .done(.stored(isFirst ? "one" : "other", .accepted)))
        }
        let claim = try #require(try await worker.take("b", limit: 1).first)
        try await store.settle(claim, .done(.stored("one")))
        let records = try await store.submissions(
            SubmissionSelection(batch: accepted.batch), destinations: [], state: .done, after: nil, limit: 99)
        #expect(records.map(\.id) == [ids[0][0], ids[1][0], ids[1][1], ids[2][0], ids[3][0]])
        for _ in 0..<2 {
            #expect(
                try await store.copies(of: records[0]).map(\.id) == [ids[3][0], ids[1][1]],
                "neither itself nor what is in its place")
        }
        #expect(try await store.lastEvidence(at: "a") == .accepted)
        #expect(try await store.lastEvidence(at: "b") == .verified)
        #expect(try await store.lastEvidence(at: "c") == nil)
        #expect(try await store.failedDestinations(SubmissionSelection()) == ["b"])
        #expect(try await store.failedDestinations(SubmissionSelection(destination: "a")).isEmpty)
        #expect(try await store.failedDestinations(SubmissionSelection(submission: ids[0][1])) == ["b"])
    }

    @Test(arguments: StoreMaker.all)
    func `goes by state, destination and page`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let ids = try await store.accept(NewItem.photos(3, to: ["a", "b", "c"])).submissions
        let claim = try #require(try await store.makeWorker().take("b", limit: 1).first)
        try await store.settle(claim, .failed(.scripted))
        let queued = try await store.submissions(
            SubmissionSelection(), destinations: ["b", "c"], state: .waiting, after: ids[0][0], limit: 3)
        #expect(queued.map(\.id) == [ids[0][2], ids[1][1], ids[1][2]])
        #expect(
            try await store.submissions(SubmissionSelection(destination: "c"), limit: 2).map(\.id) == [
                ids[0][2], ids[1][2],
            ])
    }

    @Test(arguments: StoreMaker.all)
    func `counts what was skipped among what is done`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let batch = try await store.accept([.photo(size: 4, to: ["a"]), .photo(size: 5, to: ["a"])]).batch
        let skipped = Receipt(remoteID: "x", evidence: .unknown, wasThere: true, note: "Something else is there.")
        for (claim, receipt) in zip(try await store.makeWorker().take(), [skipped, .stored("y", .unknown)]) {
            // Of what is skipped nothing is there.
            #expect(try await !store.holdsCopies("a"))
            try await store.settle(claim, .done(receipt))
        }
        #expect(try await store.holdsCopies("a"))
        #expect(try await store.skipped([batch]) == [SkippedTally(destination: "a", count: 1, bytes: 4)])
        #expect(try await store.skipped([999]).isEmpty)
        let proofs = try await store.proofs([batch])
        #expect(proofs.map(\.isSkipped) == [false, true] && proofs.map(\.bytes) == [5, 4], "\(proofs)")
        #expect(
            proofs.allSatisfy { $0.evidence == .unknown && $0.state == .done && $0.kind == .photo && $0.count == 1 })
        #expect(try await store.proofs([999]).isEmpty)
        #expect(try await store.tallies(SubmissionSelection()).map(\.count) == [2])
    }
}
