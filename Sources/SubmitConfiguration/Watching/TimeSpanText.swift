/// Lengths of time as people type them: `90s`, `30m`, `12h`, `7d`, `1y`, which is 365 days.
package enum TimeSpanText {
    package static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "y": 31_536_000]

    /// Seconds; `nil` for what is no such text.
    package static func seconds(_ text: String) -> Int? {
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()), number >= 0,
            case let (seconds, overflow) = number.multipliedReportingOverflow(by: unit), !overflow
        else { return nil }
        return seconds
    }
}
