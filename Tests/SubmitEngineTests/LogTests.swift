import CoreMetrics
import InMemoryLogging
import Logging
import MetricsTestKit
import Submit
import SubmitConcurrency
import SubmitEngine
import SubmitTesting
import Testing

/// What an engine says of its decisions.
@Suite struct `The log` {
    private let records = InMemoryLogHandler()

    private func logger(_ level: Logger.Level) -> Logger {
        var logger = Logger(label: "test") { _ in records }
        logger.logLevel = level
        return logger
    }

    private func entries(_ message: String) -> [InMemoryLogHandler.Entry] {
        records.entries.filter { $0.message.description == message }
    }

    /// Fails the first attempt of each submission with this.
    private func failingOnce(_ shop: Workshop, _ failure: SubmitFailure) {
        shop["a"].script = { moment, _, context in
            moment == .beforeSending && context.attempt == 1 ? .failure(failure) : .success(())
        }
    }

    @Test func `of a run with a retry says for each record which attempt it is of, and which rule the retry follows`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], logger: logger(.debug))
        failingOnce(shop, SubmitFailure(.retry(after: nil), code: "odd", message: "It broke."))
        let batch = try await shop.accept([try shop.photo("one.jpg")])
        try await shop.run(batch)
        let accepted = try #require(entries("accepted").first)
        #expect(
            accepted.level == .info && accepted.metadata["destination"] == "a"
                && accepted.metadata["batch"] == "\(batch)")
        let failed = try #require(entries("attempt failed").first)
        #expect(failed.level == .debug && failed.metadata["attempt"] == "1" && failed.metadata["batch"] == "\(batch)")
        #expect(failed.metadata["submission"] == accepted.metadata["submission"] && failed.metadata["code"] == "odd")
        #expect(failed.metadata["remedy"] == "retry" && failed.metadata["reason"] == "It broke.")
        #expect(failed.metadata["rule"]?.description.hasPrefix("failure 1 of 5: again in ") == true, "\(failed)")
        #expect(entries("waiting").first?.metadata["until"] != nil)
        let done = try #require(entries("done").first)
        #expect(done.level == .info && done.metadata["attempt"] == "2" && done.metadata["evidence"] == "verified")
        #expect(entries("claimed").count == 2 && entries("attempt begins").count == 2)
        #expect(entries("run begins").count == 1 && entries("run ends").first?.metadata["reason"] != nil)
    }

    @Test func `says that a destination is on hold, why, that it is looked at again, and that it is released`()
        async throws
    {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], logger: logger(.debug))
        failingOnce(shop, SubmitFailure(.hold(.full, after: nil), code: "full", message: "It is full."))
        let batch = try await shop.accept([try shop.photo("one.jpg")])
        try await shop.run(batch)
        let hold = try #require(entries("destination on hold").first)
        #expect(hold.level == .info && hold.metadata["destination"] == "a" && hold.metadata["hold"] == "full")
        #expect(hold.metadata["code"] == "full" && hold.metadata["reason"] == "It is full.")
        #expect(entries("destination looked at again").first?.metadata["attempt"] == "2")
        #expect(entries("destination released").first?.metadata["destination"] == "a")
    }

    @Test func `says of a failure what it is and that nothing helps`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], logger: logger(.debug))
        failingOnce(shop, SubmitFailure(.giveUp, code: "refused", message: "It says no."))
        let batch = try await shop.accept([try shop.photo("one.jpg")])
        try await shop.run(batch)
        let failed = try #require(entries("failed").first)
        #expect(failed.level == .info && failed.metadata["code"] == "refused" && failed.metadata["attempt"] == "1")
        #expect(entries("attempt failed").first?.metadata["rule"] == "nothing that it could be tried again for")
    }

    @Test func `at the level info has what an operator wants, and nothing else`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], logger: logger(.info))
        failingOnce(shop, SubmitFailure(.retry(after: nil), code: "odd", message: "It broke."))
        try await shop.run(try await shop.accept([try shop.photo("one.jpg")]))
        #expect(
            records.entries.map(\.message.description)
                == ["accepted", "run begins", "waiting", "done", "run ends"])
    }

    @Test func `of a submitter, and of whatever is below it, knows the attempt`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], logger: logger(.trace))
        shop["a"].script = { moment, _, context in
            if moment == .beforeSending {
                context.logger.debug("the submitter")
                await Task { Logger.current.trace("below") }.value
            }
            return .success(())
        }
        let batch = try await shop.accept([try shop.photo("one.jpg")])
        try await shop.run(batch)
        for message in ["the submitter", "below"] {
            let entry = try #require(entries(message).first)
            #expect(
                entry.metadata["batch"] == "\(batch)" && entry.metadata["destination"] == "a"
                    && entry.metadata["attempt"] == "1")
            #expect(entry.metadata["submission"] != nil)
        }
    }

    @Test func `of a manager that was given no logger is heard nowhere, and builds no message`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let isBuilt = Locked(false)
        shop["a"].script = { _, _, context in
            func built() -> Logger.Message {
                isBuilt.withLock { $0 = true }
                return "built"
            }
            context.logger.error(built())
            Logger.current.error(built())
            return .success(())
        }
        try await shop.run(try await shop.accept([try shop.photo("one.jpg")]))
        #expect(!isBuilt.withLock { $0 })
    }
}

/// The engine's numbers.
@Suite struct `The metrics` {
    @Test func `count what was accepted, attempts by what came of them, bytes, time, and what is under way`()
        async throws
    {
        let metrics = TestMetrics()
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], metrics: metrics)
        shop["a"].script = { moment, _, context in
            moment == .beforeSending && context.attempt == 1
                ? .failure(SubmitFailure(.retry(after: nil), code: "odd", message: "It broke.")) : .success(())
        }
        try await shop.run(try await shop.accept(try shop.photos(3)))
        let here = [("destination", "a")]
        #expect(try metrics.expectCounter("submit.submissions.accepted", here).totalValue == 3)
        #expect(try metrics.expectCounter("submit.attempts", here + [("outcome", "retry")]).totalValue == 3)
        #expect(try metrics.expectCounter("submit.attempts", here + [("outcome", "done")]).totalValue == 3)
        #expect(try metrics.expectCounter("submit.bytes.sent", here).totalValue == 900)
        #expect(try metrics.expectTimer("submit.attempt.duration", here).values.count == 6)
        let underWay = try metrics.expectGauge("submit.submissions.under_way", here).values
        #expect(underWay.last == 0 && underWay.contains { $0 > 0 })
        #expect(try metrics.expectGauge("submit.destination.width", here).lastValue ?? 0 > 0)
    }

    @Test func `say which destinations are on hold`() async throws {
        let metrics = TestMetrics()
        let shop = try Workshop(["a": InMemorySubmitter.capabilities], metrics: metrics)
        shop["a"].script = { moment, _, context in
            moment == .beforeSending && context.attempt == 1
                ? .failure(SubmitFailure(.hold(.full, after: nil), code: "full", message: "It is full.")) : .success(())
        }
        try await shop.run(try await shop.accept([try shop.photo("one.jpg")]))
        #expect(try metrics.expectGauge("submit.destination.on_hold", [("destination", "a")]).values == [1, 0])
    }
}
