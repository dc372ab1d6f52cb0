import Submit
import SubmitJournal
import Testing

@testable import SubmitEngine

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(
        baseMilliseconds: 1000, longestMilliseconds: 60_000, attempts: 8, ageMilliseconds: 1_000_000)

    private func decide(
        _ remedy: Remedy, failures: Int = 0, age: Int64 = 0, random: Double = 0.5
    ) -> RetryPolicy.Decision {
        decide(remedy, RetryPolicy.Case(failures: failures, age: age), random).decision
    }

    private func decide(
        _ remedy: Remedy, _ known: RetryPolicy.Case, _ random: Double = 0.5
    ) -> (decision: RetryPolicy.Decision, fault: Fault) {
        policy.decision(after: SubmitFailure(remedy, code: "test", "It failed."), known, random: random)
    }

    /// What happens to a submission for which nothing came through, by whose fault it was before and whether others arrived.
    @Test(arguments: [
        (Fault.none, true, 0, RetryPolicy.Decision.look(milliseconds: 500), Fault.unclear),
        (.none, false, 0, .park(.unreachable, askedMilliseconds: nil), .unclear),
        (.unclear, false, 7, .park(.unreachable, askedMilliseconds: nil), .unclear),
        (.unclear, true, 0, .wait(milliseconds: 500), .own), (.unclear, true, 7, .fail, .own),
        (.own, false, 2, .wait(milliseconds: 2000), .own), (.own, true, 7, .fail, .own),
    ])
    func `where nothing comes through, nobody is at fault before others got through`(
        _ fault: Fault, _ isWayOpen: Bool, _ failures: Int, _ decision: RetryPolicy.Decision, _ after: Fault
    ) {
        let found = decide(
            .tryAnother(afterMilliseconds: nil), .init(failures: failures, fault: fault, isWayOpen: isWayOpen))
        #expect(found.decision == decision && found.fault == after)
    }

    @Test func `what failed by the way there is known as that, however old it is`() {
        let old = RetryPolicy.Case(age: 1_000_000, isWayOpen: true)
        #expect(decide(.tryAnother(afterMilliseconds: nil), old) == (.fail, .unclear))
        #expect(decide(.park(.unreachable, afterMilliseconds: nil), old) == (.fail, .unclear))
        #expect(decide(.park(.full, afterMilliseconds: nil), old) == (.fail, .none))
        #expect(decide(.retry(afterMilliseconds: nil), .init(failures: 7, fault: .own)) == (.fail, .none))
        #expect(
            decide(.tryAnother(afterMilliseconds: 9000), .init(fault: .unclear, isWayOpen: true)).decision
                == .wait(milliseconds: 9500))
    }

    @Test func `each remedy has its consequence`() {
        #expect(decide(.giveUp) == .fail)
        #expect(decide(.outcomeUnknown) == .fail, "a step that may have happened is never repeated blindly")
        #expect(decide(.cancelled) == .cancelled)
        #expect(decide(.renewCredentials) == .park(nil, askedMilliseconds: nil))
        #expect(decide(.park(.full, afterMilliseconds: 7)) == .park(.full, askedMilliseconds: 7))
    }

    @Test(arguments: [(0, 500), (1, 1000), (2, 2000), (3, 4000), (6, 30_000)])
    func `waits double up to a bound, with full jitter`(_ failures: Int, _ half: Int64) {
        #expect(decide(.retry(afterMilliseconds: nil), failures: failures) == .wait(milliseconds: half))
        #expect(decide(.retry(afterMilliseconds: nil), failures: failures, random: 0) == .wait(milliseconds: 0))
    }

    @Test func `what the destination asked for is the least`() {
        #expect(decide(.retry(afterMilliseconds: 9000), random: 0) == .wait(milliseconds: 9000))
        #expect(decide(.retry(afterMilliseconds: 9000)) == .wait(milliseconds: 9500))
    }

    @Test func `what is still processed is looked at again, and no attempt is counted`() {
        #expect(decide(.wait(afterMilliseconds: 3000), failures: 100) == .look(milliseconds: 3000))
        #expect(decide(.wait(afterMilliseconds: -1)) == .look(milliseconds: 100))
        #expect(decide(.wait(afterMilliseconds: .max)) == .look(milliseconds: 60_000))
        #expect(decide(.wait(afterMilliseconds: 3000), age: 1_000_000) == .fail)
    }

    @Test func `attempts and age have an end`() {
        #expect(decide(.retry(afterMilliseconds: nil), failures: 7) == .fail)
        #expect(decide(.retry(afterMilliseconds: nil), age: 1_000_000) == .fail)
        #expect(decide(.park(.throttled, afterMilliseconds: nil), age: 1_000_000) == .fail)
        #expect(decide(.park(.unreachable, afterMilliseconds: nil), failures: 100) != .fail)
        #expect(decide(.renewCredentials, age: .max) != .fail, "who was away for long only has to log in")
    }

    @Test func `a parked destination is looked at again unless someone has to act`() {
        #expect(policy.look(again: .unreachable, parkings: 3, asked: nil, random: 0.5) == 2000)
        #expect(policy.look(again: .throttled, parkings: 1, asked: 30_000, random: 0.5) == 30_500)
        #expect(policy.look(again: .unreachable, parkings: 60, asked: nil, random: 1) == 60_000)
        #expect(policy.look(again: .misconfigured, parkings: 1, asked: nil, random: 0.5) == nil)
        #expect(policy.look(again: nil, parkings: 1, asked: nil, random: 0.5) == nil)
    }
}
