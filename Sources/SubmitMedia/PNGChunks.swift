/// The chunks of a PNG (ISO/IEC 15948, section 5.3).
struct PNGChunks: Sequence, IteratorProtocol {
    private var rest: FileRegion
    /// The picture may be of thousands.
    private var left = 8192

    init(_ file: FileRegion) { rest = file.part(from: 8) }

    mutating func next() -> (type: UInt64, content: FileRegion)? {
        let head = rest.bytes(8)
        guard left > 0, let size = head.span.number(at: 0, width: 4).map(Int64.init), size < 1 << 31,
            let type = head.span.number(at: 4, width: 4)
        else { return nil }
        left -= 1
        defer { rest = rest.part(from: 12 + size) }
        return (type, rest.part(from: 8, length: size))
    }
}
