/// How often a host that asks for patience is asked: seldom at first, then more and more often until it asks again, and
/// from then on nearly as often as it liked.
///
/// Not only how many but how close: some refuse whatever comes sooner than a moment after the last, so requests are
/// spaced, and not sent in bursts.
/// Source: the rule is TCP's slow start, and then a search between what went well and what did not (RFC 5681; BIC TCP).
struct RequestPace: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// A request that was sent.
    struct Ticket: Sendable {
        /// Requests a second when it was.
        fileprivate let rate: Double
    }

    /// Requests a second.
    private(set) var rate = 1.0
    /// Before which none is sent.
    private(set) var nextStart: Instant
    /// The rate that went well, as far as is known.
    private var good = 0.0
    /// The rate that was too much; `nil` while none was.
    private var tooMuch: Double?
    /// Answers at this rate.
    private var passed = 0
    private var steadySince: Instant
    /// Refusals in a row by which it may just have been down; `nil` while there are none.
    private var outage: Outage?
    /// Anything was answered that was sent at a pace.
    private var hasAnswered = false
    /// The latest times between two refusals, the oldest first.
    private var runs: [Run] = []
    /// Until then the host counts as one that refuses at random; `nil` if it never did.
    private var erraticUntil: Instant?
    /// For how long it does the next time.
    private var erraticSpan = Self.erraticSpan.shortest
    /// Answers since the latest refusal, and when that was.
    private var run = 0
    private var runSince: Instant

    /// From one refusal to the next.
    private struct Run {
        let rate: Double
        let answers: Int
        let time: Duration
    }

    /// What is known when it begins.
    private struct Outage {
        let rate: Double
        let good: Double
        let tooMuch: Double?
        let since: Instant
        var refusals = 0
    }

    /// Answers at a rate that show it to be right.
    private static let enough = 3
    /// How near ``good`` comes to ``tooMuch`` before it is left at that, and for how long it is.
    private static let near = 1.2, steady = Duration.seconds(30)
    private static let slowest = 0.1
    /// So many refusals in a row, each at a lower rate, and for so long, are not for the rate.
    private static let outage = (refusals: 8, time: Duration.seconds(2))
    /// Some hosts refuse at random, whatever the pace: slower than this nobody is for their sake.
    private static let erratic = (slow: 0.34, answers: 8, rate: 2.0, fastest: 20.0)
    /// How long such a host is taken for one before slowing down is tried again.
    private static let erraticSpan = (shortest: Duration.seconds(120), longest: Duration.seconds(1800))
    /// A host that says after how many seconds to come again is asked at least once in so many times as long.
    private static let mostPauses = 3.0
    /// More often than that nobody has to be held back.
    static let fastest = 1000.0

    init(now: Instant) {
        nextStart = now + .seconds(1)
        steadySince = now
        runSince = now
    }

    /// Sends one.
    mutating func start(at now: Instant) -> Ticket {
        nextStart = max(nextStart, now + .seconds(1 / rate))
        return Ticket(rate: rate)
    }

    /// One was answered.
    ///
    /// - Parameters:
    ///   - hasWaited: it had to wait for its turn. Others tell nothing of how many there may be.
    ///   - isAlone: nobody else waits. Then a refusal would cost all that goes on, so that it grows slowly.
    mutating func answered(_ ticket: Ticket, hasWaited: Bool = true, isAlone: Bool = false, at now: Instant) {
        run += 1
        if ticket.rate <= rate {
            if let outage,
                outage.refusals >= Self.outage.refusals && now - outage.since >= Self.outage.time || !hasAnswered
            {
                (rate, good, tooMuch) = (outage.rate, outage.good, outage.tooMuch)
            }
            (outage, hasAnswered) = (nil, true)
        }
        guard hasWaited, ticket.rate >= rate else { return }
        passed += 1
        guard passed >= Self.enough else { return }
        passed = 0
        good = max(good, rate)
        if isErratic(at: now) {
            rate = max(rate, min(rate * 2, Self.erratic.fastest))
            return
        }
        guard let bound = tooMuch else {
            rate = isAlone ? rate + 1 : rate * 2
            return
        }
        if bound > rate * Self.near {
            rate += min((bound - rate) / 2, isAlone ? 1 : .infinity)
            steadySince = now
        } else if now - steadySince > Self.steady {
            // It may have become more.
            tooMuch = bound * 1.25
        }
    }

    /// One was refused. Those that were sent at a rate that is no longer used, or before there was one, tell nothing of it.
    ///
    /// - Parameters:
    ///   - pause: how long the host wants to be left alone.
    ///   - mayBeDown: it did not say that there were too many. When it answers again after it refused all for a while,
    ///     what was known before counts again.
    mutating func refused(_ ticket: Ticket?, pause: Duration?, mayBeDown: Bool = false, at now: Instant) {
        if let ticket, ticket.rate <= rate {
            outage = mayBeDown ? outage ?? Outage(rate: rate, good: good, tooMuch: tooMuch, since: now) : nil
            outage?.refusals += 1
            if !mayBeDown, isErratic(at: now) || slowingIsFutile(at: now) {
                if !isErratic(at: now) { becomeErratic(isTimed: pause != nil, at: now) }
                nextStart = max(nextStart, now + (pause ?? .seconds(1 / rate)))
                return
            }
            tooMuch = rate
            good = min(good, rate * 3 / 4)
            let least = pause.map { 1 / max(1, Self.mostPauses * ($0 / .seconds(1))) } ?? Self.slowest
            rate = max(good, rate / 2, least, Self.slowest)
            passed = 0
            steadySince = now
        }
        nextStart = max(nextStart, now + (pause ?? .seconds(1 / rate)))
    }

    /// Notes a refusal, and finds out whether the ones of late were for the pace.
    ///
    /// A host with a limit takes as much at a slower pace as before, and then refuses less. One that refuses at random takes
    /// less, and refuses as often. The limits were found by simulation of both kinds.
    private mutating func slowingIsFutile(at now: Instant) -> Bool {
        runs = (runs + [Run(rate: rate, answers: run, time: now - runSince)]).suffix(4)
        (run, runSince) = (0, now)
        guard runs.count == 4 else { return false }
        let (before, after) = (runs[..<2], runs[2...])
        if runs[0].rate <= Self.erratic.slow, runs[3].rate <= Self.erratic.slow {
            return runs.reduce(0) { $0 + $1.answers } >= Self.erratic.answers
        }
        func least(_ runs: ArraySlice<Run>) -> Int { runs.map(\.answers).min() ?? 0 }
        func throughput(_ runs: ArraySlice<Run>) -> Double {
            let time = runs.reduce(Duration.zero) { $0 + $1.time } / .seconds(1)
            return Double(runs.reduce(0) { $0 + $1.answers }) / max(time, 1e-9)
        }
        return runs[3].rate <= runs[0].rate * 0.6 && least(before) + least(after) >= 1
            && least(after) <= 2 * least(before) + 2 && throughput(after) < 0.8 * throughput(before)
    }

    /// The pauses that the host asks for are enough then.
    private func isErratic(at now: Instant) -> Bool { erraticUntil.map { now < $0 } ?? false }

    /// Goes back to a rate that was left in vain, and searches above it.
    ///
    /// - Parameter isTimed: the host says how long it wants to be left alone.
    private mutating func becomeErratic(isTimed: Bool, at now: Instant) {
        rate = max(runs.map(\.rate).max() ?? rate, Self.erratic.rate)
        if isTimed {
            erraticUntil = now + erraticSpan
            erraticSpan = min(erraticSpan * 4, Self.erraticSpan.longest)
        }
        (good, tooMuch, passed, runs, steadySince) = (rate, rate * 4, 0, [], now)
    }
}
