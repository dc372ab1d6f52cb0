import Submit
import SubmitJournal
import Testing

@testable import SubmitEngine

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(
        base: .seconds(1), longest: .seconds(60), attempts: 8, age: .seconds(1000))

    private func decide(
        _ remedy: Remedy, failures: Int = 0, age: Duration = .zero, random: Double = 0.5
    ) -> RetryPolicy.Decision {
        decide(remedy, RetryPolicy.Case(failures: failures, age: age), random).decision
    }

    private func decide(
        _ remedy: Remedy, _ known: RetryPolicy.Case, _ random: Double = 0.5
    ) -> (decision: RetryPolicy.Decision, fault: StoreFault) {
        policy.decision(after: SubmitFailure(remedy, code: "test", message: "It failed."), known, random: random)
    }

    /// What happens to a submission for which nothing came through, by whose fault it was before and whether others arrived.
    @Test(arguments: [
        (StoreFault.none, true, 0, RetryPolicy.Decision.look(.milliseconds(500)), StoreFault.unclear),
        (.none, false, 0, .hold(.unreachable, asked: nil), .unclear),
        (.unclear, false, 7, .hold(.unreachable, asked: nil), .unclear),
        (.unclear, true, 0, .wait(own(32)), .own), (.unclear, true, 7, .fail, .own),
        (.own, false, 2, .wait(own(128)), .own), (.own, true, 7, .fail, .own),
    ])
    func `where nothing comes through, nobody is at fault before others got through`(
        _ fault: StoreFault, _ isWayOpen: Bool, _ failures: Int, _ decision: RetryPolicy.Decision, _ after: StoreFault
    ) {
        let found = decide(
            .tryAnother(after: nil), .init(failures: failures, fault: fault, isWayOpen: isWayOpen))
        #expect(found.decision == decision && found.fault == after)
    }

    @Test func `what failed by the way there is known as that, however old it is`() {
        let old = RetryPolicy.Case(age: .seconds(1000), isWayOpen: true)
        #expect(decide(.tryAnother(after: nil), old) == (.fail, .unclear))
        #expect(decide(.hold(.unreachable, after: nil), old) == (.fail, .unclear))
        #expect(decide(.hold(.full, after: nil), old) == (.fail, .none))
        #expect(decide(.retry(after: nil), .init(failures: 7, fault: .own)) == (.fail, .none))
        #expect(
            decide(.tryAnother(after: .seconds(9)), .init(fault: .unclear, isWayOpen: true)).decision
                == .wait(.seconds(9) + Self.own(32)))
    }

    /// The wait after a failure of a submission's own, of so many seconds at most, by the random number 0.5.
    private static func own(_ seconds: Double) -> Duration {
        .seconds(seconds) * (2.0 / 3 + (1 - 2.0 / 3) * 0.5)
    }

    /// What a trial of the destination shows, and by whose fault the submission failed before.
    @Test(arguments: [
        (RetryPolicy.Trial.stored, StoreFault.unclear, RetryPolicy.Decision.wait(own(32)), StoreFault.own),
        (.answered, .unclear, .wait(.seconds(32) * 16 * (2.0 / 3 + (1 - 2.0 / 3) * 0.5)), .own),
        (.failed, .unclear, .hold(.unreachable, asked: nil), .unclear),
        (.failed, .own, .hold(.unreachable, asked: nil), .own),
    ])
    func `a trial tells a submission's own fault from the destination's`(
        _ trial: RetryPolicy.Trial, _ fault: StoreFault, _ decision: RetryPolicy.Decision, _ after: StoreFault
    ) {
        let found = decide(.tryAnother(after: nil), .init(fault: fault, trial: trial))
        #expect(found.decision == decision && found.fault == after)
    }

    @Test(arguments: [(1, RetryPolicy.Trial.stored, 900), (2, .stored, 900), (1, .answered, 4 * 3600)])
    func `a submission fails by itself after a quarter of an hour at the earliest`(
        _ firstCuts: Int, _ trial: RetryPolicy.Trial, _ least: Int
    ) {
        var (known, time) = (RetryPolicy.Case(fault: .unclear, trial: trial, cuts: firstCuts), Duration.zero)
        while case .wait(let wait) = RetryPolicy().decision(
            after: SubmitFailure(.tryAnother(after: nil), code: "test", message: "It failed."), known, random: 0
        ).decision {
            time += wait
            known.failures += 1
            if firstCuts > 1 { known.cuts += 1 }
        }
        #expect((.seconds(least) ... .seconds(2 * least)).contains(time), "\(time)")
    }

    @Test func `each remedy has its consequence`() {
        #expect(decide(.giveUp) == .fail)
        #expect(decide(.outcomeUnknown) == .fail, "a step that may have happened is never repeated blindly")
        #expect(decide(.cancelled) == .cancelled)
        #expect(decide(.renewCredentials) == .hold(nil, asked: nil))
        #expect(decide(.hold(.full, after: .milliseconds(7))) == .hold(.full, asked: .milliseconds(7)))
    }

    @Test(arguments: [(0, 500), (1, 1000), (2, 2000), (3, 4000), (6, 30_000)])
    func `waits double up to a bound, with full jitter`(_ failures: Int, _ half: Int64) {
        #expect(decide(.retry(after: nil), failures: failures) == .wait(.milliseconds(half)))
        #expect(decide(.retry(after: nil), failures: failures, random: 0) == .wait(.zero))
    }

    @Test func `what the destination asked for is the least`() {
        #expect(decide(.retry(after: .seconds(9)), random: 0) == .wait(.seconds(9)))
        #expect(decide(.retry(after: .seconds(9))) == .wait(.milliseconds(9500)))
    }

    @Test func `what is still processed is looked at again, and no attempt is counted`() {
        #expect(decide(.wait(after: .seconds(3)), failures: 100) == .look(.seconds(3)))
        #expect(decide(.wait(after: .milliseconds(-1))) == .look(.milliseconds(100)))
        #expect(decide(.wait(after: .seconds(Int64.max))) == .look(.seconds(60)))
        #expect(decide(.wait(after: .seconds(3)), age: .seconds(1000)) == .fail)
    }

    @Test func `attempts and age have an end`() {
        #expect(decide(.retry(after: nil), failures: 7) == .fail)
        #expect(decide(.retry(after: nil), age: .seconds(1000)) == .fail)
        #expect(decide(.hold(.throttled, after: nil), age: .seconds(1000)) == .fail)
        #expect(decide(.hold(.unreachable, after: nil), failures: 100) != .fail)
        #expect(
            decide(.renewCredentials, age: .seconds(Int64.max)) != .fail, "who was away for long only has to log in")
    }

    @Test func `a held destination is looked at again unless someone has to act`() {
        #expect(policy.look(again: .unreachable, holds: 3, asked: nil, random: 0.5) == .seconds(2))
        #expect(policy.look(again: .throttled, holds: 1, asked: .seconds(30), random: 0.5) == .milliseconds(30500))
        // A server that says how long is taken at its word, however often it does.
        #expect(policy.look(again: .throttled, holds: 60, asked: .seconds(1), random: 0.5) == .seconds(2))
        #expect(policy.look(again: .unreachable, holds: 60, asked: nil, random: 1) == .seconds(60))
        #expect(policy.look(again: .misconfigured, holds: 1, asked: nil, random: 0.5) == nil)
        #expect(policy.look(again: nil, holds: 1, asked: nil, random: 0.5) == nil)
    }
}
