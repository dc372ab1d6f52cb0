import Submit
import Testing

@testable import SubmitEngine

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(
        baseMilliseconds: 1000, longestMilliseconds: 60_000, attempts: 8, ageMilliseconds: 1_000_000)

    private func decide(
        _ remedy: Remedy, failures: Int = 0, age: Int64 = 0, random: Double = 0.5
    ) -> RetryPolicy.Decision {
        policy.decision(
            after: SubmitFailure(remedy, code: "test", "It failed."), failures: failures, age: age, random: random)
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
