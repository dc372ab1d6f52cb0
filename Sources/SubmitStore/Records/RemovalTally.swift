/// How much of what was wanted removed came to what, in some batches.
public struct RemovalTally: Sendable, Hashable {
    /// Sources that are yet to be removed, those included that are being removed.
    public var wanted = 0
    /// Sources that are in the trash or gone for good.
    public var removed = 0
    /// Sources that stay where they are: nothing tries them again.
    public var kept = 0

    /// Nothing was to be removed.
    public init() {}
}
