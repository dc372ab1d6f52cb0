extension Timestamp {
    /// RFC 3339 in UTC with nine digits of a second: `2024-05-17T16:42:07.123456789Z`.
    package var text: String {
        let days = Self.quotient(seconds, 86400)
        let second = Int(seconds - days * 86400)
        let fraction = (nanoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
        let date = Self.date(days: days)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
            + "T\(digits(second / 3600, 2)):\(digits(second / 60 % 60, 2)):\(digits(second % 60, 2))"
            + ".\(digits(Int(fraction), 9))Z"
    }

    /// Reads RFC 3339 in UTC, with up to nine digits of a second.
    package init?(text: String) {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes.last == UInt8(ascii: "Z"),
            let time = CaptureTime(String(decoding: bytes[..<19], as: UTF8.self)), time.second < 60
        else { return nil }
        var fraction: Int64 = 0
        if bytes.count > 20 {
            let digits = bytes[20..<bytes.count - 1]
            guard bytes[19] == UInt8(ascii: "."), !digits.isEmpty,
                digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            for place in 0..<9 {
                fraction *= 10
                if place < digits.count { fraction += Int64(digits[20 + place] - UInt8(ascii: "0")) }
            }
        }
        let days = Self.days(year: Int64(time.year), month: Int64(time.month), day: Int64(time.day))
        let second = Int64(time.hour * 3600 + time.minute * 60 + time.second)
        // Counted from the second after, so that the earliest time there is does not overflow on the way.
        let whole = days * 86400 + second
        let (scaled, isTooFar) = (whole + (whole < 0 ? 1 : 0)).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, wraps) = scaled.addingReportingOverflow(fraction - (whole < 0 ? 1_000_000_000 : 0))
        guard !isTooFar, !wraps else { return nil }
        self.init(nanoseconds: sum)
    }

    /// Days since 1970 of a date of the Gregorian calendar. Years are counted from March on, so that the leap day is
    /// the last, in eras of 400 years of 146,097 days.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = quotient(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = quotient(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (Int(year), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    /// Rounded towards the past.
    private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}
