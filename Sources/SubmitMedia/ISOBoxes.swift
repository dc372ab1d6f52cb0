/// The boxes in a part of a file (ISO/IEC 14496-12, section 4.2).
struct ISOBoxes: Sequence, IteratorProtocol {
    /// As many neighbours as a broken file can make it look at.
    static let most: UInt64 = 4096

    private var rest: FileRegion
    private var left = most

    init(_ region: FileRegion) { rest = region }

    mutating func next() -> (type: UInt64, content: FileRegion)? {
        let head = rest.bytes(16)
        guard left > 0, var size = head.span.number(at: 0, width: 4), let type = head.span.number(at: 4, width: 4)
        else {
            return nil
        }
        left -= 1
        var headLength: UInt64 = 8
        if size == 1 {
            guard let long = head.span.number(at: 8, width: 8) else { return nil }
            size = long
            headLength = 16
        } else if size == 0 {
            size = UInt64(rest.length)
        }
        guard size >= headLength, size <= Int64.max else { return nil }
        defer { rest = rest.part(from: Int64(size)) }
        return (type, rest.part(from: Int64(headLength), length: Int64(size - headLength)))
    }
}

extension ISOMediaFile {
    /// The content of the first box of a type.
    static func box(_ type: String, in region: FileRegion) -> FileRegion? { box(code: code(type), in: region) }

    static func box(code: UInt64, in region: FileRegion) -> FileRegion? {
        ISOBoxes(region).first { $0.type == code }?.content
    }

    /// The content of the first box of a type that somebody made up (ISO/IEC 14496-12, section 4.2).
    static func box(uuid: [UInt8], in region: FileRegion) -> FileRegion? {
        ISOBoxes(region).first { $0.type == code("uuid") && $0.content.bytes(16) == uuid }?.content.part(from: 16)
    }

    /// XMP part 3, section 1.2.3.
    static func xmp(in file: FileRegion) -> FileRegion? {
        box(
            uuid: [0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac],
            in: file)
    }
}
