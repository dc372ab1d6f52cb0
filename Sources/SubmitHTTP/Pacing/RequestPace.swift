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
    /// More often than that nobody has to be held back.
    static let fastest = 1000.0

    init(now: Instant) {
        nextStart = now + .seconds(1)
        steadySince = now
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
            tooMuch = rate
            good = min(good, rate * 3 / 4)
            rate = max(good, rate / 2, Self.slowest)
            passed = 0
            steadySince = now
        }
        nextStart = max(nextStart, now + (pause ?? .seconds(1 / rate)))
    }
}
