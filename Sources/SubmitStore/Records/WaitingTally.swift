/// How much is waiting for a destination.
public struct WaitingTally: Sendable, Hashable {
    /// Submissions.
    public var count: Int
    /// Bytes of their items.
    public var bytes: Int64

    /// Nothing is waiting, where nothing is given.
    public init(count: Int = 0, bytes: Int64 = 0) {
        self.count = count
        self.bytes = bytes
    }
}
