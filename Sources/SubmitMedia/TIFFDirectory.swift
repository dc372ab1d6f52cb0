/// Tags and their values (TIFF 6.0, section 2). Of a tag that is there twice the first counts.
struct TIFFDirectory {
    let structure: TIFFStructure
    fileprivate let entries: [UInt8]
    /// Where the offset of the next directory stands.
    private let end: Int64

    init(structure: TIFFStructure, entries: [UInt8], end: Int64) {
        self.structure = structure
        self.entries = entries
        self.end = end
    }

    static func entrySize(in structure: TIFFStructure) -> Int { structure.isBigTIFF ? 20 : 12 }

    /// What stands under a tag.
    struct Value {
        let type: UInt64
        let count: Int
        let region: FileRegion

        /// Bytes of one.
        var unit: Int { Int(TIFFDirectory.sizes[type] ?? 0) }
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
        return value.region.bytes(value.unit).span.number(
            at: 0, width: value.unit, bigEndian: structure.isBigEndian
        ).flatMap(Int64.init(exactly:))
    }

    /// The numbers there, at most as many as asked for; of fractions what is whole of them.
    func numbers(_ tag: UInt64, most: Int) -> [Int64] {
        guard let value = value(tag), [1, 3, 4, 5, 13, 16, 18].contains(value.type) else { return [] }
        let (width, size) = (value.type == 5 ? 4 : value.unit, value.unit)
        let bytes = value.region.bytes(min(value.count, most) * size)
        func number(_ offset: Int) -> Int64? {
            bytes.span.number(at: offset, width: width, bigEndian: structure.isBigEndian).flatMap(Int64.init(exactly:))
        }
        return stride(from: 0, through: bytes.count - size, by: size).compactMap { offset in
            guard value.type == 5 else { return number(offset) }
            guard let part = number(offset), let whole = number(offset + 4), whole > 0 else { return nil }
            return part / whole
        }
    }

    /// The fractions there, at most as many as asked for; none where one of them has no value.
    func fractions(_ tag: UInt64, most: Int) -> [Double] {
        guard let value = value(tag), value.type == 5 || value.type == 10 else { return [] }
        let bytes = value.region.bytes(min(value.count, most) * 8)
        var fractions: [Double] = []
        for offset in stride(from: 0, through: bytes.count - 8, by: 8) {
            guard
                let part = bytes.span.number(at: offset, width: 4, bigEndian: structure.isBigEndian),
                let whole = bytes.span.number(at: offset + 4, width: 4, bigEndian: structure.isBigEndian), whole > 0
            else { return [] }
            fractions.append(Double(part) / Double(whole))
        }
        return fractions
    }

    /// Where the next directory is that belongs to the file as this one does.
    var next: Int64? {
        structure.region.number(
            at: end, width: structure.isBigTIFF ? 8 : 4, bigEndian: structure.isBigEndian
        ).flatMap(Int64.init(exactly:))
    }

    /// Its tags, in their order.
    var tags: [UInt64] {
        stride(from: 0, to: entries.count, by: Self.entrySize(in: structure)).compactMap { number(at: $0, 2) }
    }

    func directory(_ tag: UInt64) -> TIFFDirectory? { number(tag).flatMap(structure.directory) }

    /// Bytes of one value by its type: those of TIFF 6.0, then `IFD`, those of BigTIFF, and UTF-8 of Exif 3.0.
    fileprivate static let sizes: [UInt64: Int64] = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8, 129: 1,
    ]

    private func number(at offset: Int, _ width: Int) -> UInt64? {
        entries.span.number(at: offset, width: width, bigEndian: structure.isBigEndian)
    }
}
