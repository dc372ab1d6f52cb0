import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Sending again, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `is of failed submissions and of nothing else`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let batch = try await store.accept(NewItem.photos(2)).batch
        let worker = try await store.makeWorker()
        let claims = try await worker.take()
        try await store.settle(claims[0], .failed(.scripted))
        try await store.settle(claims[1], .done(.stored("x", .size)))
        let count = try await store.retry(SubmissionSelection(batch: batch))
        if place.remembers { #expect(count == 1) }
        let again = try await worker.take()
        #expect(again.map(\.id) == [claims[0].id])
        #expect(again.first?.failures == 0)
        #expect(try await store.retry(SubmissionSelection(batch: batch)) == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `leaves what may have arrived, until it is named`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let batch = try await store.accept(NewItem.photos(2)).batch
        let worker = try await store.makeWorker()
        let claims = try await worker.take()
        let unknown = SubmitFailure(.outcomeUnknown, code: SubmitFailure.outcomeUnknownCode, message: "Nobody knows.")
        try await store.settle(claims[0], .failed(unknown))
        try await store.settle(claims[1], .failed(.scripted))
        let all = SubmissionSelection(batch: batch)
        #expect(try await store.unknownOutcomes(all) == 1)
        let count = try await store.retry(all)
        if place.remembers { #expect(count == 1) }
        #expect(try await worker.take().map(\.id) == [claims[1].id])
        let named = try await store.retry(SubmissionSelection(submission: claims[0].id))
        if place.remembers { #expect(named == 1) }
        #expect(try await worker.take().map(\.id) == [claims[0].id])
        #expect(try await store.unknownOutcomes(all) == 0)
    }

    @Test(arguments: StoreMaker.all)
    func `is of what failed perhaps for no fault of its own, at a destination that works`(
        maker: StoreMaker
    ) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        let batch = try await store.accept(NewItem.photos(3)).batch
        for destination in ["a", "b"] {
            for (claim, fault) in zip(try await worker.take(destination), [StoreFault.none, .unclear, .own]) {
                try await store.settle(claim, .failed(.scripted), landed: 0, fault: fault)
            }
        }
        #expect(try await store.takeUp([999], at: ["a"]) == 0)
        let count = try await store.takeUp([batch], at: ["a"])
        if place.remembers { #expect(count == 2) }
        #expect(
            try await store.submissions(SubmissionSelection(), destinations: [], state: .waiting, after: nil, limit: 9)
                .map(\.item.name) == ["1.jpg", "2.jpg"])
        _ = try await store.takeUp([], at: ["a", "b"])
        #expect(try await worker.take().map(\.failures) == [0, 0])
        #expect(try await worker.take("b").map(\.fault) == [.none, .none])
        #expect(try await store.failedDestinations(SubmissionSelection()) == ["a", "b"])
    }

    @Test(arguments: StoreMaker.all)
    func `a copy keeps its marks, and what was disproved until it is done`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        try await store.accept([.photo("0.jpg")])
        let first = try #require(try await worker.take().first)
        #expect(first.disproved == nil)
        let marks = ["etag": "“9b”-2", "modified": "Sat, 21 Nov 2026 00:00:00 GMT"]
        try await store.settle(first, .done(Receipt(remoteID: "0.jpg", evidence: .verified, marks: marks)))
        #expect(try await store.record(first.id)?.receipt?.marks == marks)
        let lost = LostCopy(
            submission: first.id, outcome: "changed", finding: .scripted, onConflict: .rename, verification: .readback,
            disproved: "0.jpg")
        #expect(try await store.sendAgain([lost]) == [first.id])
        let second = try #require(try await worker.take().first)
        #expect(second.disproved == "0.jpg" && second.verification == .readback)
        try await store.settle(second, .released)
        let third = try #require(try await worker.take().first)
        #expect(third.disproved == "0.jpg")
        let many = ["etag": String(repeating: "9", count: Receipt.mostMarks)]
        try await store.settle(third, .done(Receipt(remoteID: "0-1.jpg", evidence: .verified, marks: many)))
        let record = try #require(try await store.record(first.id))
        #expect(record.receipt?.marks == [:] && record.verification == .readback)
        let later = LostCopy(submission: first.id, outcome: "vanished", finding: .scripted, onConflict: .rename)
        #expect(try await store.sendAgain([later]) == [first.id])
        #expect(try await worker.take().map(\.disproved) == [nil])
    }

    @Test(arguments: StoreMaker.all)
    func `a lost copy happens once, and what was found is an attempt more`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(2))
        let claims = try await worker.take()
        try await store.settle(claims[0], .done(.stored("0.jpg")))
        let lost = claims.map {
            LostCopy(submission: $0.id, outcome: "vanished", finding: .scripted, onConflict: .rename)
        }
        #expect(try await store.sendAgain(lost) == [claims[0].id], "the other one is not done")
        #expect(try await store.attempts(of: claims[0].id).map(\.outcome) == ["done", "vanished"])
        let record = try #require(try await store.record(claims[0].id))
        #expect(record.state == .waiting && record.receipt == nil && record.tries == 2)
        #expect(try await worker.take().map(\.tries) == [3])
        #expect(try await store.sendAgain(lost).isEmpty, "somebody is at it")
    }
}
