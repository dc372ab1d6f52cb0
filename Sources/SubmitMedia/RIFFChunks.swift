/// The chunks in a part of a RIFF file (Microsoft's “Multimedia Programming Interface and Data Specifications 1.0”).
struct RIFFChunks: Sequence, IteratorProtocol {
    private var rest: FileRegion
    private var left = 4096

    init(_ region: FileRegion) { rest = region }

    struct Chunk {
        /// Its identifier, its size, and what a list is of.
        let head: [UInt8]
        let content: FileRegion

        func isCalled(_ name: String) -> Bool { head.span.has(Array(name.utf8), at: 0) }
    }

    mutating func next() -> Chunk? {
        let head = rest.bytes(12)
        guard left > 0, let size = head.span.number(at: 4, width: 4, bigEndian: false).map(Int64.init) else {
            return nil
        }
        left -= 1
        defer { rest = rest.part(from: 8 + size + size % 2) }
        return Chunk(head: head, content: rest.part(from: 8, length: size))
    }
}
