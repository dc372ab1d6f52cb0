internal import SubmitPlatform

/// A point in time: nanoseconds since 1970-01-01T00:00:00Z, as file systems count them.
public struct Timestamp: Sendable, Hashable, Codable {
    /// Since 1970-01-01T00:00:00Z, negative before: from the year 1677 to 2262.
    public var nanoseconds: Int64

    /// - Parameter nanoseconds: since 1970-01-01T00:00:00Z, negative before.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whole seconds since 1970, rounded towards the past.
    public var seconds: Int64 {
        nanoseconds / 1_000_000_000 - (nanoseconds % 1_000_000_000 < 0 ? 1 : 0)
    }

    /// The nanoseconds after the start of ``seconds``: 0 to 999,999,999.
    public var nanosecondsOfSecond: Int64 {
        let rest = nanoseconds % 1_000_000_000
        return rest < 0 ? rest + 1_000_000_000 : rest
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
}

extension Timestamp {
    /// The machine's clock.
    public static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// As file systems have it, which know of times that cannot be counted in nanoseconds: those are the nearest that can.
    package init(seconds: Int64, nanoseconds: Int64) {
        let bound = Int64.max / 1_000_000_000
        self.init(nanoseconds: min(max(seconds, -bound), bound - 1) * 1_000_000_000 + nanoseconds)
    }
}

extension Timestamp: InstantProtocol {
    /// This much later; the last time there is, or the first, where it would be beyond.
    public func advanced(by duration: Duration) -> Timestamp {
        let (sum, wraps) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Timestamp(nanoseconds: wraps ? duration < .zero ? .min : .max : sum)
    }

    /// How long it is from this time to another; negative where that was before.
    public func duration(to other: Timestamp) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }
}
