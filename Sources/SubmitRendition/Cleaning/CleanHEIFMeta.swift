/// What a HEIF file says about its items (ISO/IEC 14496-12, 8.11).
struct CleanHEIFMeta {
    struct Item {
        let type: String
        let isHidden: Bool
    }

    struct Reference {
        let type: String
        let from: Int
        let to: [Int]
    }

    struct Association {
        /// From 1 on; 0 is none.
        let property: Int
        let isEssential: Bool
    }

    let bytes: [UInt8]
    private(set) var primary = 0
    private(set) var items: [Int: Item] = [:]
    private(set) var references: [Reference] = []
    /// What items are derived from.
    private(set) var sources: [Int: [Int]] = [:]
    private(set) var properties: [CleanBox<Int>] = []
    private(set) var associations: [Int: [Association]] = [:]
    private var locations: [Int: [Range<Int64>]] = [:]
    /// Where pictures may stand.
    private let data: [Range<Int64>]
    private let start: Int64
    /// More than any picture has.
    private static let most = 10_000

    init(_ bytes: [UInt8], at start: Int64, data: [Range<Int64>]) throws(ReadingProblem) {
        (self.bytes, self.start, self.data) = (bytes, start, data)
        guard bytes.count >= 4 else { throw .damaged("a box is too short") }
        let boxes = try bytes.boxes(in: 4..<bytes.count).boxes
        func box(_ name: String) -> Range<Int>? { boxes.first { $0.name == name }?.content }
        guard let handler = box("hdlr"), try bytes.number(8, 4, in: handler) == 0x7069_6374,
            let primary = box("pitm"), let infos = box("iinf"), let locations = box("iloc"),
            let properties = box("iprp")
        else { throw .damaged("it has no picture") }
        self.primary = try bytes.number(4, bytes.number(0, 1, in: primary) == 0 ? 2 : 4, in: primary)
        try readItems(infos)
        try readLocations(locations, box("idat") ?? 0..<0)
        if let references = box("iref") { try readReferences(references) }
        try readProperties(properties)
    }

    /// Numbers that follow each other.
    private struct Reader {
        let bytes: [UInt8]
        let range: Range<Int>
        var offset: Int

        mutating func next(_ width: Int) throws(ReadingProblem) -> Int {
            let number = try bytes.number(offset, width, in: range)
            offset += width
            return number
        }
    }

    private mutating func readItems(_ range: Range<Int>) throws(ReadingProblem) {
        let head = try bytes.number(0, 1, in: range) == 0 ? 6 : 8
        guard range.count >= head else { throw .damaged("a box is too short") }
        for box in try bytes.boxes(in: range.lowerBound + head..<range.upperBound).boxes where box.name == "infe" {
            var reader = Reader(bytes: bytes, range: box.content, offset: 0)
            let version = try reader.next(1)
            let flags = try reader.next(3)
            // Older ones are of no kind.
            guard version == 2 || version == 3 else { continue }
            let number = try reader.next(version == 2 ? 2 : 4)
            let isOpen = try reader.next(2) == 0
            _ = try reader.next(4)
            let type = bytes[box.content.lowerBound + reader.offset - 4..<box.content.lowerBound + reader.offset]
            let item = Item(type: isOpen ? String(decoding: type, as: UTF8.self) : "", isHidden: flags & 1 == 1)
            guard items.updateValue(item, forKey: number) == nil else { throw .damaged("two items have one number") }
        }
    }

    private mutating func readLocations(_ range: Range<Int>, _ inner: Range<Int>) throws(ReadingProblem) {
        var reader = Reader(bytes: bytes, range: range, offset: 0)
        let version = try reader.next(1)
        guard version <= 2 else { throw .damaged("its header is of an unknown version") }
        _ = try reader.next(3)
        let widths = try reader.next(2)
        let (offsetWidth, lengthWidth, baseWidth) = (widths >> 12 & 15, widths >> 8 & 15, widths >> 4 & 15)
        let indexWidth = version == 0 ? 0 : widths & 15
        guard [offsetWidth, lengthWidth, baseWidth, indexWidth].allSatisfy({ [0, 4, 8].contains($0) }) else {
            throw .damaged("its header has numbers of an unknown size")
        }
        // Parts that take no room in the header could be any number.
        guard lengthWidth > 0 else { throw .damaged("its header tells no sizes") }
        for _ in 0..<(try reader.next(version == 2 ? 4 : 2)) {
            let item = try reader.next(version == 2 ? 4 : 2)
            let method = version == 0 ? 0 : try reader.next(2) & 15
            let isHere = try reader.next(2) == 0 && method <= 1
            let base = try reader.next(baseWidth)
            var extents: [Range<Int64>] = []
            for _ in 0..<(try reader.next(2)) {
                _ = try reader.next(indexWidth)
                let (offset, length) = (try reader.next(offsetWidth), try reader.next(lengthWidth))
                // Whether it is in the file counts for items that are kept.
                guard base >= 0, offset >= 0, length > 0, base < 1 << 60, offset < 1 << 60, length < 1 << 60 else {
                    extents.append(-1 ..< -1)
                    continue
                }
                var place = Int64(base + offset)
                if method == 1 {
                    guard place + Int64(length) <= inner.count else {
                        extents.append(-1 ..< -1)
                        continue
                    }
                    place += start + Int64(inner.lowerBound)
                } else if !data.hold(place..<place + Int64(length)) {
                    extents.append(-1 ..< -1)
                    continue
                }
                extents.append(place..<place + Int64(length))
            }
            guard locations.updateValue(isHere ? extents : [-1 ..< -1], forKey: item) == nil else {
                throw .damaged("two items have one number")
            }
        }
    }

    private mutating func readReferences(_ range: Range<Int>) throws(ReadingProblem) {
        let width = try bytes.number(0, 1, in: range) == 0 ? 2 : 4
        guard range.count >= 4 else { throw .damaged("a box is too short") }
        for box in try bytes.boxes(in: range.lowerBound + 4..<range.upperBound).boxes {
            var reader = Reader(bytes: bytes, range: box.content, offset: 0)
            let from = try reader.next(width)
            var to: [Int] = []
            for _ in 0..<(try reader.next(2)) { to.append(try reader.next(width)) }
            references.append(Reference(type: box.name, from: from, to: to))
            if box.name == "dimg" { sources[from, default: []] += to }
        }
    }

    private mutating func readProperties(_ range: Range<Int>) throws(ReadingProblem) {
        let boxes = try bytes.boxes(in: range).boxes
        guard let list = boxes.first(where: { $0.name == "ipco" }) else { throw .damaged("it has no picture") }
        properties = try bytes.boxes(in: list.content).boxes
        for box in boxes where box.name == "ipma" {
            var reader = Reader(bytes: bytes, range: box.content, offset: 0)
            let version = try reader.next(1)
            let width = try reader.next(3) & 1 == 0 ? 1 : 2
            for _ in 0..<(try reader.next(4)) {
                let item = try reader.next(version == 0 ? 2 : 4)
                var list: [Association] = []
                for _ in 0..<(try reader.next(1)) {
                    let number = try reader.next(width)
                    let bit = 1 << (8 * width - 1)
                    list.append(Association(property: number & (bit - 1), isEssential: number & bit != 0))
                }
                guard associations.updateValue(list, forKey: item) == nil else {
                    throw .damaged("two items have one number")
                }
            }
        }
    }

    // MARK: What is kept

    static let pictures: Set<String> = ["hvc1", "av01", "avc1", "grid", "iden", "iovl"]

    /// The primary item, what it is derived from, and what is transparent of them.
    func kept() throws(ReadingProblem) -> Set<Int> {
        var parts = sources
        for reference in references where reference.type == "auxl" && isAlpha(reference.from) {
            for master in reference.to { parts[master, default: []].append(reference.from) }
        }
        var kept: Set<Int> = [primary]
        var rest = [primary]
        while let item = rest.popLast() {
            guard let type = items[item]?.type else { throw .damaged("a part of its picture is missing") }
            guard Self.pictures.contains(type) else { throw .damaged("its picture is of an unknown kind") }
            for source in parts[item] ?? [] where kept.insert(source).inserted { rest.append(source) }
            guard kept.count <= Self.most else { throw .damaged("it has too many parts") }
        }
        return kept
    }

    private func isAlpha(_ item: Int) -> Bool {
        (associations[item] ?? []).contains { association in
            guard properties.indices.contains(association.property - 1) else { return false }
            let box = properties[association.property - 1]
            return box.name == "auxC" && CleanHEIFProperties.alpha(Array(bytes[box.content.prefix(64)])) != nil
        }
    }

    func extents(of item: Int) throws(ReadingProblem) -> [Range<Int64>] {
        let extents = locations[item] ?? []
        guard extents.allSatisfy({ $0.lowerBound >= 0 }) else {
            throw .damaged("a part of its picture is outside of the file")
        }
        return extents
    }

    /// Whether what the picture is made of is metadata as well.
    func holdsMetadata(_ kept: Set<Int>) -> Bool {
        var ranges: [(range: Range<Int64>, isKept: Bool)] = []
        for (item, extents) in locations {
            let isKept = kept.contains(item)
            guard isKept || ["Exif", "mime", "uri "].contains(items[item]?.type) else { continue }
            for range in extents where range.lowerBound >= 0 { ranges.append((range, isKept)) }
        }
        ranges.sort { $0.range.lowerBound < $1.range.lowerBound }
        var (picture, metadata): (Int64, Int64) = (0, 0)
        for (range, isKept) in ranges {
            if range.lowerBound < (isKept ? metadata : picture) { return true }
            if isKept { picture = max(picture, range.upperBound) } else { metadata = max(metadata, range.upperBound) }
        }
        return false
    }
}
