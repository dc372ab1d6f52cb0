public import Submit
internal import SubmitConcurrency
internal import SubmitDigest

/// An item's digests: those that it comes with, and others that are computed once, when they are needed.
public final class ItemDigests: Sendable {
    /// The item.
    public let item: MediaItem
    /// Its bytes.
    public let bytes: any MediaBytes
    private let all: Locked<Digests>

    /// The digests of an item.
    public init(_ item: MediaItem, _ bytes: any MediaBytes) {
        (self.item, self.bytes) = (item, bytes)
        all = Locked(item.digests)
    }

    /// The digests for which nothing has to be read.
    public var known: Digests { all.withLock { $0 } }

    /// A digest.
    ///
    /// - Throws: the failure of reading the item, or `SubmitFailure.cancelled`.
    public func digest(_ algorithm: DigestAlgorithm) async throws(SubmitFailure) -> [UInt8]? {
        if known[algorithm] == nil { try await compute([algorithm]) }
        return known[algorithm]
    }

    func compute(_ algorithms: Set<DigestAlgorithm>) async throws(SubmitFailure) {
        let found = try await Digests.computed(algorithms, of: bytes)
        all.withLock { all in for algorithm in algorithms { all[algorithm] = found[algorithm] } }
    }
}
