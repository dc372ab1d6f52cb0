package import Submit
internal import SubmitHTTP

/// Points in time as services write them, in seconds since 1970.
package enum ServiceTime {
    /// Those that ``Timestamp`` holds: the years 1685 to 2255.
    private static let known: ClosedRange<Int64> = -8_990_000_000...9_000_000_000

    /// A number of seconds, a date of ISO 8601 or one of HTTP; `nil` for anything else. Where ISO 8601 says no offset,
    /// UTC is taken.
    package static func seconds(_ value: RecipeValue) -> Int64? {
        if let number = value.asInteger { return known.contains(number) ? number : nil }
        guard case .text(let text) = value else { return nil }
        let seconds = Timestamp(iso8601: text)?.seconds ?? HTTPDate.parse(text, now: .now)?.seconds
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
        Timestamp(nanoseconds: seconds * 1_000_000_000).iso8601
    }
}
