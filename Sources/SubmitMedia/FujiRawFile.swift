/// Fujifilm's RAF (https://libopenraw.freedesktop.org/formats/raf): metadata stands in the picture for looking at.
enum FujiRawFile {
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        preview(file).map(JPEGFile.metadata) ?? PhotoMetadata()
    }

    static func preview(_ file: FileRegion) -> FileRegion? {
        guard let offset = file.number(at: 84, width: 4), offset > 0, let length = file.number(at: 88, width: 4)
        else { return nil }
        return file.part(from: Int64(offset), length: Int64(length))
    }

    static func pictures(_ file: FileRegion) -> ([FileRegion], PixelSize?) {
        func number(_ offset: Int64) -> Int64? { file.number(at: offset, width: 4).map { Int64($0) } }
        let jpeg = file.piece(at: number(84), length: number(88))
        let records = file.piece(at: number(92), length: number(96))
        return (
            jpeg.map { [$0] } ?? [], records.flatMap { size($0, cropped) } ?? records.flatMap { size($0, full) }
        )
    }

    private static let full: UInt64 = 0x0100
    private static let cropped: UInt64 = 0x0111

    /// A tag, a length and a value each.
    private static func size(_ records: FileRegion, _ wanted: UInt64) -> PixelSize? {
        var rest = records.part(from: 4)
        for _ in 0..<min(256, records.number(at: 0, width: 4) ?? 0) {
            guard let tag = rest.number(at: 0, width: 2), let length = rest.number(at: 2, width: 2) else { break }
            if tag == wanted { return PixelSize(rest, at: 4, width: 2, heightFirst: true) }
            rest = rest.part(from: 4 + Int64(length))
        }
        return nil
    }
}
