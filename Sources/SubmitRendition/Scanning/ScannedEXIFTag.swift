/// The EXIF tags that may be there, and what stands in them. Source: CIPA DC-008-2019 (EXIF 2.32), TIFF 6.0.
enum ScannedEXIFTag {
    /// What the value of a tag looks like.
    enum Content {
        /// Where another directory begins.
        case pointer(Directory)
        /// One number of 16 or 32 bits, and which.
        case number(ClosedRange<UInt64>?)
        /// One fraction.
        case ratio
        /// Three fractions.
        case ratios
        /// So many bytes, of which none is more.
        case byte(UInt8, count: UInt64 = 1)
        /// One of these letters, and a zero.
        case letter(String)
        /// Four digits.
        case version
        /// The order of the colour components.
        case components
        /// Text of this shape: `0` is a digit, `+` a sign, all else itself; a blank anywhere.
        case shaped(String)
        /// Digits of a second.
        case fraction
        /// Text in so many parts.
        case text(parts: Int)
        /// Text that is the name of a kind of device.
        case name

        var types: Set<UInt64> {
            switch self {
            case .pointer: [4, 13]
            case .number: [3, 4]
            case .ratio: [5, 10]
            case .ratios: [5]
            case .byte: [1]
            case .version, .components: [7]
            case .shaped, .fraction, .text, .name, .letter: [2]
            }
        }

        var counts: ClosedRange<UInt64> {
            switch self {
            case .pointer, .number, .ratio: 1...1
            case .version, .components: 4...4
            case .ratios: 3...3
            case .byte(_, let count): count...count
            case .letter: 2...2
            case .shaped(let shape): UInt64(shape.utf8.count + 1)...UInt64(shape.utf8.count + 1)
            case .fraction: 1...10
            case .text, .name: 1...257
            }
        }
    }

    /// Which list a tag stands in.
    enum Directory {
        case main, exif, place

        var rules: [UInt16: Rule] {
            switch self {
            case .main: inMain
            case .exif: inExif
            case .place: inPlace
            }
        }
    }

    typealias Rule = (fact: KeptFact?, content: Content)

    private static let dateTime = Rule(.date, .shaped("0000:00:00 00:00:00"))
    private static let zone = Rule(.date, .shaped("+00:00"))

    private static let inMain: [UInt16: Rule] = [
        0x010f: (.camera, .name), 0x0110: (.camera, .name),
        0x0112: (nil, .number(1...8)), 0x011a: (nil, .ratio), 0x011b: (nil, .ratio), 0x0128: (nil, .number(1...3)),
        0x0132: dateTime, 0x013b: (.copyright, .text(parts: 1)), 0x0213: (nil, .number(1...2)),
        0x8298: (.copyright, .text(parts: 2)), 0x8769: (nil, .pointer(.exif)), 0x8825: (.place, .pointer(.place)),
    ]

    private static let inExif: [UInt16: Rule] = [
        0x9000: (nil, .version), 0x9101: (nil, .components), 0xa000: (nil, .version),
        0xa001: (nil, .number(1...0xffff)), 0xa002: (nil, .number(nil)), 0xa003: (nil, .number(nil)),
        0x9003: dateTime, 0x9004: dateTime, 0x9010: zone, 0x9011: zone, 0x9012: zone,
        0x9290: (.date, .fraction), 0x9291: (.date, .fraction), 0x9292: (.date, .fraction),
        0xa433: (.camera, .name), 0xa434: (.camera, .name),
        0x829a: (.exposure, .ratio), 0x829d: (.exposure, .ratio), 0x8822: (.exposure, .number(0...255)),
        0x8827: (.exposure, .number(nil)), 0x8830: (.exposure, .number(0...255)), 0x9204: (.exposure, .ratio),
        0x9207: (.exposure, .number(0...255)), 0x9209: (.exposure, .number(0...255)), 0x920a: (.exposure, .ratio),
        0xa402: (.exposure, .number(0...255)), 0xa403: (.exposure, .number(0...255)),
        0xa405: (.exposure, .number(nil)),
    ]

    /// EXIF 2.32, 4.6.6.
    private static let inPlace: [UInt16: Rule] = [
        0: (.place, .byte(9, count: 4)), 1: (.place, .letter("NS")), 2: (.place, .ratios), 3: (.place, .letter("EW")),
        4: (.place, .ratios), 5: (.place, .byte(1)), 6: (.place, .ratio), 7: (.place, .ratios),
        16: (.place, .letter("TM")), 17: (.place, .ratio), 29: (.place, .shaped("0000:00:00")),
    ]

    private static let names: [UInt16: String] = [
        0x02bc: "XMP in EXIF", 0x010e: "a description in EXIF", 0x0131: "the name of a program in EXIF",
        0x013c: "the name of a computer in EXIF", 0x83bb: "IPTC in EXIF", 0x8649: "IPTC (Photoshop) in EXIF",
        0x8825: "a place in EXIF (GPS)", 0x927c: "a maker note in EXIF", 0x9286: "a comment in EXIF",
        0x9c9b: "a title in EXIF", 0x9c9c: "a comment in EXIF", 0x9c9d: "an author in EXIF",
        0x9c9e: "keywords in EXIF", 0x9c9f: "a subject in EXIF", 0xa005: "more EXIF than is known",
        0xa214: "a place in the picture in EXIF", 0x9214: "a place in the picture in EXIF",
        0xa420: "an identifier of the picture in EXIF", 0xa430: "the owner's name in EXIF",
        0xa431: "the camera's serial number in EXIF", 0xa435: "the lens's serial number in EXIF",
    ]

    /// What a tag is to say because somebody asked for it.
    static func word(of tag: UInt16, _ words: PhotoWords) -> String? {
        switch tag {
        case 0x010e: words.caption
        case 0x013b: words.creator
        case 0x8298: words.copyright
        default: nil
        }
    }

    /// What a tag that must not be there tells.
    static func name(of tag: UInt16, in directory: Directory) -> String {
        if directory == .place { return "more of a place in EXIF than is known" }
        return names[tag] ?? "an EXIF tag that is not known to tell nothing (0x\(String(tag, radix: 16)))"
    }
}
