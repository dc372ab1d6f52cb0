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
        let seconds = time.seconds
        let dayNumber = floorDivide(seconds, 86400)
        let rest = modulo(seconds, 86400)
        let (year, month, day) = date(ofDay: dayNumber)
        func digits(_ value: Int64, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { digits($0, 2) }.joined(separator: ":")
        // 1970-01-01 was a Thursday.
        return "\(days[Int(modulo(dayNumber + 4, 7))]), \(digits(day, 2)) \(months[Int(month) - 1]) \(digits(year, 4)) "
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
            let thisYear = date(ofDay: floorDivide(now.seconds, 86400)).year
            year += thisYear - thisYear % 100
            if year > thisYear + 50 { year -= 100 }
        }
        let number = dayNumber(year, month, day)
        guard date(ofDay: number) == (year, month, day) else { return nil }
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

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let leapDays = floorDivide(marchYear, 4) - floorDivide(marchYear, 100) + floorDivide(marchYear, 400)
        return marchYear * 365 + leapDays + (marchMonth * 153 + 2) / 5 + day - 1 - 719_468
    }

    /// The day that many days after 1970-01-01, in the proleptic Gregorian calendar.
    static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = number + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = modulo(shifted, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        (value - modulo(value, divisor)) / divisor
    }
}
