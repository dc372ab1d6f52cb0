import Submit
import SubmitStore
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A destination, at every store,` {
    @Test(arguments: StoreMaker.all)
    func `that is paused or held gives out nothing, and others go on`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(3))
        try await store.setPaused(true, ["a"])
        #expect(try await worker.take().isEmpty)
        #expect(try await store.opening(of: "a").wait == nil)
        let claim = try #require(try await worker.take("b", limit: 1).first)
        try await store.setPaused(false, ["a"])
        #expect(try await store.opening(of: "a").wait == .zero)
        let looks: [Duration] = [.seconds(60), .seconds(600)]
        let state = try await store.hold("a", .unreachable, .scripted, by: claim, isProbe: false, looks: looks)
        #expect(state.hold?.count == 1 && state.hold?.message == "It failed.")
        #expect(try await worker.take().isEmpty)
        #expect(try await store.opening(of: "a").wait == .seconds(60))
        let another = try #require(try await worker.take("b", limit: 1).first)
        let same = try await store.hold("a", .unreachable, .scripted, by: another, isProbe: false, looks: looks)
        #expect(same.hold?.count == 1, "those that were under way find out the same")
        try await store.lookAgain(at: ["a"], asked: [])
        let probe = try await worker.take()
        #expect(probe.count == 1, "one finds out whether it works again")
        _ = try await store.hold("a", .unreachable, .scripted, by: probe[0], isProbe: true, looks: looks)
        try await store.endHold("a")
        #expect(try await worker.take(limit: 1).count == 1)
        #expect(try await store.state(of: "a").hold == nil)
        #expect(try await store.destinationStates().map(\.name) == ["a"])
    }

    @Test(arguments: StoreMaker.all)
    func `is looked at later each time, and waits no longer than the last time`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(4))
        var waits: [Duration?] = []
        for _ in 0..<4 {
            let probe = try #require(try await worker.take().first)
            let looks: [Duration] = [.seconds(60), .seconds(600), .seconds(3600)]
            _ = try await store.hold("a", .unreachable, .scripted, by: probe, isProbe: true, looks: looks)
            waits.append(try await store.opening(of: "a").wait)
            for claim in try await worker.held(at: "a") { try await store.settle(claim, .untried) }
            place.clock.advance(by: .seconds(3600))
        }
        #expect(waits == [.seconds(60), .seconds(600), .seconds(3600), .seconds(3600)])
    }

    @Test(arguments: StoreMaker.all)
    func `that cannot be reached is looked at with the latest every second time`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        let ids = try await store.accept(NewItem.photos(3, to: ["a"])).submissions.map { $0[0] }
        var probes: [SubmissionID] = []
        for inOrder in [false, false, false, true] {
            let probe = try #require(try await worker.take(limit: 1, inOrder: inOrder).first)
            probes.append(probe.id)
            _ = try await store.hold("a", .unreachable, .scripted, by: probe, isProbe: true, looks: [.seconds(1)])
            try await store.settle(probe, .untried)
            place.clock.advance(by: .seconds(1))
        }
        #expect(probes == [ids[0], ids[0], ids[2], ids[0]])
    }

    @Test(arguments: StoreMaker.all)
    func `that waits for someone is looked at by one submission each time someone asks`(
        maker: StoreMaker
    ) async throws {
        let place = maker.place()
        let store = try place.open()
        let worker = try await store.makeWorker()
        try await store.accept(NewItem.photos(5))
        let claim = try #require(try await worker.take(limit: 1).first)
        _ = try await store.hold("a", nil, .scripted, by: claim, isProbe: false, looks: nil)
        try await store.lookAgain(at: ["a"], asked: ["b"])
        #expect(try await worker.take().isEmpty, "nobody asked for it")
        try await store.lookAgain(at: ["a"], asked: ["a"])
        #expect(try await worker.take().count == 1)
        #expect(
            try await place.open().makeWorker().take().isEmpty, "that one is the only one, in other processes too")
        try await store.giveBackLook(at: "a")
        let probe = try await worker.take()
        #expect(probe.count == 1, "the first found nothing out")
        #expect(try await worker.take().isEmpty)
        let failure = SubmitFailure(.giveUp, code: "c", message: "Another reason.")
        let state = try await store.hold("a", nil, failure, by: probe[0], isProbe: true, looks: nil)
        #expect(state.hold?.message == "Another reason.", "who looked again tells how it is now")
        #expect(state.hold?.waitsForSomeone == true && state.hold?.until == nil)
        try await store.lookAgain(at: ["a"], asked: nil)
        #expect(try await worker.take().count == 1)
    }

    @Test(arguments: StoreMaker.all)
    func `has notes of its own`(maker: StoreMaker) async throws {
        let place = maker.place()
        let store = try place.open()
        #expect(try await store.note("names", of: "a") == nil)
        try await store.setNote("names", of: "a", to: [1, 2])
        try await store.setNote("names", of: "a", to: [3])
        let again = try place.open()
        #expect(try await again.note("names", of: "a") == [3])
        #expect(try await again.note("names", of: "b") == nil)
        #expect(try await again.note("other", of: "a") == nil)
        try await again.setNote("names", of: "a", to: nil)
        #expect(try await store.note("names", of: "a") == nil)
    }
}
