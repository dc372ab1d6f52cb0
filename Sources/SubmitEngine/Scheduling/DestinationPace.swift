/// How a destination is being sent to: what a display tells of why it is no faster.
public struct DestinationPace: Sendable, Hashable {
    /// The destination's name.
    public let destination: String
    /// Attempts under way.
    public let underWay: Int
    /// How many small items may be under way at once now.
    public let width: Int
    /// How many they may become, as long as answers take no longer for it.
    public let widest: Int
    /// It takes one after the other, in the order of acceptance.
    public let isInOrder: Bool
    /// The least time between the starts of two submissions.
    public let minimumGap: Duration
    /// The bytes a second that it gets at the most now; `nil`: as many as can.
    public let bytesPerSecond: Int64?
    /// How long no attempt begins, as it is to be quiet; `nil` where it is not.
    public let quiet: Duration?

    package init(
        destination: String, underWay: Int, width: Int, widest: Int, isInOrder: Bool, minimumGap: Duration,
        bytesPerSecond: Int64? = nil, quiet: Duration? = nil
    ) {
        self.destination = destination
        self.underWay = underWay
        self.width = width
        self.widest = widest
        self.isInOrder = isInOrder
        self.minimumGap = minimumGap
        self.bytesPerSecond = bytesPerSecond
        self.quiet = quiet
    }
}

extension SubmitManager {
    /// How each destination is being sent to that this manager sends to now, sorted by name. For displays.
    public func paces() async -> [DestinationPace] {
        await dispatcher.paces().sorted { $0.destination < $1.destination }
    }
}
