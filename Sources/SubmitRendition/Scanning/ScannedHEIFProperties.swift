/// What is said of how to show pictures (23008-12, 6.5; AVIF 1.1, 2; ISO/IEC 14496-12, 12.1.4).
struct ScannedHEIFProperties {
    private static let alphas: Set<String> = [
        "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
    ]

    /// By item: which it has, counted from one.
    private(set) var lists: [Int: [Int]] = [:]
    /// Those that say a picture is the transparency of another.
    private(set) var alphas: Set<Int> = []
    /// How pictures of HEVC and H.264 are packed.
    var units: [Int: ScannedCodedUnits] = [:]

    mutating func read(_ iprp: ScannedBox, allowing allowed: Set<KeptFact>, _ found: inout FoundTraces) {
        var count: Int?
        for box in iprp.children(&found) {
            switch box.type {
            case "ipco" where count == nil:
                let boxes = box.children(keepsFillers: true, &found)
                count = boxes.count
                for (index, property) in boxes.enumerated() { check(property, index + 1, allowed, &found) }
            case "ipma": readLists(box, count: count ?? 0, &found)
            default: found.add(box.unknown, at: box.offset)
            }
        }
    }

    private mutating func check(
        _ box: ScannedBox, _ index: Int, _ allowed: Set<KeptFact>, _ found: inout FoundTraces
    ) {
        switch box.type {
        case "hvcC", "avcC":
            units[index] = ScannedCodedUnits(
                setup: box, .init(), messages: ScannedCodedMessages(allowing: allowed), &found)
        case "av1C": ScannedCodedAV1.checkSetup(box, &found)
        case "pixi":
            if !box.isZero(to: 4) || box.number(at: 4, width: 1) != box.count - 5 {
                found.add(box.unreadable, at: box.offset)
            }
        case "auxC":
            let name = box.content.dropFirst(4).prefix { $0 != 0 }
            guard box.isZero(to: 4), Self.alphas.contains(String(decoding: name, as: UTF8.self)),
                box.count > 4 + name.count, box.isZero(from: 4 + name.count)
            else { return found.add("a picture beside the picture", at: box.offset) }
            alphas.insert(index)
        case "a1lx":
            if box.count != (box.number(at: 0, width: 1) == 0 ? 7 : 13) || box.version > 1 {
                found.add(box.unreadable, at: box.offset)
            }
        case "irot", "imir", "ispe", "a1op", "lsel", "ndwt":
            let (size, most) =
                ["irot": (1, 3), "imir": (1, 1), "a1op": (1, 31), "lsel": (2, 0xffff), "ndwt": (8, 0)][box.type] ?? (
                    12, 0
                )
            let isRight =
                ["ispe", "ndwt"].contains(box.type)
                ? box.isZero(to: 4) : (box.number(at: 0, width: size) ?? .max) <= most
            if box.count != size || !isRight { found.add(box.unreadable, at: box.offset) }
        default:
            if !ScannedPictureBox.isKnown(box, &found) { found.add(box.unknown, at: box.offset) }
        }
    }

    private mutating func readLists(_ ipma: ScannedBox, count: Int, _ found: inout FoundTraces) {
        guard ipma.version <= 1, ipma.flags <= 1, let items = ipma.number(at: 4, width: 4) else {
            return found.add(ipma.unreadable, at: ipma.offset)
        }
        let (idWidth, width) = (ipma.version == 0 ? 2 : 4, ipma.flags == 0 ? 1 : 2)
        var place = 8
        for _ in 0..<items {
            guard let id = ipma.number(at: place, width: idWidth), lists[id] == nil,
                let properties = ipma.number(at: place + idWidth, width: 1)
            else { return found.add(ipma.unreadable, at: ipma.offset) }
            place += idWidth + 1
            lists[id] = []
            for _ in 0..<properties {
                // The highest bit says whether it matters.
                guard let number = ipma.number(at: place, width: width).map({ $0 & (width == 1 ? 0x7f : 0x7fff) }),
                    number <= count
                else { return found.add(ipma.unreadable, at: ipma.offset) }
                lists[id]?.append(number)
                place += width
            }
        }
        if place != ipma.count { found.add(ipma.unreadable, at: ipma.offset) }
    }
}

/// Boxes of numbers that pictures and films have alike.
enum ScannedPictureBox {
    /// How long each is.
    private static let sizes: [String: Int] = ["clap": 32, "pasp": 8, "clli": 4, "mdcv": 24, "amve": 8]

    /// Whether it tells only how pixels are shown, or else is `false`; what is wrong with it is a trace.
    static func isKnown(_ box: ScannedBox, _ found: inout FoundTraces) -> Bool {
        if ScannedBoxHead.fillers.contains(box.type) { return true }
        if let size = sizes[box.type] {
            if !box.fits(size) { found.add(box.unreadable, at: box.offset) }
            return true
        }
        guard box.type == "colr" else { return false }
        let profile = box.content.dropFirst(4)
        switch String(decoding: box.content.prefix(4), as: UTF8.self) {
        case "nclx" where box.fits(11) && (box.number(at: 10, width: 1) ?? 1) & 0x7f == 0: break
        case "nclc" where box.fits(10): break
        case "prof" where box.count <= 16 << 20, "rICC" where box.count <= 16 << 20:
            // Fewer zeros than a box of their own would take.
            let size = profile.number(at: 0, width: 4) ?? 0
            let isFilled = size <= profile.count && profile.count - size < 8 && profile.dropFirst(size).isAllZero
            found.add(ScannedICC.traces(in: Array(isFilled ? profile.prefix(size) : profile), at: box.start + 4))
        default: found.add(box.unreadable, at: box.offset)
        }
        return true
    }
}
