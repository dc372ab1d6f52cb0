internal import Submit

/// HEIF and AVIF (ISO/IEC 23008-12; AV1 Image File Format): the file is written anew, with the items that make its picture.
struct CleanHEIF {
    /// More than any picture has.
    private static let mostInParts = 64 << 20

    private let source: any MediaBytes
    private let meta: CleanHEIFMeta

    /// Section 10 and annexes B to H. What tells of a sequence tells of a picture afterwards: a sequence is left out.
    static let brands: [String: String] = [
        "mif1": "mif1", "mif2": "mif2", "msf1": "mif1", "miaf": "miaf", "MiHB": "MiHB", "MiHE": "MiHE", "MiHA": "MiHA",
        "MiAB": "MiAB", "MiPr": "MiPr", "heic": "heic", "heix": "heix", "heim": "heim", "heis": "heis", "hevc": "heic",
        "hevx": "heix", "avif": "avif", "avis": "avif", "MA1A": "MA1A", "MA1B": "MA1B", "avci": "avci", "avcs": "avci",
        "1pic": "1pic",
    ]

    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        let (photo, brands) = try read(source)
        return try photo.pieces(brands, kept)
    }

    private static func read(_ source: any MediaBytes) throws(ReadingProblem) -> (CleanHEIF, brands: [UInt8]) {
        let boxes = try source.boxes()
        guard let type = boxes.first, type.name == "ftyp", type.content.count <= 1024 else {
            throw .damaged("it does not begin as a HEIF")
        }
        // Without a single picture that stands for it, nothing of a sequence would be left.
        let isSequence = boxes.contains { $0.name == "moov" }
        let lacking = isSequence ? "it is a sequence of pictures with no single one" : "it has no picture"
        guard let place = boxes.first(where: { $0.name == "meta" }) else { throw .damaged(lacking) }
        let brands = try brands(try source.whole(type.content, of: "its header"))
        let content = try source.whole(place.content, of: "its header")
        let data = boxes.filter { $0.name == "mdat" }.map(\.content)
        let meta: CleanHEIFMeta
        do throws(ReadingProblem) {
            meta = try CleanHEIFMeta(content, at: place.content.lowerBound, data: data)
        } catch {
            throw isSequence ? .damaged(lacking) : error
        }
        return (CleanHEIF(source: source, meta: meta), brands)
    }

    private static func brands(_ content: [UInt8]) throws(ReadingProblem) -> [UInt8] {
        var names: [String] = []
        for place in stride(from: 0, to: content.count - 3, by: 4) where place != 4 {
            let name = Self.brands[String(decoding: content[place..<place + 4], as: UTF8.self)]
            if place == 0 {
                names.append(name ?? "mif1")
            } else if let name, !names.dropFirst().contains(name) {
                names.append(name)
            }
        }
        guard let major = names.first else { throw .damaged("it does not begin as a HEIF") }
        return .box("ftyp", major.utf8 + [0, 0, 0, 0] + names.dropFirst().flatMap(\.utf8))
    }

    /// The items' new numbers follow each other in the order of their old ones.
    private func pieces(_ brands: [UInt8], _ metadata: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        let kept = try meta.kept().sorted()
        guard !meta.holdsMetadata(Set(kept)) else { throw .damaged("its picture and its metadata overlap") }
        let numbers = Dictionary(uniqueKeysWithValues: zip(kept, 1...))
        var all = CopiedPieces()
        var places: [Int: Range<Int64>] = [:]
        var written: [String: [[Range<Int64>]: Range<Int64>]] = [:]
        func add(_ data: CopiedPieces, _ number: Int) {
            // What is derived from one other picture has no bytes.
            if data.size > 0 { places[number] = all.size..<all.size + data.size }
            all.add(data)
        }
        for (number, item) in zip(1..., kept) {
            let extents = try meta.extents(of: item)
            let type = meta.items[item]?.type ?? ""
            // Tiles of one colour are often one.
            if let place = written[type]?[extents], !extents.isEmpty {
                places[number] = place
                continue
            }
            // Items that share some of their bytes would be written as often as there are.
            let size = extents.reduce(all.size) { $0 + $1.upperBound - $1.lowerBound }
            guard size <= source.size else { throw .damaged("its pictures overlap") }
            add(try content(of: item), number)
            written[type, default: [:]][extents] = places[number]
        }
        let exif = metadata.exif(besides: try exif(), isTurned: true)
        if let exif {
            var data = CopiedPieces()
            data.add([0, 0, 0, 0] + exif)
            add(data, kept.count + 1)
        }

        var infos: [[UInt8]] = []
        for item in kept { infos.append(try info(of: item, numbers[item] ?? 0)) }
        if exif != nil { infos.append(Self.info("Exif", kept.count + 1, flags: 0)) }
        var properties = CleanHEIFProperties(meta)
        for item in kept { try properties.add(of: item, numbers[item] ?? 0) }
        let handler = [UInt8](repeating: 0, count: 8) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
        let before: [UInt8] =
            .box("hdlr", handler) + .box("pitm", [0, 0, 0, 0] + Self.number(numbers[meta.primary] ?? 0, 2))
            + .box("iinf", [0, 0, 0, 0] + Self.number(infos.count, 2) + infos.flatMap { $0 })
        let references = references(numbers, exif: exif == nil ? nil : kept.count + 1)
        let after =
            (references.isEmpty ? [] : [UInt8].box("iref", [0, 0, 0, 0] + references)) + properties.bytes
        let isLong = all.size > 0xf000_0000
        let headSize = 12 + before.count + after.count + 16 + places.count * (isLong ? 22 : 14)
        let start = Int64(brands.count + headSize + (isLong ? 16 : 8))
        let located = Self.locations(places, from: start, width: isLong ? 8 : 4)
        var file = CopiedPieces()
        file.add(brands)
        file.add(.box("meta", [0, 0, 0, 0] + before + located + after))
        file.add(
            isLong
                ? [0, 0, 0, 1] + Array("mdat".utf8) + Self.number(Int(all.size) + 16, 8)
                : Self.number(Int(all.size) + 8, 4) + Array("mdat".utf8))
        guard file.size == start else { throw .damaged("its header cannot be written") }
        file.add(all)
        return file
    }

    /// `iloc` (ISO/IEC 14496-12, 8.11.3): each item is one extent of the file.
    private static func locations(_ places: [Int: Range<Int64>], from start: Int64, width: Int) -> [UInt8] {
        var content: [UInt8] = [0, 0, 0, 0, UInt8(width << 4 | width), 0]
        content.append(bigEndian: places.count, width: 2)
        for (number, place) in places.sorted(by: { $0.key < $1.key }) {
            content.append(bigEndian: number, width: 2)
            content += [0, 0, 0, 1]
            content.append(bigEndian: Int(start + place.lowerBound), width: width)
            content.append(bigEndian: Int(place.upperBound - place.lowerBound), width: width)
        }
        return .box("iloc", content)
    }

    private func info(of item: Int, _ number: Int) throws(ReadingProblem) -> [UInt8] {
        guard let info = meta.items[item] else { throw .damaged("a part of its picture is missing") }
        // A part that is not to be shown on its own stays so.
        return Self.info(info.type, number, flags: info.isHidden ? 1 : 0)
    }

    private static func info(_ type: String, _ number: Int, flags: UInt8) -> [UInt8] {
        .box("infe", [2, 0, 0, flags] + Self.number(number, 2) + [0, 0] + type.utf8 + [0])
    }

    private func references(_ numbers: [Int: Int], exif: Int?) -> [UInt8] {
        var references: [UInt8] = []
        for reference in meta.references where ["dimg", "auxl", "prem"].contains(reference.type) {
            let targets = reference.to.compactMap { numbers[$0] }
            guard let from = numbers[reference.from], !targets.isEmpty else { continue }
            references += .box(
                reference.type,
                Self.number(from, 2) + Self.number(targets.count, 2) + targets.flatMap { Self.number($0, 2) })
        }
        if let exif, let primary = numbers[meta.primary] {
            references += .box("cdsc", Self.number(exif, 2) + [0, 1] + Self.number(primary, 2))
        }
        return references
    }

    static func number(_ number: Int, _ width: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: number, width: width)
        return bytes
    }

    // MARK: What items hold

    private func content(of item: Int) throws(ReadingProblem) -> CopiedPieces {
        guard let info = meta.items[item] else { throw .damaged("a part of its picture is missing") }
        var pieces = CopiedPieces()
        switch info.type {
        case "iden": break
        case "grid", "iovl":
            let bytes = try whole(item, most: 1 << 16)
            guard let size = derivedSize(of: item, info.type, bytes), bytes.count >= size else {
                throw .damaged("a part of its picture is too short")
            }
            pieces.add(Array(bytes[..<size]))
        default:
            let extents = try meta.extents(of: item)
            guard !extents.isEmpty else { throw .damaged("a part of its picture is missing") }
            guard let kind = try CleanHEIFProperties.units(of: item, meta) else {
                for extent in extents { pieces.add(extent) }
                break
            }
            guard extents.count > 1 else {
                var units = CleanVideoUnits(source, keepsTimes: false)
                try units.look(at: extents[0], kind)
                pieces.add(extents[0], with: units.changes[...])
                break
            }
            // A unit may be cut by the end of a part.
            var bytes = try whole(item, most: Self.mostInParts)
            var units = CleanVideoUnits(MemoryBytes(bytes), keepsTimes: false)
            try units.look(at: 0..<Int64(bytes.count), kind)
            for change in units.changes { for place in change.range { bytes[Int(place)] = change.byte } }
            pieces.add(bytes)
        }
        return pieces
    }

    /// Bytes of a grid (23008-12, 6.6.2.3) or of pictures laid over each other (6.6.2.2).
    private func derivedSize(of item: Int, _ type: String, _ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 2, bytes[0] == 0 else { return nil }
        let width = bytes[1] & 1 == 0 ? 2 : 4
        let count = meta.sources[item]?.count ?? 0
        return type == "grid" ? 4 + 2 * width : 10 + 2 * width * (1 + count)
    }

    private func whole(_ item: Int, most: Int) throws(ReadingProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        for extent in try meta.extents(of: item) {
            bytes += try source.whole(extent, of: "an item")
            guard bytes.count <= most else { throw .damaged("an item is too long") }
        }
        return bytes
    }

    /// The TIFF structure of its EXIF.
    static func exif(of source: any MediaBytes) throws(ReadingProblem) -> [UInt8]? { try read(source).0.exif() }

    /// 23008-12, A.2.1. How the picture is turned, its properties say.
    private func exif() throws(ReadingProblem) -> [UInt8]? {
        let describing = meta.references.filter { $0.type == "cdsc" && $0.to.contains(meta.primary) }.map(\.from)
        guard let item = describing.first(where: { meta.items[$0]?.type == "Exif" }) else { return nil }
        let bytes = try whole(item, most: 1 << 24)
        guard bytes.count > 4 else { return nil }
        let start = bytes.bigEndian(at: 0, width: 4)
        guard start < bytes.count - 4 else { return nil }
        return Array(bytes[(4 + start)...])
    }
}
