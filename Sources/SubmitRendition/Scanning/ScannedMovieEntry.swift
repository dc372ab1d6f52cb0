/// How pictures or sounds are coded (14496-12, 8.5.2, 12.1.3 and 12.2.3; 14496-14 and -15; QuickTime File Format,
/// “Sample description atoms”).
struct ScannedMovieEntry {
    static let pictures: Set<String> = [
        "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "av01", "mp4v", "jpeg", "apch", "apcn", "apcs",
        "apco", "ap4h",
        "ap4x", "s263", "vp08", "vp09",
    ]
    static let sounds: Set<String> = [
        "mp4a", "alac", "ac-3", "ec-3", "sowt", "twos", "lpcm", "samr", "sawb", "Opus", "fLaC", "in24", "in32", "fl32",
        "fl64", "raw ", "NONE", "ulaw", "alaw", ".mp3", "ipcm", "fpcm",
    ]
    /// How long boxes of numbers are.
    private static let sizes: [String: ClosedRange<Int>] = [
        "btrt": 12...12, "fiel": 2...2, "gama": 4...4, "CoLL": 8...8, "SmDm": 28...28, "dac3": 3...3, "dec3": 5...16,
        "dOps": 11...32, "pcmC": 6...6, "frma": 4...4, "enda": 2...2, "vpcC": 12...12, "chrm": 1...1, "srat": 8...8,
    ]

    var codec = ScannedMovieCodec.opaque
    /// Bytes and moments of a packet of sound.
    private(set) var packet: (bytes: Int, moments: Int)?
    /// It is not compressed, so that each moment takes as many bytes.
    private(set) var isPlain = false

    init(
        _ box: ScannedBox, handler: String, allowing allowed: Set<KeptFact>, _ found: inout FoundTraces
    ) {
        let isPicture = handler == "vide"
        guard (isPicture ? Self.pictures : Self.sounds).contains(box.type), box.isZero(to: 6),
            1...64 ~= box.number(at: 6, width: 2) ?? 0
        else {
            found.add("a track that cannot be checked (\(ScannedBoxHead.printable(box.type)))", at: box.offset)
            return
        }
        // The maker of the coder; in a film of today, zeros.
        if !box.isZero(from: 12, to: 16) { found.add("the name of a program or maker", at: box.start + 12) }
        let children = isPicture ? checkPicture(box, &found) : checkSound(box, &found)
        let kind = ScannedCodedUnits.Kind(
            hasDolbyVision: children.contains { ["dvcC", "dvvC", "dvwC"].contains($0.type) },
            hasLayers: children.contains { $0.type == "lhvC" })
        var seen: Set<String> = []
        for child in children {
            if !seen.insert(child.type).inserted, child.type != "colr" {
                found.add("a part that is there twice (\(ScannedBoxHead.printable(child.type)))", at: child.offset)
            }
            check(child, kind, allowed, isNested: false, &found)
        }
        switch box.type {
        case "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav":
            let isHEVC = ["hvc1", "hev1", "dvh1", "dvhe"].contains(box.type)
            guard case .units(let units) = codec, units.isHEVC == isHEVC else {
                found.add("a track that cannot be checked (\(box.type))", at: box.offset)
                return
            }
        case "av01": codec = .av1
        case "jpeg": codec = .jpeg
        case "mp4v": codec = .mpeg4
        case "apch", "apcn", "apcs", "apco", "ap4h", "ap4x": codec = .proRes
        default: codec = .opaque
        }
    }

    private func checkPicture(_ box: ScannedBox, _ found: inout FoundTraces) -> [ScannedBox] {
        guard box.count >= 78, box.isZero(from: 8, to: 12), (box.number(at: 16, width: 4) ?? .max) <= 1024,
            (box.number(at: 20, width: 4) ?? .max) <= 1024, box.isZero(from: 36, to: 40),
            // Another number is that of a list of colours behind it.
            box.number(at: 76, width: 2) == 0xffff
        else {
            found.add(box.unreadable, at: box.offset)
            return []
        }
        if !box.isZero(from: 42, to: 74) { found.add("the name of a program or camera", at: box.start + 42) }
        return box.children(from: 78, &found)
    }

    private mutating func checkSound(_ box: ScannedBox, _ found: inout FoundTraces) -> [ScannedBox] {
        let version = box.number(at: 8, width: 2) ?? -1
        guard 0...2 ~= version, box.isZero(from: 10, to: 12) else {
            found.add(box.unreadable, at: box.offset)
            return []
        }
        let channels = box.number(at: 16, width: 2) ?? 0
        isPlain = [
            "sowt", "twos", "raw ", "NONE", "in24", "in32", "fl32", "fl64", "ulaw", "alaw", "lpcm", "ipcm", "fpcm",
        ].contains(box.type)
        switch version {
        // Of eight bits to a number it says 16.
        case 0 where ["ulaw", "alaw"].contains(box.type): packet = (channels, 1)
        case 0 where isPlain: packet = (channels * (((box.number(at: 18, width: 2) ?? 0) + 7) / 8), 1)
        case 1: packet = (box.number(at: 36, width: 4) ?? 0, max(1, box.number(at: 28, width: 4) ?? 1))
        case 2: packet = (box.number(at: 56, width: 4) ?? 0, max(1, box.number(at: 60, width: 4) ?? 1))
        default: break
        }
        return box.children(from: [28, 44, 64][version], &found)
    }

    private mutating func check(
        _ box: ScannedBox, _ kind: ScannedCodedUnits.Kind, _ allowed: Set<KeptFact>, isNested: Bool,
        _ found: inout FoundTraces
    ) {
        var isRight = true
        switch box.type {
        case "avcC", "hvcC":
            let messages = ScannedCodedMessages(allowing: allowed)
            if let units = ScannedCodedUnits(setup: box, kind, messages: messages, &found) { codec = .units(units) }
        case "lhvC":
            let messages = ScannedCodedMessages(allowing: allowed)
            _ = ScannedCodedUnits(setup: box, kind, messages: messages, &found)
        case "av1C": ScannedCodedAV1.checkSetup(box, &found)
        case "dvcC", "dvvC", "dvwC": isRight = box.count >= 24 && box.isZero(from: 8)
        case "esds": if let trouble = Self.trouble(inESDS: box) { found.add(trouble, at: box.offset) }
        case "wave" where !isNested:
            for child in box.children(&found) { check(child, kind, allowed, isNested: true, &found) }
        case "mp4a" where isNested: isRight = box.isZero() && box.count <= 8
        case "alac": isRight = [28, 52].contains(box.count) && box.isZero(to: 4)
        case "chan":
            let count = box.number(at: 12, width: 4) ?? .max
            // Apple's have one where there are none: its label alone.
            let isEmpty =
                count == 0 && box.count == 36 && box.isZero(from: 20)
            isRight = count <= 64 && (box.count == 16 + 20 * count || isEmpty) && box.isZero(to: 4)
        // The stream's own head (Xiph, “Encapsulation of FLAC in ISO BMFF”, 3.3.2), and none of its comments.
        case "dfLa": isRight = box.count == 42 && box.isZero(to: 4) && box.number(at: 4, width: 4) == 0x8000_0022
        // First the maker of the coder (3GPP TS 26.244, 6.6).
        case "damr": isRight = box.fits(9) && (box.isZero(to: 4) || allowed.contains(.camera))
        case "d263": isRight = box.fits(7) && (box.isZero(to: 4) || allowed.contains(.camera))
        default:
            if let size = Self.sizes[box.type] {
                isRight = size.contains(box.count) || box.count > size.upperBound && box.fits(size.upperBound)
            } else if !ScannedPictureBox.isKnown(box, &found), !ScannedMovieSpace.isKnown(box, &found) {
                found.add(box.unknown, at: box.offset)
            }
        }
        if !isRight { found.add(box.unreadable, at: box.offset) }
    }

    /// Descriptors within each other (14496-1, 7.2.6.5), and nothing but what a decoder takes.
    private static func trouble(inESDS box: ScannedBox) -> String? {
        var rest = box.content.dropFirst(4)
        func descriptor(_ tag: UInt8, in rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == tag else { return nil }
            var length = 0
            for _ in 0..<4 {
                guard let byte = rest.popFirst() else { return nil }
                length = length << 7 | Int(byte & 0x7f)
                if byte & 0x80 != 0 { continue }
                guard length <= rest.count else { return nil }
                defer { rest = rest.dropFirst(length) }
                return rest.prefix(length)
            }
            return nil
        }
        guard box.isZero(to: 4), let stream = descriptor(3, in: &rest), rest.isAllZero,
            (stream.number(at: 2, width: 1) ?? 0xff) & 0xe0 == 0
        else { return box.unreadable }
        var parts = stream.dropFirst(3)
        guard let config = descriptor(4, in: &parts), config.count >= 13 else { return box.unreadable }
        if let sync = descriptor(6, in: &parts), sync.elementsEqual([2]), parts.isEmpty {
        } else {
            return box.unreadable
        }
        var setups = config.dropFirst(13)
        if setups.isEmpty { return nil }
        guard let setup = descriptor(5, in: &setups), setups.isEmpty, setup.count <= 256 else { return box.unreadable }
        if config.first == 0x20 { return ScannedMovieCodec.trouble(inMPEG4: Array(setup)) }
        return ScannedSoundSetup.trouble(in: setup)
    }
}
