public import Submit

/// How much of a batch was skipped at one destination. It is among what is done.
public struct SkippedTally: Sendable, Hashable {
    /// The destination's name.
    public let destination: String
    /// Submissions.
    public let count: Int
    /// Bytes of the items.
    public let bytes: Int64

    /// So many submissions, whose items have so many bytes.
    public init(destination: String, count: Int, bytes: Int64) {
        self.destination = destination
        self.count = count
        self.bytes = bytes
    }
}

extension Receipt {
    /// Nothing of the item is there, as was asked for: other bytes have the name and were left alone, or none of its kind is wanted.
    public var isOfSkipped: Bool { wasThere && evidence == .unknown && note != nil }
}
