/// How much of what was wanted removed came to what, in some batches.
public struct RemovalTally: Sendable, Hashable {
    public var wanted = 0
    public var removed = 0
    public var kept = 0

    public init() {}
}
