import Testing

@testable import SubmitHTTP

/// What nginx's `limit_req` does, which has a bucket that leaks: https://nginx.org/en/docs/http/ngx_http_limit_req_module.html.
private struct Limiter {
    /// Requests a second.
    var rate: Double
    /// Requests that may come too soon.
    var burst = 0.0
    private var excess = 0.0
    private var last: ContinuousClock.Instant?

    init(rate: Double, burst: Double = 0) {
        self.rate = rate
        self.burst = burst
    }

    mutating func takes(_ now: ContinuousClock.Instant) -> Bool {
        guard let last else {
            self.last = now
            return true
        }
        let excess = max(0, self.excess - rate * ((now - last) / .seconds(1)) + 1)
        guard excess <= burst else { return false }
        (self.excess, self.last) = (excess, now)
        return true
    }
}

@Suite struct `A pace that a host is asked at` {
    private let start = ContinuousClock.now

    /// Asks as soon as may be until `count` requests were taken, each up to 2 ms late.
    private func ask(
        _ limiter: inout Limiter, _ count: Int, pause: Duration?, mayBeDown: Bool = false
    ) -> (time: Double, refused: Int, pace: RequestPace) {
        var (now, taken, refused) = (start, 0, 0)
        var pace = RequestPace(now: now)
        _ = limiter.takes(now)
        pace.refused(nil, pause: pause, at: now)
        while taken < count, refused < 1000 {
            now = max(now, pace.nextStart) + .microseconds((taken + refused) * 977 % 2000)
            let ticket = pace.start(at: now)
            if limiter.takes(now) {
                taken += 1
                pace.answered(ticket, at: now)
            } else {
                refused += 1
                pace.refused(ticket, pause: pause, mayBeDown: mayBeDown, at: now)
            }
        }
        return ((now - start) / .seconds(1), refused, pace)
    }

    @Test(
        arguments: [
            (0.5, 0, 20, 6), (2, 0, 60, 6), (10, 0, 60, 4), (10, 0, 200, 5), (10, 20, 200, 24), (50, 0, 300, 4),
            (50, 0, 3000, 8), (100, 10, 600, 30),
        ] as [(Double, Double, Int, Int)], [(nil, false), (nil, true), (1, false)] as [(Int?, Bool)])
    func `finds nearly what the host likes, with few refusals`(
        _ limit: (rate: Double, burst: Double, count: Int, refusals: Int), _ says: (pause: Int?, mayBeDown: Bool)
    ) {
        let pause = says.pause
        var limiter = Limiter(rate: limit.rate, burst: limit.burst)
        let found = ask(&limiter, limit.count, pause: pause.map { .seconds($0) }, mayBeDown: says.mayBeDown)
        #expect(found.refused <= limit.refusals)
        // The search takes some seconds, and each refusal what it asks for.
        let ideal = Double(limit.count) / limit.rate
        #expect(found.time <= 1.35 * ideal + 8 + Double(found.refused * (pause ?? 0)), "\(found)")
    }

    /// Numbers that are the same each time.
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
            return mixed ^ mixed >> 31
        }
    }

    @Test(arguments: [0.15, 0.2, 0.25])
    func `recovers where the host refuses at random and asks for a second each time`(share: Double) {
        var times: [Double] = []
        for seed in 0..<21 as Range<UInt64> {
            var random = Numbers(state: seed)
            var (now, taken) = (start, 0)
            var pace = RequestPace(now: now)
            pace.refused(nil, pause: .seconds(1), at: now)
            while taken < 300 {
                now = max(now, pace.nextStart)
                let ticket = pace.start(at: now)
                if Double.random(in: 0..<1, using: &random) < share {
                    pace.refused(ticket, pause: .seconds(1), at: now)
                } else {
                    taken += 1
                    pace.answered(ticket, at: now)
                }
            }
            times.append((now - start) / .seconds(1))
        }
        // The pauses alone take 53 to 100 seconds.
        #expect(times.sorted()[10] < 180 && times.max()! < 360, "\(times)")
    }

    @Test func `is soon no pace where nothing is refused any more`() {
        var limiter = Limiter(rate: 1_000_000)
        let found = ask(&limiter, 40, pause: nil)
        #expect(found.pace.rate >= RequestPace.fastest && found.time < 10)
    }

    @Test func `grows again where the host takes more`() {
        var limiter = Limiter(rate: 2)
        var pace = ask(&limiter, 30, pause: nil).pace
        let before = pace.rate
        limiter = Limiter(rate: 1000)
        var now = pace.nextStart
        for _ in 0..<400 {
            now = max(now, pace.nextStart)
            pace.answered(pace.start(at: now), at: now)
        }
        #expect(before <= 2 && pace.rate > 1.4 * before)
    }

    // As of an upstream that is down: 503 for everything, for so many seconds. A host's pace may be known before, or not.
    @Test(arguments: [10, 60, 600, 7200], [0, 25])
    func `is soon again what it was when a host that was down answers`(seconds: Int, known: Int) {
        var limiter = Limiter(rate: 1_000_000)
        var pace = ask(&limiter, known, pause: nil).pace
        let before = pace.rate
        var now = max(start, pace.nextStart)
        let end = now + .seconds(seconds)
        var asked = 0
        while now < end {
            pace.refused(pace.start(at: now), pause: nil, mayBeDown: true, at: now)
            now = max(now, pace.nextStart)
            asked += 1
        }
        #expect(asked <= 50 + seconds / 10, "it is left alone while it is down")
        let late = now - end
        pace.answered(pace.start(at: now), hasWaited: false, at: now)
        #expect(pace.rate == before && late <= .seconds(10), "\(pace)")
    }

    @Test func `is not slower for what was sent before it was known`() {
        var pace = RequestPace(now: start)
        let old = pace.start(at: start)
        for _ in 0..<3 { pace.answered(pace.start(at: start), at: start) }
        #expect(pace.rate == 2)
        for _ in 0..<20 { pace.refused(nil, pause: nil, at: start) }
        #expect(pace.rate == 2)
        // That one was refused though it was sent at a slower one does say something.
        pace.refused(old, pause: nil, at: start)
        #expect(pace.rate < 2)
    }

    @Test func `grows slowly where one alone asks, whose refusal would cost all there is`() {
        var pace = RequestPace(now: start)
        for _ in 0..<9 { pace.answered(pace.start(at: start), isAlone: true, at: start) }
        #expect(pace.rate == 4)
        for _ in 0..<9 { pace.answered(pace.start(at: start), at: start) }
        #expect(pace.rate == 32)
    }

    @Test func `waits for as long as the host asks for`() {
        var pace = RequestPace(now: start)
        pace.refused(nil, pause: .seconds(7), at: start)
        #expect(pace.nextStart == start + .seconds(7))
        pace.refused(nil, pause: .seconds(2), at: start)
        #expect(pace.nextStart == start + .seconds(7))
    }
}
