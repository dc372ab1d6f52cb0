/// The properties of a HEIF file's items (ISO/IEC 23008-12, 6.5), written anew.
struct CleanHEIFProperties {
    private let meta: CleanHEIFMeta
    private var boxes: [[UInt8]] = []
    /// By its number in the file: what became of it.
    private var numbers: [Int: Int] = [:]
    private var dropped: Set<Int> = []
    private var associations: [UInt8] = []
    private var count = 0

    init(_ meta: CleanHEIFMeta) { self.meta = meta }

    mutating func add(of item: Int, _ number: Int) throws(ReadingProblem) {
        var list: [UInt8] = []
        for association in meta.associations[item] ?? [] where association.property > 0 {
            guard meta.properties.indices.contains(association.property - 1) else {
                throw .damaged("a property of its picture is missing")
            }
            if numbers[association.property] == nil, !dropped.contains(association.property) {
                let box = meta.properties[association.property - 1]
                if let property = try Self.cleaned(box.name, Array(meta.bytes[box.content])) {
                    boxes.append(property)
                    numbers[association.property] = boxes.count
                } else {
                    dropped.insert(association.property)
                }
            }
            guard let property = numbers[association.property] else {
                if association.isEssential { throw .damaged("its picture has a property of an unknown kind") }
                continue
            }
            guard property < 0x8000 else { throw .damaged("it has too many parts") }
            list.append(bigEndian: property | (association.isEssential ? 0x8000 : 0), width: 2)
        }
        associations.append(bigEndian: number, width: 2)
        associations += [UInt8(list.count / 2)] + list
        count += 1
    }

    /// `iprp`.
    var bytes: [UInt8] {
        let head: [UInt8] = [0, 0, 0, 1] + CleanHEIF.number(count, 4)
        return .box("iprp", .box("ipco", boxes.flatMap { $0 }) + .box("ipma", head + associations))
    }

    /// How many bytes those have that are numbers and nothing else.
    static let lengths: [String: Int] = [
        "ispe": 12, "irot": 1, "imir": 1, "clap": 32, "pasp": 8, "clli": 4, "mdcv": 24, "a1op": 1, "lsel": 2, "amve": 8,
        "ndwt": 8,
    ]

    private static func cleaned(_ name: String, _ content: [UInt8]) throws(ReadingProblem) -> [UInt8]? {
        let clean: [UInt8]?
        switch name {
        case "hvcC": clean = try CleanCodecSettings.hevc(content).settings
        case "avcC": clean = try CleanCodecSettings.avc(content).settings
        case "av1C": clean = try CleanCodecSettings.av1(content)
        case "colr": clean = color(content)
        case "auxC": clean = alpha(content)
        case "pixi":
            let length = 5 + (try content.number(4, 1, in: content.indices))
            // What else may be said of the channels goes, and so does that it is there.
            clean = content.count >= length ? [0, 0, 0, 0] + content[4..<length] : nil
        case "a1lx":
            let length = try content.number(0, 1, in: content.indices) & 1 == 0 ? 7 : 13
            clean = content.count >= length ? Array(content[..<length]) : nil
        default:
            guard let length = lengths[name] else { return nil }
            guard content.count >= length else { throw .damaged("a box is too short") }
            clean = Array(content[..<length])
        }
        return clean.map { .box(name, $0) }
    }

    /// `colr` (ISO/IEC 14496-12, 12.1.5).
    static func color(_ content: [UInt8]) -> [UInt8]? {
        switch String(decoding: content.prefix(4), as: UTF8.self) {
        case "nclx": content.count >= 11 ? Array(content[..<10]) + [content[10] & 0x80] : nil
        case "prof", "rICC": CleanColorProfile.bytes(Array(content[4...])).map { Array("prof".utf8) + $0 }
        default: nil
        }
    }

    /// `auxC` of a picture that says what is transparent of another one.
    static func alpha(_ content: [UInt8]) -> [UInt8]? {
        let names = [
            "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1",
        ]
        return names.map { [0, 0, 0, 0] + Array($0.utf8) + [0] }.first { content.starts(with: $0) }
    }

    /// How an item's picture is cut into units; `nil` where it is not.
    static func units(of item: Int, _ meta: CleanHEIFMeta) throws(ReadingProblem) -> CleanCodecSettings.Units? {
        for association in meta.associations[item] ?? []
        where meta.properties.indices.contains(association.property - 1) {
            let box = meta.properties[association.property - 1]
            guard ["hvcC", "avcC"].contains(box.name) else { continue }
            guard box.content.count <= 1 << 16 else { throw .damaged("its codec has settings that are none") }
            if box.name == "hvcC" { return try CleanCodecSettings.hevc(Array(meta.bytes[box.content])).units }
            return try CleanCodecSettings.avc(Array(meta.bytes[box.content])).units
        }
        return nil
    }
}
