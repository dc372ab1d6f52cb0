/// Tags and their values (TIFF 6.0, section 2). Of a tag that is there twice the first counts.
struct TIFFDirectory {
    let structure: TIFFStructure
    fileprivate let entries: [UInt8]

    init(structure: TIFFStructure, entries: [UInt8]) {
        self.structure = structure
        self.entries = entries
    }

    static func entrySize(in structure: TIFFStructure) -> Int { structure.isBigTIFF ? 20 : 12 }

    /// What stands under a tag.
    struct Value {
        let type: UInt64
        let count: Int
        let region: FileRegion
    }

    /// `nil` where the tag is missing, of no known type, or its value is not in the file.
    func value(_ tag: UInt64) -> Value? {
        let (size, width) = (Self.entrySize(in: structure), structure.isBigTIFF ? 8 : 4)
        let places = stride(from: 0, to: entries.count, by: size)
        guard let entry = places.first(where: { number(at: $0, 2) == tag }),
            let type = number(at: entry + 2, 2), let unit = Self.sizes[type],
            let count = number(at: entry + 4, width), count > 0, count <= 1 << 40
        else { return nil }
        let length = Int64(count) * unit
        let place = entry + 4 + width
        let region: FileRegion
        if length <= width {
            region = FileRegion(Array(entries[place..<place + Int(length)]))
        } else {
            guard let offset = number(at: place, width).flatMap(Int64.init(exactly:)) else { return nil }
            region = structure.region.part(from: offset, length: length)
        }
        return region.length == length ? Value(type: type, count: Int(count), region: region) : nil
    }

    /// As far as dates and their like are long.
    func text(_ tag: UInt64) -> String? {
        guard let value = value(tag), [2, 7, 129].contains(value.type) else { return nil }
        return String(decoding: value.region.bytes(64).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The first of the numbers there.
    func number(_ tag: UInt64) -> Int64? {
        guard let value = value(tag), [1, 3, 4, 13, 16, 18].contains(value.type) else { return nil }
        return value.region.bytes(Int(Self.sizes[value.type] ?? 0)).span.number(
            at: 0, width: Int(Self.sizes[value.type] ?? 0), bigEndian: structure.isBigEndian
        ).flatMap(Int64.init(exactly:))
    }

    func directory(_ tag: UInt64) -> TIFFDirectory? { number(tag).flatMap(structure.directory) }

    /// Bytes of one value by its type: those of TIFF 6.0, then `IFD`, those of BigTIFF, and UTF-8 of Exif 3.0.
    private static let sizes: [UInt64: Int64] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8, 129: 1,
    ]

    private func number(at offset: Int, _ width: Int) -> UInt64? {
        entries.span.number(at: offset, width: width, bigEndian: structure.isBigEndian)
    }
}
