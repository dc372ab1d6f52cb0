internal import SubmitPlatform

/// When a picture was taken, as its camera's clock showed it.
///
/// Cameras write local time and often do not say where they were, so the offset from UTC may be unknown.
public struct CaptureTime: Sendable, Hashable {
    /// 1...9999
    public var year: Int
    /// 1...12
    public var month: Int
    /// 1...31
    public var day: Int
    /// 0...23
    public var hour: Int
    /// 0...59
    public var minute: Int
    /// 0...60: a leap second counts.
    public var second: Int
    /// Seconds east of UTC, where the file says so.
    public var offset: Int?

    /// `nil` unless it is a real date and time of day (leap second 60 included) with an offset within 18 hours.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offset: Int? = nil) {
        let lengths = [31, Self.isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            abs(offset ?? 0) <= 18 * 3600
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.offset = offset
    }

    /// A point in time, as clocks of this machine's zone (`TZ`) showed it then.
    package init?(secondsSince1970 seconds: Int64) {
        var seconds = time_t(seconds)
        var fields = tm()
        guard localtime_r(&seconds, &fields) != nil else { return nil }
        self.init(
            year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
            hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec),
            // Those of before there were zones have seconds, which nobody writes.
            offset: fields.tm_gmtoff / 60 * 60)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}

extension CaptureTime: CustomStringConvertible, LosslessStringConvertible {
    /// ISO 8601: `2024-05-17T18:42:07+02:00`, without an offset where none is known, `Z` for UTC.
    public var description: String {
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        let digits = String(year)
        var text = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        text += "-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))"
        guard let offset else { return text }
        if offset == 0 { return text + "Z" }
        let minutes = abs(offset) / 60
        return text + (offset < 0 ? "-" : "+") + "\(two(minutes / 60)):\(two(minutes % 60))"
    }

    /// Reads what ``description`` writes.
    public init?(_ description: String) {
        let bytes = Array(description.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        let separators: [(Int, UInt8)] = [(4, 45), (7, 45), (10, 84), (13, 58), (16, 58)]
        guard bytes.count >= 19, separators.allSatisfy({ bytes[$0.0] == $0.1 }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var offset: Int?
        switch bytes.count {
        case 19: break
        case 20 where bytes[19] == 90: offset = 0
        case 25 where (bytes[19] == 43 || bytes[19] == 45) && bytes[22] == 58:
            guard let hours = number(20..<22), let minutes = number(23..<25), minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (bytes[19] == 45 ? -1 : 1)
        default: return nil
        }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second, offset: offset)
    }
}
