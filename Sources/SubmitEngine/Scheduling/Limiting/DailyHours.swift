internal import Foundation
internal import Submit

/// From a time of the day to another, by the clock on the wall, every day: `22:00-06:00`. Where the end is not after the
/// beginning, it is that of the next day.
public struct DailyHours: Sendable, Hashable, CustomStringConvertible {
    /// Minutes after midnight at which they begin.
    public let begin: Int
    /// Minutes after midnight at which they end.
    public let end: Int

    /// - Returns: `nil` for a text that is not `HH:MM-HH:MM`, or whose times are the same.
    public init?(_ text: some StringProtocol) {
        let times = text.split(separator: "-", omittingEmptySubsequences: false).map { Self.minutes($0) }
        guard times.count == 2, let begin = times[0], let end = times[1], begin != end else { return nil }
        (self.begin, self.end) = (begin, end % Self.day)
    }

    private static let day = 24 * 60

    private static func minutes(_ text: some StringProtocol) -> Int? {
        let parts = text.trimmingCharacters(in: .whitespaces).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isNumber) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= day
        else { return nil }
        return hour * 60 + minute
    }

    public var description: String {
        func time(_ minutes: Int) -> String {
            let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
            return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        }
        return "\(time(begin))-\(time(end))"
    }

    /// Whether they have begun and not ended at a minute of the day.
    func contains(_ minute: Int) -> Bool {
        begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
    }

    /// How long it is until they end, where they go on.
    ///
    /// - Parameter second: of the day.
    func left(at second: Int) -> Duration? {
        guard contains(second / 60) else { return nil }
        return .seconds((end * 60 - second + Self.day * 60) % (Self.day * 60))
    }

    /// The second of the day by the clock on the wall.
    static func second(at time: Timestamp = .now) -> Int {
        var (seconds, fields) = (time_t(time.seconds), tm())
        localtime_r(&seconds, &fields)
        return Int(fields.tm_hour) * 3600 + Int(fields.tm_min) * 60 + min(Int(fields.tm_sec), 59)
    }
}

extension [DailyHours] {
    /// How long it is until none of them goes on; `nil` where none does.
    func left(at second: Int) -> Duration? {
        var end = second
        // One may begin where another ends; together they may be the whole day.
        for _ in 0...count {
            guard let longest = compactMap({ $0.left(at: end % 86_400) }).max() else { break }
            end += Int(longest.components.seconds)
        }
        return end == second ? nil : .seconds(end - second)
    }
}
