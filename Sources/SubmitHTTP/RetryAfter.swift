public import Submit

extension HTTPResponse {
    /// How long the server asks us to wait: what `Retry-After` says, as seconds or as a date
    /// (RFC 9110, section 10.2.3), within 0 to 24 hours; `nil` where it says nothing that makes sense.
    ///
    /// A date is taken against the answer's own `Date`, so that our clock may be wrong, and against `now` only where
    /// the answer has none.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let value = self["Retry-After"] else { return nil }
        let day: Int64 = 24 * 60 * 60
        if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
            // More digits than fit mean more than a day.
            return .seconds(Int64(value).map { min($0, day) } ?? day)
        }
        guard let until = HTTPDate.parse(value, now: now) else { return nil }
        let from = self["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
        return min(max(.zero, from.duration(to: until)), .seconds(day))
    }
}
