import Dispatch
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitTesting
import Testing

@testable import SubmitEngine

/// A destination that waits as no submitter should: it holds the thread that it was called on.
private struct HungSubmitter: Submitter {
    static let capabilities = Capabilities(ordering: .concurrent(64), requiresNetwork: false)
    let place: Place

    final class Place: Sendable {
        let answer = DispatchSemaphore(value: 0)
        let held = Locked(0)
    }

    var capabilities: Capabilities { Self.capabilities }
    var facets: Facets { Facets() }

    func submit(
        _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
    ) async throws(SubmitFailure) -> Receipt {
        place.held.withLock { $0 += 1 }
        place.answer.wait()
        return Receipt(remoteID: item.name, evidence: .verified)
    }

    func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {}

    func check() async throws(SubmitFailure) -> String { "It hangs." }
}

@Suite struct `A destination that hangs` {
    @Test func `leaves the others alone, with 64 attempts at once`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let place = HungSubmitter.Place()
        shop.manager.add(
            Destination(
                name: "hung",
                type: SubmitterType(
                    name: "hung", summary: "Hangs", capabilities: HungSubmitter.capabilities, settings: []
                ) { _ in HungSubmitter(place: place) },
                submitter: HungSubmitter(place: place)))
        let batch = try await shop.accept(shop.photos(70), to: ["hung", "a"])
        let run = try await shop.manager.start([batch])
        async let finished: Void = run.finish(patience: .seconds(20))
        while place.held.withLock({ $0 }) < 64 { await Task.yield() }
        while try await shop.states(batch, at: "a") != [.done: 70] { await Task.yield() }
        for _ in 0..<70 { place.answer.signal() }
        try await finished
        #expect(try await shop.states(batch, at: "hung") == [.done: 70])
    }
}
