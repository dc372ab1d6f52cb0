import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitStore
import SubmitTesting
import Testing

@testable import SubmitEngine

/// A destination that ends the connection in the middle of a body.
@Suite(.timeLimit(.minutes(1))) struct BodyCutTests {
    private static let broken = SubmitFailure(
        .tryAnother(after: nil), code: "broken", message: "The connection broke: try again.")
    private static let film: Int64 = 20 << 20

    @Test func `cuts at about the same offset are counted, and others are not`() {
        var cuts = BodyCuts()
        #expect(cuts.add(Self.film, of: 1, wasAsked: false) == 1)
        #expect(!cuts.asksFirst(1))
        #expect(cuts.add(Self.film * 2, of: 1, wasAsked: false) == 1)
        #expect(cuts.add(Self.film + 1_000_000, of: 1, wasAsked: false) == 2)
        #expect(cuts.asksFirst(1) && !cuts.asksFirst(2))
        #expect(cuts.add(0, of: 1, wasAsked: true) == 3, "the announcement alone ended it")
        cuts.forget(1)
        #expect(cuts.add(Self.film, of: 1, wasAsked: false) == 1)
    }

    @Test(arguments: [(1, 0), (2, 1), (4, 1), (5, 2)])
    func `the second cut at the same offset counts as an attempt, and the fifth is the last`(_ cuts: Int, _ stage: Int)
    {
        let found = RetryPolicy(base: .seconds(1)).decision(
            after: Self.broken, RetryPolicy.Case(fault: .unclear, cuts: cuts), random: 0.5)
        switch stage {
        case 0: #expect(found.decision == .hold(.unreachable, asked: nil))
        case 1:
            #expect(found.decision == .wait(.seconds(450) * (2.0 / 3 + (1 - 2.0 / 3) * 0.5)) && found.fault == .unclear)
        default: #expect(found.decision == .fail)
        }
    }

    @Test(arguments: [true, false])
    func `a film whose body is never taken fails alone after five cuts`(isAlone: Bool) async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let (tries, asked) = (Locked(0), Locked(0))
        shop["a"].script = { moment, item, _ in
            guard moment == .beforeSending, item.name.hasPrefix("IMG_0000") else { return .success(()) }
            tries.withLock { $0 += 1 }
            let asksFirst = BodyWatch.current?.asksFirst ?? false
            if asksFirst { asked.withLock { $0 += 1 } }
            BodyWatch.current?.cut(at: asksFirst ? 0 : Self.film)
            return .failure(Self.broken)
        }
        let batch = try await shop.accept(try shop.photos(isAlone ? 1 : 30))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == (isAlone ? [.failed: 1] : [.failed: 1, .done: 29]))
        #expect(tries.withLock { $0 } == 5 && asked.withLock { $0 } == 3)
        let last = try #require(try await shop.journal.attempts(of: 1).last)
        #expect(last.code == "too-large" && (last.message ?? "").contains("takes no file of"))
    }

    @Test func `a line that breaks at other offsets each time fails nothing early`() async throws {
        let shop = try Workshop(["a": InMemorySubmitter.capabilities])
        let tries = Locked<Int64>(0)
        shop["a"].script = { moment, _, _ in
            guard moment == .beforeSending else { return .success(()) }
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            guard number < 12 else { return .success(()) }
            BodyWatch.current?.cut(at: number * Self.film)
            return .failure(Self.broken)
        }
        let batch = try await shop.accept(try shop.photos(1))
        try await shop.run(batch)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
    }
}
