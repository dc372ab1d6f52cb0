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
            let time = HTTPDate.parse(text, now: now) ?? Self.zoned(text, now: now) ?? Timestamp(iso8601: text)
        else { return nil }
        self = time
    }

    /// `Mon, 02 Jan 2006 15:04:05 +0200`: the last word is no `GMT`.
    private static func zoned(_ text: String, now: Timestamp) -> Timestamp? {
        guard let blank = text.lastIndex(of: " "),
            let offset = secondsEast(ofZone: String(text[text.index(after: blank)...])),
            let time = HTTPDate.parse(text[..<blank] + " GMT", now: now)
        else { return nil }
        let (moved, overflow) = time.nanoseconds.subtractingReportingOverflow(offset * 1_000_000_000)
        return overflow ? nil : Timestamp(nanoseconds: moved)
    }
}
