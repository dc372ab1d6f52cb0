internal import FoundationEssentials
internal import Submit

extension Timestamp {
    /// Reads `2026-11-21T03:25:07Z`, with or without fractions of a second.
    init?(iso8601 text: String) {
        let formats = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        guard let date = formats.lazy.compactMap({ try? $0.parse(text) }).first,
            abs(date.timeIntervalSince1970) < 9_000_000_000
        else { return nil }
        self.init(nanoseconds: Int64(date.timeIntervalSince1970 * 1000) * 1_000_000)
    }
}
