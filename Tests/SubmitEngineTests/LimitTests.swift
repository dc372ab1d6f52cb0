import Foundation
import Submit
import SubmitConcurrency
import SubmitStore
import SubmitTesting
import Testing

@testable import SubmitEngine

/// How fast may go out what, and when nothing may.
@Suite struct LimitTests {
    @Test(
        arguments: [
            ("2M", [0: 2 << 20]), ("off", [0: nil]), ("500k", [700: 500 << 10]), ("1MB/s", [3: 1_000_000]),
            ("08:00-23:00 1M", [479: nil, 480: 1 << 20, 1379: 1 << 20, 1380: nil]),
            (
                "22:00-06:00 off, 12:00-13:00 64k, 1M",
                [0: nil, 359: nil, 360: 1 << 20, 720: 64 << 10, 780: 1 << 20, 1320: nil]
            ),
            ("00:00-24:00 5k", [0: 5 << 10, 1439: 5 << 10]),
        ] as [(String, [Int: Int64?])])
    func `a bandwidth counts by the time of the day`(_ text: String, _ rates: [Int: Int64?]) throws {
        let schedule = try BandwidthSchedule(text)
        for (minute, rate) in rates { #expect(schedule.rate(atMinute: minute) == rate, "at \(minute)") }
        #expect(schedule.description == text)
    }

    @Test(arguments: [
        "", "fast", "0", "512", "-1M", "08:00 1M", "08:00-25:00 1M", "08:00-08:00 1M", "1M 2M", "1M,,2M", "08:00-09:00",
        "1X",
        "08:60-09:00 1M",
    ])
    func `what is no bandwidth is told as that`(_ text: String) {
        #expect(throws: SubmitFailure.self) { try BandwidthSchedule(text) }
    }

    @Test func `hours that follow each other are one time to be quiet`() throws {
        let hours = try ["22:00-24:00", "00:00-06:30", "12:00-12:30"].map { try #require(DailyHours($0)) }
        #expect(hours.left(at: 23 * 3600) == .seconds(7.5 * 3600))
        #expect(hours.left(at: 6 * 3600 + 1799) == .seconds(1))
        #expect(hours.left(at: 6 * 3600 + 1800) == nil)
        #expect(hours.left(at: 12 * 3600 + 60) == .seconds(29 * 60))
        #expect([DailyHours("22:00-06:00")].compactMap(\.self).left(at: 0) == .seconds(6 * 3600))
        let all = try ["00:00-12:00", "12:00-00:00"].map { try #require(DailyHours($0)) }
        #expect(all.left(at: 5) != nil)
    }

    /// Someone who wants as much as there is, and how much it got.
    private final class Sender: Sendable {
        private let bytes = Locked(0)
        private let isEnded = Locked(false)
        private let allowance: SendingAllowance
        private let piece: Int

        init(_ allowance: SendingAllowance, piece: Int) {
            (self.allowance, self.piece) = (allowance, piece)
            ask()
        }

        private func ask() {
            allowance.request(piece) { [self] count in
                bytes.withLock { $0 += count }
                if !isEnded.withLock({ $0 }) { DispatchQueue.global().async { self.ask() } }
            }
        }

        var sent: Int { bytes.withLock { $0 } }
        func end() { isEnded.withLock { $0 = true } }
    }

    @Test func `destinations share what there is, and what one may not take the others get`() async throws {
        let scheduler = BandwidthScheduler()
        scheduler.limit(BandwidthScheduler.Rates(total: 3_000_000, destinations: ["c": 400_000]))
        let begun = ContinuousClock.now
        // Three that want all; of `a` four at once.
        let a = (0..<4).map { _ in Sender(scheduler.allowance(for: "a"), piece: 65_536) }
        let b = Sender(scheduler.allowance(for: "b"), piece: 10_000)
        let c = Sender(scheduler.allowance(for: "c"), piece: 65_536)
        func all() -> (a: Double, b: Double, c: Double, seconds: Double) {
            (
                Double(a.reduce(0) { $0 + $1.sent }), Double(b.sent), Double(c.sent),
                (ContinuousClock.now - begun) / .seconds(1)
            )
        }
        // Until so much went out that what a burst may be counts for little.
        while all().b < 3_000_000 { try await Task.sleep(for: .milliseconds(50)) }
        let first = all()
        #expect(abs((first.a + first.b + first.c) / (3_000_000 * first.seconds) - 1) < 0.1, "\(first)")
        #expect(abs(first.c / (400_000 * first.seconds) - 1) < 0.1, "\(first)")
        #expect(abs(first.a / first.b - 1) < 0.1, "\(first)")
        // From now on all there is goes to whoever may.
        scheduler.limit(BandwidthScheduler.Rates(total: 8_000_000, destinations: ["a": 1_000_000, "c": 400_000]))
        let middle = all()
        while all().b < middle.b + 6_600_000 { try await Task.sleep(for: .milliseconds(50)) }
        let second = all()
        let seconds = second.seconds - middle.seconds
        #expect(abs((second.a - middle.a) / (1_000_000 * seconds) - 1) < 0.15, "\(middle) \(second)")
        #expect(abs((second.b - middle.b) / (6_600_000 * seconds) - 1) < 0.15, "\(middle) \(second)")
        (a + [b, c]).forEach { $0.end() }
        // Whoever waits goes on when nothing bounds it any more.
        scheduler.limit(BandwidthScheduler.Rates())
        await withCheckedContinuation { there in
            scheduler.allowance(for: "a").request(1 << 30) {
                #expect($0 == 1 << 30); there.resume()
            }
        }
    }
}
