package import Submit
internal import SubmitHTTP

/// Points in time as services write them, in seconds since 1970.
package enum ServiceTime {
    /// Those that ``Timestamp`` holds: the years 1685 to 2255.
    private static let known: ClosedRange<Int64> = -8_990_000_000...9_000_000_000

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A number of seconds, a date of ISO 8601 or one of HTTP; `nil` for anything else. Where ISO 8601 says no offset,
    /// UTC is taken.
    package static func seconds(_ value: RecipeValue) -> Int64? {
        if let number = value.asInteger { return known.contains(number) ? number : nil }
        guard case .text(let text) = value else { return nil }
        let seconds = seconds(iso8601: text) ?? HTTPDate.parse(text, now: .now)?.seconds
        return seconds.flatMap { known.contains($0) ? $0 : nil }
    }

    /// The same as a point in time.
    package static func timestamp(_ value: RecipeValue) -> Timestamp? {
        seconds(value).map { Timestamp(nanoseconds: $0 * 1_000_000_000) }
    }

    /// `Tue, 02 Jan 2024 03:04:05 GMT`
    package static func rfc1123(_ seconds: Int64) -> String {
        HTTPDate.format(Timestamp(nanoseconds: seconds * 1_000_000_000))
    }

    /// `2024-01-02T03:04:05Z`
    package static func iso8601(_ seconds: Int64) -> String {
        let words = rfc1123(seconds).split(separator: " ")
        let month = (months.firstIndex(of: String(words[2])) ?? 0) + 1
        return "\(words[3])-\(month < 10 ? "0" : "")\(month)-\(words[1])T\(words[4])Z"
    }

    /// `2024-01-02T03:04:05`, with a fraction of a second, which is cut off, and an offset, or without.
    private static func seconds(iso8601 text: String) -> Int64? {
        var tail = text.dropFirst(19)
        if tail.first == "." { tail = tail.dropFirst().drop { $0.isASCII && $0.isNumber } }
        let whole = text.prefix(19) + tail
        guard let time = CaptureTime(String(whole)) else { return nil }
        let digits = whole.prefix(19).split { !$0.isNumber }
        let date = "Sun, \(digits[2]) \(months[time.month - 1]) \(digits[0]) \(whole.prefix(19).suffix(8)) GMT"
        guard let local = HTTPDate.parse(date, now: Timestamp(nanoseconds: 0)) else { return nil }
        return local.seconds - Int64(time.offset ?? 0)
    }
}
