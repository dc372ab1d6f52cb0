import Submit
import SubmitRendition

/// Bytes to plant, made without any of our code.
enum Planted {
    static func big(_ number: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    static func little(_ number: Int, _ width: Int) -> [UInt8] { big(number, width).reversed() }

    /// A TIFF of one directory, with tags of any type.
    static func tiff(_ tags: [(tag: Int, type: Int, count: Int, value: [UInt8])], next: Int = 0) -> [UInt8] {
        var values: [UInt8] = []
        let start = 8 + 2 + tags.count * 12 + 4
        var directory = big(tags.count, 2)
        for tag in tags {
            directory += big(tag.tag, 2) + big(tag.type, 2) + big(tag.count, 4)
            if tag.value.count <= 4 {
                directory += tag.value + [UInt8](repeating: 0, count: 4 - tag.value.count)
            } else {
                directory += big(start + values.count, 4)
                values += tag.value + [UInt8](repeating: 0, count: tag.value.count % 2)
            }
        }
        return Array("MM\0*".utf8) + big(8, 4) + directory + big(next, 4) + values
    }

    static let orientation = (tag: 0x0112, type: 3, count: 1, value: [0, 1] as [UInt8])

    /// An EXIF directory behind IFD0, with one tag.
    static func exif(_ tag: Int, _ type: Int, _ value: [UInt8], count: Int? = nil) -> [UInt8] {
        var bytes = tiff([orientation, (0x8769, 4, 1, big(38, 4))])
        bytes += big(1, 2) + big(tag, 2) + big(type, 2) + big(count ?? value.count, 4)
        bytes += value.count <= 4 ? value + [UInt8](repeating: 0, count: 4 - value.count) : big(56, 4)
        bytes += big(0, 4)
        return value.count <= 4 ? bytes : bytes + value
    }

    static let gpsTIFF: [UInt8] = {
        var bytes = tiff([orientation, (0x8825, 4, 1, big(38, 4))])
        bytes += big(1, 2) + big(2, 2) + big(5, 2) + big(3, 4) + big(56, 4) + big(0, 4)
        return bytes + [35, 1, 7, 1, 1234, 100].flatMap { big($0, 4) }
    }()

    static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0xff, marker] + big(payload.count + 2, 2) + payload
    }

    static func exifSegment(_ tiff: [UInt8]) -> [UInt8] { segment(0xe1, Array("Exif\0\0".utf8) + tiff) }

    static let xmp = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
        <rdf:Description xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="35,7.4N"/></rdf:RDF></x:xmpmeta>
        """

    static let thumbnail: [UInt8] = [0xff, 0xd8, 0xff, 0xdb, 0, 2, 0xff, 0xd9]

    static let video =
        big(24, 4) + Array("ftypmp42\0\0\0\0mp42isom".utf8) + big(30, 4) + Array("moovudta.xyz+35.1+139.2/".utf8)

    /// Segments that tell something, with names.
    static let segments: [(name: String, bytes: [UInt8])] = [
        ("EXIF GPS", exifSegment(gpsTIFF)),
        ("XMP", segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))),
        (
            "extended XMP",
            segment(
                0xe1,
                Array("http://ns.adobe.com/xmp/extension/\0".utf8) + [UInt8](repeating: 0x41, count: 32) + big(90, 4)
                    + big(0, 4) + Array(xmp.utf8))
        ),
        (
            "IPTC",
            segment(
                0xed,
                Array("Photoshop 3.0\u{0}8BIM\u{4}\u{4}\0\0".utf8) + big(10, 4) + [0x1c, 2, 90] + big(5, 2)
                    + Array("Kyoto".utf8))
        ),
        ("thumbnail", exifSegment(tiff([orientation], next: 26) + tiff([orientation]).dropFirst(8) + thumbnail)),
        ("MPF", segment(0xe2, Array("MPF\0".utf8) + tiff([(0xb000, 7, 4, Array("0100".utf8))]))),
        ("comment", segment(0xfe, Array("at home".utf8))),
        ("empty comment", segment(0xfe, [])),
        ("maker note", exifSegment(exif(0x927c, 7, Array("Nikon\0 at home".utf8)))),
        ("serial number", exifSegment(exif(0xa431, 2, Array("1234567\0".utf8)))),
        ("lens serial number", exifSegment(exif(0xa435, 2, Array("1234567\0".utf8)))),
        ("serial number in a lens's name", exifSegment(exif(0xa434, 2, Array("1234567\0".utf8)))),
        ("owner", exifSegment(exif(0xa430, 2, Array("Alice\0".utf8)))),
        ("user comment", exifSegment(exif(0x9286, 7, Array("ASCII\0\0\0home".utf8)))),
        ("unknown tag", exifSegment(tiff([(0x4242, 3, 1, [1, 2])]))),
        ("slack in EXIF", exifSegment(tiff([orientation]) + Array("at home".utf8))),
        ("slack in an EXIF value", exifSegment(tiff([(0x0112, 3, 1, [0, 1, 7, 7])]))),
        ("zeros behind EXIF", exifSegment(tiff([orientation]) + [0, 0, 0, 0])),
        ("EXIF that is none", exifSegment(Array("at home, as always".utf8))),
        ("empty EXIF", exifSegment([])),
        ("long text", exifSegment(tiff([(0x8298, 2, 300, [UInt8](repeating: 0x41, count: 299) + [0])]))),
        ("unseen text", exifSegment(tiff([(0x8298, 2, 8, Array("a\u{200b}\u{200d}\0".utf8))]))),
        ("coordinates as copyright", exifSegment(tiff([(0x8298, 2, 18, Array("35.12345,139.1234\0".utf8))]))),
        ("ISO 6709 as artist", exifSegment(tiff([(0x013b, 2, 12, Array("+35.1+139.2\0".utf8))]))),
        ("no date", exifSegment(tiff([(0x0132, 2, 20, Array("at home, in the attic".utf8.prefix(20)))]))),
        ("JFIF thumbnail", segment(0xe0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 1, 1, 7, 7, 7])),
        ("JFXX", segment(0xe0, Array("JFXX\0".utf8) + [0x10] + thumbnail)),
        ("other APP0", segment(0xe0, Array("CIFF\0".utf8))),
        ("other APP1", segment(0xe1, Array("home".utf8))),
        ("other APP2", segment(0xe2, Array("FPXR\0".utf8))),
        ("APP3", segment(0xe3, Array("Meta\0\0".utf8))), ("APP4", segment(0xe4, Array("home".utf8))),
        ("APP10", segment(0xea, Array("AROT\0".utf8))), ("APP11", segment(0xeb, Array("JP\0\u{1}".utf8))),
        ("APP12", segment(0xec, Array("Ducky".utf8))), ("APP15", segment(0xef, Array("home".utf8))),
        ("other APP14", segment(0xee, Array("Adobe at home".utf8))),
        ("ICC of text", segment(0xe2, Array("ICC_PROFILE\0\u{1}\u{1}at home".utf8))),
        ("unknown marker", segment(0xf7, Array("home".utf8))),
    ]

    static let trailers: [(name: String, bytes: [UInt8])] = [
        ("motion photo", video), ("second picture", thumbnail), ("text", Array("home".utf8)), ("a byte", [0]),
        ("Samsung", Array("SEFH".utf8) + big(1, 4) + Array("SEFT".utf8)),
        ("end", [0xff, 0xd9]), ("text before an end", Array("home".utf8) + [0xff, 0xd9]),
    ]

    static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + payload
        var checksum: UInt32 = 0xffff_ffff
        for byte in body {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        return big(payload.count, 4) + body + big(Int(~checksum), 4)
    }

    static let chunks: [(name: String, bytes: [UInt8])] = [
        ("EXIF GPS", chunk("eXIf", gpsTIFF)), ("text", chunk("tEXt", Array("Comment\0home".utf8))),
        ("packed text", chunk("zTXt", Array("Comment\0\0".utf8) + [0x78, 0x9c, 3, 0, 0, 0, 0, 1])),
        ("XMP", chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(xmp.utf8))),
        ("EXIF as text", chunk("zTXt", Array("Raw profile type APP1\0\0".utf8) + [0x78, 0x9c, 3, 0, 0, 0, 0, 1])),
        ("date", chunk("tIME", [7, 0xe8, 5, 6, 7, 8, 9])), ("unknown", chunk("prVt", Array("home".utf8))),
        ("palette name", chunk("sPLT", Array("home\0\u{8}".utf8))), ("scale", chunk("sCAL", [1, 0x31, 0, 0x31])),
        ("offset", chunk("oFFs", big(35, 4) + big(139, 4) + [0])), ("histogram", chunk("hIST", [0, 1])),
        ("JPEG", chunk("eXIf", thumbnail)), ("maker note", chunk("eXIf", exif(0x927c, 7, Array("at home!".utf8)))),
        ("long gAMA", chunk("gAMA", Array("at home".utf8))), ("other profile", chunk("iCCP", Array("home\0\0".utf8))),
        ("Apple", chunk("iDOT", big(2, 4))), ("C2PA", chunk("caBX", Array("jumb".utf8))),
    ]

    static func riff(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        Array(type.utf8) + little(payload.count, 4) + payload + [UInt8](repeating: 0, count: payload.count % 2)
    }

    static let riffs: [(name: String, bytes: [UInt8])] = [
        ("EXIF GPS", riff("EXIF", gpsTIFF)),
        ("EXIF GPS with JPEG's head", riff("EXIF", Array("Exif\0\0".utf8) + gpsTIFF)),
        ("XMP", riff("XMP ", Array(xmp.utf8))), ("unknown", riff("HOME", Array("home".utf8))),
        ("maker note", riff("EXIF", exif(0x927c, 7, Array("at home!".utf8)))),
        ("serial number", riff("EXIF", exif(0xa431, 2, Array("1234567\0".utf8)))),
        ("padding", Array("EXIF".utf8) + little(27, 4) + tiff([orientation]) + [0, 7]),
        ("second picture", riff("VP8L", [0x2f, 0, 0, 0, 0, 0])), ("list", riff("LIST", Array("INFOICMT".utf8))),
    ]
}

extension ScanPhoto {
    /// Where parts begin: JPEG's markers up to the first scan, PNG's chunks, WebP's chunks; the first one is behind the
    /// head of the file.
    var parts: [Int] {
        var places: [Int] = []
        func number(_ place: Int, _ width: Int) -> Int { bytes[place..<place + width].reduce(0) { $0 << 8 | Int($1) } }
        switch type.filenameExtension {
        case "jpg":
            var place = 2
            while true {
                places.append(place)
                if bytes[place + 1] == 0xda { return places }
                place += 2 + number(place + 2, 2)
            }
        case "png":
            var place = 8 + 25
            while place < bytes.count {
                places.append(place)
                place += 12 + number(place, 4)
            }
        default:
            var place = 12
            while place < bytes.count {
                places.append(place)
                let length = bytes[place + 4..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
                place += 8 + length + length % 2
            }
            // Behind the header that comes first.
            if places.count > 1 { places.removeFirst() }
            places.append(bytes.count)
        }
        return places
    }

    func inserting(_ planted: [UInt8], at place: Int) -> ScanPhoto {
        var changed = bytes
        changed.insert(contentsOf: planted, at: place)
        if type.filenameExtension == "webp" {
            changed.replaceSubrange(4..<8, with: Planted.little(changed.count - 8, 4))
        }
        return with(changed)
    }

    func appending(_ planted: [UInt8]) -> ScanPhoto { with(bytes + planted) }

    /// A simple WebP as an extended one, in which other parts may stand.
    func extended(flags: UInt8) -> ScanPhoto {
        var bytes = bytes
        if bytes[12..<16].elementsEqual("VP8X".utf8) {
            bytes[20] |= flags
            return with(bytes)
        }
        return with(bytes).inserting(Planted.riff("VP8X", [flags, 0, 0, 0, 47, 0, 0, 33, 0, 0]), at: 12)
    }
}
