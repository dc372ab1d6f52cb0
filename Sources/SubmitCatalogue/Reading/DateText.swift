internal import Submit

/// Written dates: `2026`, `2026-01`, `2026-01-05`, `2026-01-05T18:30`, `2026-01-05T18:30:07`, with a fraction of a second, and from
/// the time of day on with `Z` or `+02:00`. Each stands for all the time that is so called.
struct DateText {
    /// Of the clock that is meant, since 1970.
    let first: WrittenTime
    /// Where the next one of its kind begins.
    let end: WrittenTime
    /// Seconds east of UTC, where it says so.
    let offset: Int?

    /// `nil` where it is no date.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        var at = 0
        func skip(_ letters: String) -> Bool {
            guard at < bytes.count, letters.utf8.contains(bytes[at]) else { return false }
            at += 1
            return true
        }
        func number(_ count: Int) -> Int? {
            guard at + count <= bytes.count, bytes[at..<at + count].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            defer { at += count }
            return bytes[at..<at + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
        guard let year = number(4) else { return nil }
        var (month, day, seconds, nanoseconds, span, offset): (Int?, Int?, Int64, Int64, Int64, Int?) = (
            nil, nil, 0, 0, 0, nil
        )
        if skip("-") {
            guard let read = number(2) else { return nil }
            month = read
            if skip("-") {
                guard let read = number(2) else { return nil }
                day = read
                if skip("Tt ") {
                    guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60 else {
                        return nil
                    }
                    (seconds, span) = (Int64(hour * 3600 + minute * 60), 60_000_000_000)
                    if skip(":") {
                        guard let second = number(2), second < 60 else { return nil }
                        (seconds, span) = (seconds + Int64(second), 1_000_000_000)
                        if skip(".") {
                            var digits = 0
                            while let digit = number(1) {
                                digits += 1
                                guard digits <= 9 else { return nil }
                                span /= 10
                                nanoseconds += Int64(digit) * span
                            }
                            guard digits > 0 else { return nil }
                        }
                    }
                    if skip("Zz") {
                        offset = 0
                    } else if at < bytes.count, skip("+-") {
                        let sign = bytes[at - 1] == UInt8(ascii: "-") ? -1 : 1
                        guard let hours = number(2), hours <= 18, skip(":"), let minutes = number(2), minutes < 60
                        else {
                            return nil
                        }
                        offset = sign * (hours * 3600 + minutes * 60)
                    }
                }
            }
        }
        guard at == bytes.count, let date = CalendarDate(year: year, month: month ?? 1, day: day ?? 1) else {
            return nil
        }
        first = WrittenTime(seconds: date.days * 86400 + seconds, nanoseconds: nanoseconds)
        self.offset = offset
        if span > 0 {
            let sum = nanoseconds + span
            end = WrittenTime(seconds: first.seconds + sum / 1_000_000_000, nanoseconds: sum % 1_000_000_000)
        } else {
            let next = day != nil ? date.days + 1 : month != nil ? date.nextMonth.days : date.nextYear.days
            end = WrittenTime(seconds: next * 86400, nanoseconds: 0)
        }
    }
}

/// A point in time that has been read, of whatever clock.
struct WrittenTime: Hashable {
    /// Since 1970-01-01T00:00:00 of that clock.
    var seconds: Int64
    /// 0..<1,000,000,000
    var nanoseconds: Int64

    /// `nil` where it is too far away to be counted so.
    var nanosecondsSince1970: Int64? {
        let (scaled, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, wraps) = scaled.addingReportingOverflow(nanoseconds)
        return isTooFar || wraps ? nil : sum
    }
}

/// A day of the Gregorian calendar.
struct CalendarDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...Self.length(year, month)).contains(day) else {
            return nil
        }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// - Parameter days: since 1970-01-01.
    init(days: Int64) {
        (year, month, day) = Timestamp.date(days: days)
    }

    private init(firstOf year: Int, _ month: Int) { (self.year, self.month, day) = (year, month, 1) }

    private static func length(_ year: Int, _ month: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Since 1970-01-01.
    var days: Int64 { Timestamp.days(year: Int64(year), month: Int64(month), day: Int64(day)) }

    /// `2026-01-05`
    var text: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }

    static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    /// 1: Monday.
    var weekday: Int { Int(((days + 3) % 7 + 7) % 7) + 1 }

    // First days.
    var nextMonth: CalendarDate {
        month == 12 ? CalendarDate(firstOf: year + 1, 1) : CalendarDate(firstOf: year, month + 1)
    }
    var lastMonth: CalendarDate {
        month == 1 ? CalendarDate(firstOf: year - 1, 12) : CalendarDate(firstOf: year, month - 1)
    }
    var nextYear: CalendarDate { CalendarDate(firstOf: year + 1, 1) }
    var lastYear: CalendarDate { CalendarDate(firstOf: year - 1, 1) }
    func adding(_ days: Int) -> CalendarDate { CalendarDate(days: self.days + Int64(days)) }
}
