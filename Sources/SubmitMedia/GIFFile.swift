/// GIF (“Graphics Interchange Format”, version 89a).
enum GIFFile {
    /// XMP before the first picture (XMP part 3, section 1.1.2): behind one, nobody looks for it.
    static func metadata(_ file: FileRegion) -> PhotoMetadata { PhotoMetadata(xmp: xmp(file)) }

    private static func xmp(_ file: FileRegion) -> FileRegion? {
        guard let flags = file.number(at: 10, width: 1) else { return nil }
        var rest = file.part(from: 13 + (flags & 0x80 == 0 ? 0 : 3 << (Int64(flags & 7) + 1)))
        for _ in 0..<256 {
            let head = rest.bytes(14)
            guard head.first == 0x21 else { return nil }
            if head.span.has([0xff, 11] + "XMP DataXMP".utf8, at: 1) { return packet(rest.part(from: 14)) }
            guard let end = blocksEnd(rest.part(from: 2)) else { return nil }
            rest = rest.part(from: 2 + end)
        }
        return nil
    }

    /// It stands there as it is, and a row of falling numbers leads whoever takes it for blocks to its end.
    private static func packet(_ region: FileRegion) -> FileRegion? {
        let bytes = region.bytes(1 << 20)
        return bytes.firstIndex(of: 1).map { region.part(from: 0, length: Int64($0)) }
    }

    private static func blocksEnd(_ region: FileRegion) -> Int64? {
        var offset: Int64 = 0
        for _ in 0..<4096 {
            guard let size = region.number(at: offset, width: 1).map(Int64.init) else { return nil }
            offset += 1 + size
            if size == 0 { return offset }
        }
        return nil
    }
}
