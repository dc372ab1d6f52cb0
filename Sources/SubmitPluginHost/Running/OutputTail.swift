/// The end of what a program wrote for people.
struct OutputTail: Sendable {
    /// Bytes that are kept.
    static let limit = 16 << 10

    private var bytes: [UInt8] = []

    mutating func append(_ more: UnsafeRawBufferPointer) {
        bytes += more.suffix(Self.limit)
        // Cut now and then, not at each byte.
        if bytes.count > 2 * Self.limit { bytes.removeFirst(bytes.count - Self.limit) }
    }

    /// All that is kept, as text; what is no UTF-8 is replaced.
    var text: String {
        var kept = bytes.suffix(Self.limit)
        if bytes.count > Self.limit {
            // It begins in the middle of something: with the next whole line, or at least a whole character.
            if let end = kept.firstIndex(of: UInt8(ascii: "\n")), end < kept.endIndex - 1 {
                kept = kept[(end + 1)...]
            } else {
                kept = kept.drop { $0 & 0xc0 == 0x80 }
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
