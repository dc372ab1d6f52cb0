/// What EXIF tells of a photo, taken together from wherever its file keeps it, and written as one TIFF structure (Exif
/// 2.32, section 4.6).
struct RAWEXIF {
    /// Big-endian.
    struct Value {
        let type: UInt64
        let count: Int
        let bytes: [UInt8]

        static func text(_ text: String) -> Value {
            Value(type: 2, count: text.utf8.count + 1, bytes: Array(text.utf8) + [0])
        }

        static func short(_ number: Int) -> Value { Value(type: 3, count: 1, bytes: RAWEXIF.bytes(number, 2)) }
    }

    var image: [UInt64: Value] = [:]
    var photo: [UInt64: Value] = [:]
    private var place: [UInt64: Value] = [:]

    init() {}

    /// - Parameter place: the directory of the place, where the photo's first one does not lead to it.
    init(_ metadata: PhotoMetadata, place: TIFFDirectory? = nil) {
        image = Self.values(metadata.image) { Self.ofImage.contains($0) }
        // TIFF/EP keeps what EXIF has a directory for in the first one (ISO 12234-2, section 5.2).
        photo = Self.values(metadata.image, where: Self.isOfPhoto)
        photo.merge(Self.values(metadata.photo, where: Self.isOfPhoto)) { $1 }
        self.place = Self.values(place ?? metadata.image?.directory(EXIFTag.placeDirectory)) { $0 < 0x20 }
    }

    /// Description, maker, camera, orientation, program, date, artist, copyright.
    private static let ofImage: Set<UInt64> = [
        0x010e, EXIFTag.make, EXIFTag.model, EXIFTag.orientation, 0x0131, EXIFTag.dateTime, 0x013b, 0x8298,
    ]

    /// Neither a directory nor a maker's note.
    private static func isOfPhoto(_ tag: UInt64) -> Bool {
        [0x829a...0x829d, 0x8822...0x8835, 0x9000...0xa4ff].contains { $0.contains(tag) }
            && ![EXIFTag.placeDirectory, 0x927c, 0xa005].contains(tag)
    }

    private static func values(_ directory: TIFFDirectory?, where isWanted: (UInt64) -> Bool) -> [UInt64: Value] {
        guard let directory else { return [:] }
        var values: [UInt64: Value] = [:]
        for tag in directory.tags where values[tag] == nil && isWanted(tag) {
            guard let value = directory.value(tag), value.region.length <= 1024, value.type < 16 || value.type == 129
            else { continue }
            var bytes = value.region.bytes(1024)
            guard bytes.count == value.count * value.unit else { continue }
            // Fractions are of two numbers.
            let width = value.type == 5 || value.type == 10 ? 4 : value.unit
            if !directory.structure.isBigEndian, width > 1 {
                for start in stride(from: 0, to: bytes.count, by: width) { bytes[start..<start + width].reverse() }
            }
            values[tag] = Value(type: value.type, count: value.count, bytes: bytes)
        }
        return values
    }

    /// The structure; `nil` where there is nothing to tell.
    var bytes: [UInt8]? {
        if image.isEmpty, photo.isEmpty, place.isEmpty { return nil }
        let others = [(EXIFTag.exifDirectory, photo), (EXIFTag.placeDirectory, place)].filter { !$0.1.isEmpty }
        var (first, rest) = (image, [UInt8]())
        var start = 8 + Self.size(image) + 12 * others.count
        for (tag, values) in others {
            first[tag] = Value(type: 4, count: 1, bytes: Self.bytes(start, 4))
            rest += Self.directory(values, at: start)
            start += Self.size(values)
        }
        return Array("MM\0*".utf8) + Self.bytes(8, 4) + Self.directory(first, at: 8) + rest
    }

    /// Bytes of a directory with the values that do not stand in its entries.
    private static func size(_ values: [UInt64: Value]) -> Int {
        values.values.reduce(6 + 12 * values.count) { $0 + ($1.bytes.count > 4 ? ($1.bytes.count + 1) & ~1 : 0) }
    }

    private static func directory(_ values: [UInt64: Value], at start: Int) -> [UInt8] {
        var entries = bytes(values.count, 2)
        var long: [UInt8] = []
        for (tag, value) in values.sorted(by: { $0.key < $1.key }) {
            entries += bytes(Int(tag), 2) + bytes(Int(value.type), 2) + bytes(value.count, 4)
            if value.bytes.count <= 4 {
                entries += value.bytes + [UInt8](repeating: 0, count: 4 - value.bytes.count)
            } else {
                entries += bytes(start + 6 + 12 * values.count + long.count, 4)
                long += value.bytes + (value.bytes.count.isMultiple(of: 2) ? [] : [0])
            }
        }
        return entries + bytes(0, 4) + long
    }

    private static func bytes(_ number: Int, _ width: Int) -> [UInt8] {
        (1...width).map { UInt8(truncatingIfNeeded: number >> ((width - $0) * 8)) }
    }
}
