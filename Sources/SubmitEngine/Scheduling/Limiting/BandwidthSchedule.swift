public import Submit

/// How many bytes a second may go out, by the time of the day.
public struct BandwidthSchedule: Sendable, Hashable, CustomStringConvertible {
    private struct Entry: Sendable, Hashable {
        /// `nil`: at all others.
        var hours: DailyHours?
        /// `nil`: as many as can.
        var rate: Int64?
    }

    private var entries: [Entry] = []
    /// As it was written.
    public let description: String

    /// The least that makes sense: with less no request would come to its end in time.
    public static let least: Int64 = 1024

    /// Reads it: `2M`, `off`, or with hours `08:00-23:00 1M, 12:00-13:00 off, 5M`. The first that goes on counts; one
    /// without hours is for all other times, for which else nothing is bounded. Units are powers of 1024.
    ///
    /// - Throws: a failure to give up with, `configuration`, that says what is wrong with it.
    public init(_ text: String) throws(SubmitFailure) {
        description = text
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(whereSeparator: \.isWhitespace)
            let hours = words.first.flatMap { DailyHours($0) }
            guard let word = words.last, words.count == (hours == nil ? 1 : 2), let rate = Self.rate(String(word))
            else {
                throw SubmitFailure(
                    .giveUp, code: "configuration",
                    message:
                        "“\(text)” is no bandwidth: write such as 500k, 2M or off, and with hours “08:00-23:00 1M, 5M”."
                )
            }
            if let rate, rate < Self.least {
                throw SubmitFailure(
                    .giveUp, code: "configuration",
                    message: "“\(word)” is less than 1k, the least that a bandwidth can be: to send nothing, pause.")
            }
            entries.append(Entry(hours: hours, rate: rate))
        }
    }

    private static func rate(_ word: String) -> Int64?? {
        if word == "off" { return .some(nil) }
        let number = word.hasSuffix("/s") ? String(word.dropLast(2)) : word
        return SizeText.bytes(of: number).map { .some($0) }
    }

    /// Bytes a second at a minute of the day; `nil`: as many as can.
    func rate(atMinute minute: Int) -> Int64? {
        let entry = entries.first { $0.hours?.contains(minute) ?? false } ?? entries.first { $0.hours == nil }
        return entry?.rate ?? nil
    }
}
