/// What holds a destination back: how many bytes a second it gets, and at which times it gets nothing.
public struct DestinationLimits: Sendable, Hashable {
    /// `nil`: as many as can.
    public var bandwidth: BandwidthSchedule?
    /// Times at which no attempt begins; what is under way goes on.
    public var quiet: [DailyHours]

    /// Nothing does, where nothing is given.
    public init(bandwidth: BandwidthSchedule? = nil, quiet: [DailyHours] = []) {
        self.bandwidth = bandwidth
        self.quiet = quiet
    }
}
