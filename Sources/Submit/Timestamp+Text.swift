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

    /// ISO 8601 in UTC to the second: `2024-05-17T16:42:07Z`. Fractions of a second are cut off.
    public var iso8601: String { String(text.prefix(19)) + "Z" }

    /// Reads RFC 3339 in UTC, with up to nine digits of a second.
    package init?(text: String) {
        let bytes = Array(text.utf8)
        guard (20...30).contains(bytes.count), bytes[10] == UInt8(ascii: "T"), bytes.last == UInt8(ascii: "Z"),
            bytes[17..<19] != [UInt8(ascii: "6"), UInt8(ascii: "0")]
        else { return nil }
        self.init(iso8601: text)
    }

    /// Reads ISO 8601 as services write it (RFC 3339, section 5.6): `2024-05-17T16:42:07.123+02:00`.
    ///
    /// The fraction of a second may be missing, and the zone too, for UTC. Digits after the ninth are cut off.
    public init?(iso8601 text: String) {
        // Strangers write these: no time is spent on what can't be a date.
        guard (19...64).contains(text.utf8.count) else { return nil }
        var bytes = Array(text.utf8)
        if bytes[10] == UInt8(ascii: "t") || bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        var zone = bytes[19...]
        var fraction: Int64 = 0
        if zone.first == UInt8(ascii: ".") {
            let digits = zone.dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard !digits.isEmpty else { return nil }
            for place in digits.startIndex..<digits.startIndex + 9 {
                fraction = fraction * 10 + (place < digits.endIndex ? Int64(digits[place] - UInt8(ascii: "0")) : 0)
            }
            zone = zone[digits.endIndex...]
        }
        guard let time = CaptureTime(String(decoding: bytes[..<19], as: UTF8.self)),
            let offset = Self.secondsEast(ofZone: String(decoding: zone, as: UTF8.self))
        else { return nil }
        let days = Self.days(year: Int64(time.year), month: Int64(time.month), day: Int64(time.day))
        let whole = days * 86400 + Int64(time.hour * 3600 + time.minute * 60 + time.second) - offset
        // Counted from the second after, so that the earliest time there is does not overflow on the way.
        let (scaled, isTooFar) = (whole + (whole < 0 ? 1 : 0)).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, wraps) = scaled.addingReportingOverflow(fraction - (whole < 0 ? 1_000_000_000 : 0))
        guard !isTooFar, !wraps else { return nil }
        self.init(nanoseconds: sum)
    }

    /// The offset of a zone: `Z`, `UTC`, `UT`, `GMT`, `+02:00`, `-0330`; nothing stands for UTC.
    ///
    /// - Returns: seconds; `nil` for anything else.
    public static func secondsEast(ofZone zone: String) -> Int64? {
        if ["", "Z", "UTC", "UT", "GMT"].contains(zone.uppercased()) { return 0 }
        guard let sign = zone.first, sign == "+" || sign == "-" else { return nil }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 4, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(digits),
            number % 100 < 60, number / 100 < 24
        else { return nil }
        return (number / 100 * 3600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }

    /// Days since 1970 of a date of the Gregorian calendar. Years are counted from March on, so that the leap day is
    /// the last, in eras of 400 years of 146,097 days.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = quotient(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of the Gregorian calendar so many days after 1970-01-01.
    package static func date(days: Int64) -> (year: Int, month: Int, day: Int) {
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
