/// Sigma's X3F: sections, whose directory ends it (http://www.x3f.info/technotes/FileDocs/X3F_Format.pdf).
enum SigmaRawFile {
    static func pictures(_ file: FileRegion) -> RAWPictures {
        func number(_ offset: Int64) -> Int64? { Self.number(in: file, at: offset) }
        // Cameras of the fourth version have a longer header.
        let size: Int64 = (number(4) ?? 0) >> 16 >= 4 ? 40 : 28
        // Degrees, clockwise.
        let turned: [Int64: Int] = [90: 6, 180: 3, 270: 8]
        return RAWPictures(
            jpegs: jpegs(file), whole: PixelSize(file, at: size, width: 4, bigEndian: false),
            orientation: number(size + 8).flatMap { turned[$0] } ?? 1)
    }

    /// It is in the pictures for looking at.
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        jpegs(file).lazy.map(JPEGFile.metadata).first { $0.image != nil } ?? PhotoMetadata()
    }

    private static func jpegs(_ file: FileRegion) -> [FileRegion] {
        guard let start = number(in: file, at: file.length - 4), file.bytes(at: start, 4) == Array("SECd".utf8),
            let count = number(in: file, at: start + 8)
        else { return [] }
        return (0..<min(count, 64)).compactMap { index in
            let entry = start + 12 + index * 12
            guard
                let section = file.piece(
                    at: number(in: file, at: entry), length: number(in: file, at: entry + 4)),
                section.bytes(4) == Array("SECi".utf8), number(in: section, at: 12) == jpeg
            else { return nil }
            return section.piece(at: 28, length: section.length - 28)
        }
    }

    /// How a picture is coded.
    private static let jpeg: Int64 = 18

    private static func number(in region: FileRegion, at offset: Int64) -> Int64? {
        region.number(at: offset, width: 4, bigEndian: false).map { Int64($0) }
    }
}
