import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `Cancelling, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `ends what is owed and tells who is sending`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let batch = try await store.accept(NewItem.photos(3)).batch
        let worker = try await store.makeWorker()
        let sending = try #require(try await worker.take(limit: 1).first)
        let tried = try #require(try await worker.take(limit: 1).first)
        try await store.settle(tried, .released)
        let cancellation = try await place.open().cancel(SubmissionSelection(batch: batch, destination: "a"))
        if place.remembers {
            #expect(cancellation.cancelled.count == 2)
            #expect(cancellation.tried == [tried.id])
        }
        #expect(cancellation.told == [sending.id])
        #expect(try await worker.cancelledClaims() == [sending.id])
        try await store.settle(sending, .cancelled)
        let tallies = try await store.tallies(SubmissionSelection(batch: batch))
        #expect(tallies.filter { $0.destination == "a" }.map(\.state) == [.cancelled])
        #expect(tallies.filter { $0.destination == "b" }.map(\.state) == [.waiting])
    }

    @Test(arguments: StoreMaker.all)
    func `holds when the attempt ends by itself before it is heard of`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        let batch = try await store.accept(NewItem.photos(3)).batch
        let worker = try await store.makeWorker()
        let claims = try await worker.take()
        let selection = SubmissionSelection(batch: batch, destination: "a")
        _ = try await store.cancel(selection)
        let cancelled = Settled(.cancelled)
        #expect(try await store.settle(claims[0], .waiting(.scripted, after: .zero, counts: true)) == cancelled)
        #expect(try await store.settle(claims[1], .released) == cancelled)
        #expect(try await store.settle(claims[2], .waiting(.scripted, after: .zero, counts: false)) == cancelled)
        #expect(try await worker.take().isEmpty)
        #expect(try await store.tallies(selection).map(\.state) == [.cancelled])
    }

    @Test(arguments: StoreMaker.all)
    func `does not undo what arrived or failed meanwhile`(maker: StoreMaker) async throws {
        let store = try maker.place().open()
        try await store.accept(NewItem.photos(2, to: ["a"]))
        let worker = try await store.makeWorker()
        defer { withExtendedLifetime(worker) {} }
        let claims = try await worker.take()
        _ = try await store.cancel(SubmissionSelection())
        #expect(try await store.settle(claims[0], .done(.stored())) == Settled(.done))
        #expect(try await store.settle(claims[1], .failed(.scripted)) == Settled(.failed))
    }

    @Test(arguments: StoreMaker.all)
    func `ends what a worker had that is gone`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        try await store.accept([.photo(to: ["a"])])
        var worker: (any StoreWorker)? = try await store.makeWorker()
        let claim = try #require(try await worker?.take().first)
        #expect(try await store.cancel(SubmissionSelection(submission: claim.id)).told == [claim.id])
        worker = nil
        try await store.sweep { try await store.record(claim.id)?.state == .cancelled }
        #expect(try await store.attempts(of: claim.id).map(\.outcome) == ["cancelled"])
        #expect(try await store.settle(claim, .released) == nil)
    }
}
