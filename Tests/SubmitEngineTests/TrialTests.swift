import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitJournal
import SubmitTesting
import Testing

/// A destination that can be tried with a few bytes after an item failed there.
@Suite(.timeLimit(.minutes(1))) struct TrialTests {
    private static let trouble = SubmitFailure(
        .tryAnother(after: nil), code: "server-error", message: "The server is in trouble.")

    private struct Tried: Submitter {
        let memory: InMemorySubmitter
        let trial: any TrialFacet

        var capabilities: Capabilities { memory.capabilities }
        var facets: Facets {
            var facets = memory.facets
            facets.trial = trial
            return facets
        }

        func submit(
            _ item: MediaItem, bytes: any MediaBytes, context: SubmissionContext
        ) async throws(SubmitFailure) -> Receipt { try await memory.submit(item, bytes: bytes, context: context) }

        func discard(_ item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) {
            try await memory.discard(item, context: context)
        }

        func check() async throws(SubmitFailure) -> String { try await memory.check() }
    }

    private struct Trial: TrialFacet {
        let count = Locked(0)
        /// What the trial of this number shows, from 1 on.
        let result: @Sendable (Int) -> Result<TrialResult, SubmitFailure>

        func trial(after item: MediaItem, context: SubmissionContext) async throws(SubmitFailure) -> TrialResult {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return try result(number).get()
        }
    }

    /// A workshop whose destination “t” stores nothing of the photo IMG_0000 in its first attempts.
    private func shop(_ trial: Trial, failing attempts: Int = .max) throws -> Workshop {
        let shop = try Workshop(["t": InMemorySubmitter.capabilities])
        let memory = InMemorySubmitter(shop["t"])
        shop.manager.add(
            Destination(
                name: "t", type: InMemorySubmitter.submitterType(), submitter: Tried(memory: memory, trial: trial),
                settings: DestinationSettings(destination: "t")))
        let tries = Locked(0)
        shop["t"].script = { moment, item, _ in
            guard moment == .beforeSending, item.name.hasPrefix("IMG_0000") else { return .success(()) }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number <= attempts ? .failure(Self.trouble) : .success(())
        }
        return shop
    }

    @Test(arguments: [1, 30])
    func `an item fails by itself if the destination stores a few bytes after each of its failures`(
        _ count: Int
    ) async throws {
        let trial = Trial { _ in .success(.stored) }
        let shop = try shop(trial)
        let batch = try await shop.accept(try shop.photos(count))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "t") == (count > 1 ? [.failed: 1, .done: count - 1] : [.failed: 1]))
        let attempts = try await shop.journal.attempts(of: 1)
        #expect(attempts.count == Workshop.policy.attempts + 1)
        #expect(attempts.last?.code == "server-error")
        #expect(attempts.last?.message?.contains("took a small file right after it") ?? false)
        #expect(try await shop.journal.state(of: "t").hold == nil)
    }

    @Test func `no attempt counts while the destination stores nothing at all`() async throws {
        let shop = try shop(Trial { _ in .failure(Self.trouble) }, failing: 12)
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "t") == [.done: 1])
    }

    @Test func `an item that failed by itself is not failed by an outage after that`() async throws {
        let shop = try shop(Trial { $0 < 3 ? .success(.stored) : .failure(Self.trouble) }, failing: 15)
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "t") == [.done: 1])
    }

    @Test func `a trial that tells nothing changes nothing`() async throws {
        let denied = SubmitFailure(.giveUp, code: "denied", message: "That is not allowed.")
        let shop = try shop(Trial { _ in .failure(denied) }, failing: 12)
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "t") == [.done: 1])
    }

    @Test func `the first failure asks for no trial`() async throws {
        let trial = Trial { _ in .success(.stored) }
        let shop = try shop(trial, failing: 1)
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "t") == [.done: 1])
        #expect(trial.count.withLock { $0 } == 0)
    }
}
