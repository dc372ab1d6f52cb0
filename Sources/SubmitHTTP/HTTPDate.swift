public import Submit

/// The dates of HTTP headers (RFC 9110, section 5.6.7).
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The form to send: `Sun, 06 Nov 1994 08:49:37 GMT`. For the years 0 to 9999; fractions of a second are cut off.
    public static func format(_ time: Timestamp) -> String {
        let days = time.seconds / 86400 - (time.seconds % 86400 < 0 ? 1 : 0)
        let rest = time.seconds - days * 86400
        let (year, month, day) = Timestamp.date(days: days)
        func digits(_ value: some BinaryInteger, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { digits($0, 2) }.joined(separator: ":")
        // 1970-01-01 was a Thursday.
        return "\(Self.days[Int(((days + 4) % 7 + 7) % 7)]), \(digits(day, 2)) \(months[month - 1]) \(digits(year, 4)) "
            + "\(clock) GMT"
    }

    /// Reads all three forms that a recipient must understand: IMF-fixdate, RFC 850 and asctime.
    ///
    /// - Parameter now: decides the century of the two-digit year of RFC 850, which is never more than 50 years ahead.
    /// - Returns: `nil` for anything else. A leap second counts as the second after it. The day's name must be one,
    ///   but need not fit the date.
    public static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        guard let fields = fields(text), let day = number(fields.day, digits: 1...2),
            let month = months.firstIndex(of: fields.month).map({ Int64($0) + 1 }),
            var year = number(fields.year, digits: fields.isShort ? 2...2 : 4...4),
            let clock = secondsOfDay(fields.clock)
        else { return nil }
        if fields.isShort {
            let thisYear = Int64(Timestamp.date(days: now.seconds / 86400).year)
            year += thisYear - thisYear % 100
            if year > thisYear + 50 { year -= 100 }
        }
        let number = Timestamp.days(year: year, month: month, day: day)
        guard Timestamp.date(days: number) == (Int(year), Int(month), Int(day)) else { return nil }
        let (nanoseconds, overflow) = (number * 86400 + clock).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : Timestamp(nanoseconds: nanoseconds)
    }

    private struct Fields {
        var day: String
        var month: String
        var year: String
        var clock: String
        /// The year has two digits.
        var isShort = false
    }

    private static func fields(_ text: String) -> Fields? {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first else { return nil }
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where name.hasSuffix(",") && days.contains(String(name.dropLast())) && words[5] == "GMT":
            return Fields(day: words[1], month: words[2], year: words[3], clock: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where name.hasSuffix(",") && longDays.contains(String(name.dropLast())) && words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { return nil }
            return Fields(day: parts[0], month: parts[1], year: parts[2], clock: words[2], isShort: true)
        // Sun Nov  6 08:49:37 1994
        case 5 where days.contains(name):
            return Fields(day: words[2], month: words[1], year: words[4], clock: words[3])
        default: return nil
        }
    }

    private static func secondsOfDay(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
            number(String($0), digits: 2...2)
        }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text)
    }
}
