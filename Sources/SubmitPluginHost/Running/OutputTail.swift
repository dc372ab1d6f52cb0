internal import Submit

/// The end of what a program wrote for people.
struct OutputTail: Sendable {
    /// Bytes that are kept.
    static let limit = 16 << 10

    private var bytes: [UInt8] = []

    mutating func append(_ more: UnsafeRawBufferPointer) {
        // One more than is kept, by which a cut shows.
        bytes += more.suffix(Self.limit + 1)
        // Cut now and then, not at each byte.
        if bytes.count > 2 * Self.limit { bytes.removeFirst(bytes.count - Self.limit - 1) }
    }

    /// The end of it as text, from the beginning of a line; what is no UTF-8 is replaced.
    var text: String { String(decoding: KnownSecrets.end(of: bytes, most: Self.limit), as: UTF8.self) }
}
