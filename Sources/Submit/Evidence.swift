/// How sure it is that the copy at a destination equals the item.
///
/// The cases are in order, the surest first. Questions to the journal sort by that order.
public enum Evidence: String, Sendable, Hashable, Codable, CaseIterable {
    /// The destination computed a digest, or the bytes were read back, and it equals ours.
    case verified
    /// The destination stores the digest that was sent to it.
    case echoed
    /// The destination holds as many bytes as the item has.
    case size
    /// The destination took it and is still processing.
    case accepted
    /// The destination said yes and no more.
    case unknown
}
