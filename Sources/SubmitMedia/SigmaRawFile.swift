internal import Submit

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

    /// The EXIF of the preview pictures, which the SD9 and SD10 don't write. Every camera writes the time as a property.
    static func metadata(_ file: FileRegion) -> PhotoMetadata {
        var metadata = jpegs(file).lazy.map(JPEGFile.metadata).first { $0.image != nil } ?? PhotoMetadata()
        metadata.created = { propertyTime(file) }
        return metadata
    }

    private static func jpegs(_ file: FileRegion) -> [FileRegion] {
        sections(file, "SECi").compactMap { section in
            number(in: section, at: 12) == jpeg ? section.piece(at: 28, length: section.length - 28) : nil
        }
    }

    /// The property `TIME`: seconds since 1970 by the camera's clock.
    private static func propertyTime(_ file: FileRegion) -> CaptureTime? {
        sections(file, "SECp").lazy.compactMap { section in
            property("TIME", in: section).flatMap { Int64($0) }.flatMap {
                $0 > 0 ? CaptureText.time(cameraSeconds: $0) : nil
            }
        }.first
    }

    /// The value of a property. Names and values are texts of UTF-16 that end with 0, and their offsets count characters.
    private static func property(_ name: String, in section: FileRegion) -> String? {
        guard let count = number(in: section, at: 8), (1...1024) ~= count, number(in: section, at: 12) == utf16 else {
            return nil
        }
        func text(_ entry: Int64) -> String? {
            guard let offset = number(in: section, at: entry) else { return nil }
            let units = section.part(from: 24 + 8 * count + 2 * offset).bytes(64)
            let codes = stride(from: 0, to: units.count - 1, by: 2).map {
                UInt16(units[$0]) | UInt16(units[$0 + 1]) << 8
            }
            return String(decoding: codes.prefix { $0 != 0 }, as: UTF16.self)
        }
        return (0..<count).lazy.map { 24 + 8 * $0 }.first { text($0) == name }.flatMap { text($0 + 4) }
    }

    /// The sections of one kind, by the directory.
    private static func sections(_ file: FileRegion, _ kind: String) -> [FileRegion] {
        guard let start = number(in: file, at: file.length - 4), file.bytes(at: start, 4) == Array("SECd".utf8),
            let count = number(in: file, at: start + 8)
        else { return [] }
        return (0..<min(count, 64)).compactMap { index in
            let entry = start + 12 + index * 12
            let section = file.piece(at: number(in: file, at: entry), length: number(in: file, at: entry + 4))
            return section?.bytes(4) == Array(kind.utf8) ? section : nil
        }
    }

    /// The format of a property's characters.
    private static let utf16: Int64 = 0
    /// How a picture is coded.
    private static let jpeg: Int64 = 18

    private static func number(in region: FileRegion, at offset: Int64) -> Int64? {
        region.number(at: offset, width: 4, bigEndian: false).map { Int64($0) }
    }
}
