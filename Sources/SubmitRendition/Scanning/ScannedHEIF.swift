internal import Submit

/// A HEIC or AVIF file, box by box (ISO/IEC 23008-12; AVIF 1.1; MIAF, ISO/IEC 23000-22): one picture, its tiles, its
/// transparency and an EXIF block.
struct ScannedHEIF: ScannedFormat {
    static let brands: Set<String> = [
        "heic", "heix", "heim", "heis", "heif", "mif1", "mif2", "mif3", "miaf", "MiHB", "MiHA", "MiHE", "MiPr", "avif",
        "avio", "MA1A", "MA1B", "avci", "MiAB", "1pic",
    ]

    private let source: ScannedBytes
    private let allowed: AllowedMetadata
    private(set) var found = FoundTraces()

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata) {
        self.source = source
        self.allowed = allowed
    }

    mutating func walk() throws(SubmitFailure) {
        let boxes = try ScannedFileBox.all(in: source, &found)
        guard boxes.first?.type == "ftyp" else { return found.add("something that is no HEIC and no AVIF", at: 0) }
        var seen: Set<String> = []
        var ranges: [Range<Int64>] = []
        var meta: ScannedBox?
        for box in boxes {
            let name = ScannedBoxHead.printable(box.type)
            if !seen.insert(box.type).inserted, box.type != "mdat" {
                found.add("a part that is there twice (\(name))", at: box.offset)
            }
            switch box.type {
            case "ftyp":
                guard let read = try box.read(from: source, atMost: 264) else { fallthrough }
                read.checkBrands(Self.brands, &found)
            case "meta":
                meta = try box.read(from: source, atMost: 16 << 20)
                if meta == nil { found.add("more parts than can be checked", at: box.offset) }
            case "mdat": ranges.append(box.content)
            default: found.add("a part that is not known to tell nothing (\(name))", at: box.offset)
            }
        }
        guard let meta else { return found.add("no picture at all", at: 0) }
        var items = ScannedHEIFItems(meta, allowing: allowed.facts, &found)
        if let place = items.data { ranges.append(place) }
        var data = ScannedCodedData(source, in: ranges)
        var last: ScannedHEIFItem?
        for item in items.inOrder() {
            // Tiles that look the same may be one.
            if let last, last.part == item.part, last.type == item.type, item.type != "Exif" {
                if !isRead(item, as: last, of: items) {
                    found.add("pictures that are made of other ones in another way", at: item.part?.lowerBound ?? 0)
                }
                continue
            }
            last = item
            guard !data.found.isFull, let part = item.part, try data.claim(part) else { break }
            try check(item, part, of: &items, in: &data)
        }
        // Nothing is known of bytes whose pictures are not.
        if found.list.isEmpty || data.found.list.isEmpty { try data.finish() }
        found.add(data.found)
    }

    /// Whether two items of the same bytes are told by as many others.
    private func isRead(_ item: ScannedHEIFItem, as last: ScannedHEIFItem, of items: ScannedHEIFItems) -> Bool {
        items.tileCount(of: item.id) == items.tileCount(of: last.id) && items.hasSameSetup(item, last)
    }

    private mutating func check(
        _ item: ScannedHEIFItem, _ part: Range<Int64>, of items: inout ScannedHEIFItems,
        in data: inout ScannedCodedData
    ) throws(SubmitFailure) {
        switch item.type {
        case "hvc1", "avc1": try items.checkUnits(item, part, in: &data)
        case "av01": try ScannedCodedAV1().check(part, in: &data)
        case "grid":
            guard part.upperBound - part.lowerBound <= 12 else {
                return found.add("a grid of pictures that cannot be read", at: part.lowerBound)
            }
            let bytes = try data.bytes(in: part)
            let tiles = bytes.count >= 8 ? (Int(bytes[2]) + 1) * (Int(bytes[3]) + 1) : 0
            if bytes.count < 8 || bytes[0] != 0 || bytes[1] > 1 || bytes.count != (bytes[1] == 0 ? 8 : 12)
                || tiles != items.tileCount(of: item.id)
            {
                found.add("a grid of pictures that cannot be read", at: part.lowerBound)
            }
        // Pictures laid over each other (6.6.2.2).
        case "iovl":
            guard part.upperBound - part.lowerBound <= 1 << 16 else {
                return found.add("a picture that cannot be read", at: part.lowerBound)
            }
            let bytes = try data.bytes(in: part)
            let width = bytes.count > 1 && bytes[1] == 1 ? 4 : 2
            if bytes.count != 10 + 2 * width * (1 + items.tileCount(of: item.id)) || bytes[0] != 0 || bytes[1] > 1 {
                found.add("a picture that cannot be read", at: part.lowerBound)
            }
        case "Exif":
            // A TIFF's head is so far behind these four bytes (23008-12, A.2.1).
            guard part.upperBound - part.lowerBound <= 65546 else {
                return found.add("EXIF that cannot be read", at: part.lowerBound)
            }
            let bytes = try data.bytes(in: part)
            let skipped = bytes.dropFirst(4).starts(with: "Exif\0\0".utf8) ? 6 : 0
            guard bytes.number(at: 0, width: 4, isBigEndian: true) == UInt64(skipped) else {
                return found.add("EXIF that cannot be read", at: part.lowerBound)
            }
            found.add(
                ScannedEXIF.traces(
                    in: Array(bytes.dropFirst(4 + skipped)), at: part.lowerBound + 4 + Int64(skipped),
                    allowing: allowed))
        default: found.add("a picture that cannot be read", at: part.lowerBound)
        }
    }
}
