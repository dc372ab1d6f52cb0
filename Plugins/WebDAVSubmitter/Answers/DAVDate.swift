internal import Submit
internal import SubmitHTTP

extension Timestamp {
    /// Reads what servers write for `getlastmodified` and `creationdate`: the dates of HTTP, with zones such as `UTC`
    /// and `+0200` too, and ISO 8601 (RFC 3339), with or without fractions of a second and a zone.
    ///
    /// - Parameter now: decides the century of a two-digit year.
    /// - Returns: `nil` for anything else.
    init?(davDate text: String, now: Timestamp) {
        // Strangers write these: no date is longer, and no time is spent on what is none.
        guard text.utf8.count <= 64,
            let time = HTTPDate.parse(text, now: now) ?? Self.zoned(text, now: now) ?? Self.iso(text)
        else { return nil }
        self = time
    }

    /// `Mon, 02 Jan 2006 15:04:05 +0200`: the last word is no `GMT`.
    private static func zoned(_ text: String, now: Timestamp) -> Timestamp? {
        guard let blank = text.lastIndex(of: " "), let offset = secondsEast(text[text.index(after: blank)...]) else {
            return nil
        }
        return HTTPDate.parse(text[..<blank] + " GMT", now: now)?.moved(bySecondsEast: offset)
    }

    /// `2006-01-02T15:04:05.999+02:00`.
    private static func iso(_ text: String) -> Timestamp? {
        let text = text.uppercased()
        guard let separator = text.firstIndex(where: { $0 == "T" || $0 == " " }) else { return nil }
        let date = text[..<separator].split(separator: "-", omittingEmptySubsequences: false)
        let clock = text[text.index(after: separator)...].prefix { $0.isASCII && ($0.isNumber || ":.".contains($0)) }
        let zone = text[clock.endIndex...]
        guard date.count == 3, let month = Int(date[1]), months.indices.contains(month - 1),
            let offset = secondsEast(zone)
        else { return nil }
        let parts = clock.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let nanoseconds = nanoseconds(parts.count == 2 ? parts[1] : "0") else { return nil }
        // The day's name need not fit the date.
        let http = "Thu, \(date[2]) \(months[month - 1]) \(date[0]) \(parts[0]) GMT"
        guard let time = HTTPDate.parse(http, now: Timestamp(nanoseconds: 0))?.moved(bySecondsEast: offset) else {
            return nil
        }
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(nanoseconds)
        return overflow ? nil : Timestamp(nanoseconds: sum)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// What follows a second's decimal point, cut off after nine digits.
    private static func nanoseconds(_ digits: Substring) -> Int64? {
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let nine = digits.prefix(9)
        return Int64(nine + String(repeating: "0", count: 9 - nine.count))
    }

    /// `Z`, `UTC`, `UT`, `GMT`, `+02:00`, `-0330`; a time of day without a zone is meant in UTC.
    private static func secondsEast(_ zone: Substring) -> Int64? {
        if ["", "Z", "UTC", "UT", "GMT"].contains(zone) { return 0 }
        guard let sign = zone.first, sign == "+" || sign == "-" else { return nil }
        let digits = zone.dropFirst().filter { $0 != ":" }
        guard digits.utf8.count == 4, digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(digits),
            number % 100 < 60, number / 100 < 24
        else { return nil }
        return (number / 100 * 3600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }

    private func moved(bySecondsEast offset: Int64) -> Timestamp? {
        let (moved, overflow) = nanoseconds.subtractingReportingOverflow(offset * 1_000_000_000)
        return overflow ? nil : Timestamp(nanoseconds: moved)
    }
}
