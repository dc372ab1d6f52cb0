internal import Foundation

/// What time it is where somebody asks, by which `last week` and dates without a zone are understood.
public struct AskersClock: Sendable {
    /// Seconds since 1970.
    public var now: Int64
    /// Seconds east of UTC at some time.
    public var offset: @Sendable (_ secondsSince1970: Int64) -> Int

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - offset: seconds east of UTC at a time in seconds since 1970.
    public init(now: Int64, offset: @escaping @Sendable (_ secondsSince1970: Int64) -> Int) {
        self.now = now
        self.offset = offset
    }

    /// This machine's.
    public static var own: AskersClock {
        let zone = TimeZone.current
        return AskersClock(now: Int64(Date().timeIntervalSince1970)) { seconds in
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds)))
        }
    }

    /// UTC's, at some time.
    public static func utc(now: Int64) -> AskersClock { AskersClock(now: now) { _ in 0 } }

    /// Which day it is.
    var today: CalendarDate {
        let there = now + Int64(offset(now))
        return CalendarDate(days: there >= 0 ? there / 86400 : (there - 86399) / 86400)
    }

    /// What a clock shows that stands here, in UTC. Of an hour that comes twice the first is meant.
    func utc(_ shown: WrittenTime) -> WrittenTime {
        let guess = shown.seconds - Int64(offset(shown.seconds - Int64(offset(shown.seconds))))
        let earlier = shown.seconds - Int64(offset(guess - 86400))
        // Right by the rule of before, where that is still in force then.
        let seconds = earlier + Int64(offset(earlier)) == shown.seconds ? min(earlier, guess) : guess
        return WrittenTime(seconds: seconds, nanoseconds: shown.nanoseconds)
    }

    /// The span of time that a date names, in nanoseconds since 1970; `nil` if it is too far away for that.
    ///
    /// - Parameter isWallClock: whether the span is on the wall clock of the date; otherwise it is in UTC.
    func span(of date: DateText, isWallClock: Bool) -> ClosedRange<Int64>? {
        func absolute(_ time: WrittenTime) -> WrittenTime {
            if isWallClock { return time }
            return date.offset.map { WrittenTime(seconds: time.seconds - Int64($0), nanoseconds: time.nanoseconds) }
                ?? utc(time)
        }
        guard let first = absolute(date.first).nanosecondsSince1970, let end = absolute(date.end).nanosecondsSince1970,
            end > first
        else { return nil }
        return first...end - 1
    }
}
