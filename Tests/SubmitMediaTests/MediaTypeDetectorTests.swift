import Submit
import SubmitMedia
import Testing

@Suite struct MediaTypeDetectorTests {
    private static func type(_ head: [UInt8], _ fileExtension: String = "") -> MediaType? {
        MediaTypeDetector.type(of: head.span, fileExtension: fileExtension)
    }

    /// A `ftyp` box.
    private static func ftyp(_ major: String, _ compatible: String...) -> [UInt8] {
        let content = Array(("ftyp" + major + "\0\0\0\0" + compatible.joined()).utf8)
        return [0, 0, 0, UInt8(content.count + 4)] + content + [0, 0, 0, 8] + Array("mdat".utf8)
    }

    /// A little-endian TIFF whose first directory has one entry.
    private static func tiff(tag: UInt16 = 0x100) -> [UInt8] {
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, UInt8(tag & 0xff), UInt8(tag >> 8)] + [UInt8](repeating: 0, count: 14)
    }

    private static func matroska(_ type: String) -> [UInt8] {
        let content: [UInt8] = [0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 | UInt8(type.utf8.count)] + Array(type.utf8)
        return [0x1a, 0x45, 0xdf, 0xa3, 0x01, 0, 0, 0, 0, 0, 0, UInt8(content.count)] + content
    }

    private static let known: [(head: [UInt8], fileExtension: String, mime: String)] = [
        ([0xff, 0xd8, 0xff, 0xe1], "jpg", "image/jpeg"),
        ([0xff, 0xd8, 0xff, 0xdb], "png", "image/jpeg"),
        ([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], "", "image/png"),
        (Array("GIF89a".utf8), "", "image/gif"),
        (Array("GIF87a".utf8), "", "image/gif"),
        (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), "", "image/webp"),
        (Array("RIFF\0\0\0\0AVI LIST".utf8), "", "video/x-msvideo"),
        (ftyp("heic", "mif1", "heic"), "", "image/heic"),
        (ftyp("mif1", "mif1", "heic"), "jpg", "image/heic"),
        (ftyp("mif1", "avif", "miaf"), "", "image/avif"),
        (ftyp("mif1", "miaf"), "", "image/heif"),
        (ftyp("avif", "mif1"), "", "image/avif"),
        (ftyp("crx ", "crx ", "isom"), "", "image/x-canon-cr3"),
        (ftyp("qt  "), "mp4", "video/quicktime"),
        (ftyp("isom", "iso2", "avc1"), "", "video/mp4"),
        (ftyp("mp42", "isom"), "MOV", "video/quicktime"),
        (ftyp("isom"), "jpg", "video/mp4"),
        (ftyp("M4V ", "mp42"), "", "video/x-m4v"),
        (ftyp("3gp5", "isom"), "", "video/3gpp"),
        (ftyp("3g2a", "isom"), "", "video/3gpp2"),
        (ftyp("caqv", "mp42"), "mov", "video/quicktime"),
        (ftyp("caqv", "xxxx"), "mov", "video/quicktime"),
        (ftyp("zzzz", "yyyy", "heic"), "", "image/heic"),
        (Array("\0\0\0\u{8}wide\0\0\u{1}\0mdat".utf8), "", "video/quicktime"),
        (Array("\0\0\u{1}\0moov\0\0\0\u{6c}mvhd".utf8), "mov", "video/quicktime"),
        (Array("\0\0\0\u{1}mdat\0\0\0\0".utf8), "mp4", "video/mp4"),
        (matroska("webm"), "", "video/webm"),
        (matroska("matroska"), "webm", "video/x-matroska"),
        (tiff(), "", "image/tiff"),
        (tiff(), "tiff", "image/tiff"),
        (tiff(), "jpg", "image/tiff"),
        (tiff(tag: 0xc612), "tif", "image/x-adobe-dng"),
        (tiff(), "NEF", "image/x-nikon-nef"),
        (tiff(), "nrw", "image/x-nikon-nrw"),
        (tiff(), "arw", "image/x-sony-arw"),
        (tiff(), "sr2", "image/x-sony-sr2"),
        (tiff(), "pef", "image/x-pentax-pef"),
        (tiff(), "srw", "image/x-samsung-srw"),
        (tiff(), "3fr", "image/x-hasselblad-3fr"),
        (tiff(), "fff", "image/x-hasselblad-fff"),
        (tiff(), "kdc", "image/x-kodak-kdc"),
        (tiff(), "dcr", "image/x-kodak-dcr"),
        (tiff(), "erf", "image/x-epson-erf"),
        (tiff(), "mef", "image/x-mamiya-mef"),
        (tiff(), "mos", "image/x-leaf-mos"),
        (Array("MM\0*\0\0\0\u{8}".utf8), "dng", "image/x-adobe-dng"),
        ([0x49, 0x49, 43, 0, 8, 0, 0, 0], "", "image/tiff"),
        (Array("II*\0\u{10}\0\0\0CR\u{2}\0".utf8), "tif", "image/x-canon-cr2"),
        (Array("II*\0\0\0\0\0IIII".utf8), "tif", "image/x-phaseone-iiq"),
        (Array("IIU\0\u{8}\0\0\0".utf8), "rw2", "image/x-panasonic-rw2"),
        (Array("IIU\0\u{8}\0\0\0".utf8), "rwl", "image/x-leica-rwl"),
        (Array("IIRO\u{8}\0\0\0".utf8), "", "image/x-olympus-orf"),
        (Array("MMOR\0\0\0\u{8}".utf8), "", "image/x-olympus-orf"),
        (Array("FUJIFILMCCD-RAW 0201".utf8), "", "image/x-fuji-raf"),
        (Array("FOVb\0\0\0\0".utf8), "", "image/x-sigma-x3f"),
        (Array("\0MRM\0\0\0\0".utf8), "", "image/x-minolta-mrw"),
        (Array("II\u{1a}\0\0\0HEAPCCDR\u{2}\0\u{1}\0".utf8), "", "image/x-canon-crw"),
        (Array("8BPS\0\u{1}\0\0\0\0\0\0\0\u{3}".utf8), "", "image/vnd.adobe.photoshop"),
        (Array("8BPS\0\u{2}\0\0\0\0\0\0\0\u{3}".utf8), "", "image/vnd.adobe.photoshop"),
        ([0, 0, 0, 12] + "JXL \r\n".utf8 + [0x87, 10, 0, 0, 0, 20] + "ftypjxl ".utf8, "", "image/jxl"),
        ([0xff, 0x0a, 0x7a, 0x1f, 0x4c], "JXL", "image/jxl"),
        (jpeg2000("jp2 "), "", "image/jp2"), (jpeg2000("jpx "), "", "image/jpx"), (jpeg2000("mjp2"), "", "video/mj2"),
        ([0xff, 0x4f, 0xff, 0x51, 0, 47], "jpg", "image/j2c"),
        (bitmap(header: 40), "", "image/bmp"), (bitmap(header: 124), "jpg", "image/bmp"),
        (bitmap(header: 12), "", "image/bmp"),
        (Array("RIFF\0\0\0\0WAVEfmt ".utf8), "avi", "audio/wav"),
        ("RF64".utf8 + [0xff, 0xff, 0xff, 0xff] + "WAVEds64".utf8, "", "audio/wav"),
        (windowsMedia(.video), "", "video/x-ms-wmv"), (windowsMedia(.video), "asf", "video/x-ms-asf"),
        (windowsMedia(.described(later: true)), "wmv", "video/x-ms-wmv"),
        (transport(188), "", "video/mp2t"), (transport(188, packets: 5), "jpg", "video/mp2t"),
        (transport(192), "MTS", "video/mp2t"), (transport(192), "", "video/mp2t"),
        (sparse(188), "ts", "video/mp2t"), (sparse(192), "MTS", "video/mp2t"), (sparse(192), "", "video/mp2t"),
        (bitmap(header: 40, holding: 4), "", "image/bmp"), (bitmap(header: 124, holding: 5), "", "image/bmp"),
        ([0, 0, 1, 0xba, 0x44, 0, 4, 0, 4, 1, 0, 0x89, 0xc3, 0xf8, 0, 0, 1, 0xbb], "", "video/mpeg"),
        ([0, 0, 1, 0xba, 0x21, 0, 1, 0, 1, 0x80, 0x1b, 0x91, 0, 0, 1, 0xbb], "vob", "video/mpeg"),
        ([0, 0, 1, 0xb3, 0x14, 0, 0xf0, 0x13, 0xff, 0xff, 0xe0, 0x18, 0, 0, 1, 0xb8], "", "video/mpeg"),
        ([0x06, 0x0e, 0x2b, 0x34, 2, 5, 1, 1, 0x0d, 1, 2, 1, 1, 2, 4, 0], "", "application/mxf"),
        (Array("FLV\u{1}\u{5}\0\0\0\u{9}\0\0\0\0".utf8), "", "video/x-flv"),
        (Array("\0\0\u{1}\0RED2".utf8), "", "video/x-red-r3d"),
        ([0x76, 0x2f, 0x31, 1, 2, 0, 0, 0], "", "image/x-exr"),
        (Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n".utf8), "", "image/vnd.radiance"),
        (Array("P6\n# made by hand\n640 480\n255\n".utf8), "", "image/x-portable-pixmap"),
        (Array("P5 640 480 65535\n".utf8), "", "image/x-portable-graymap"),
        (Array("P4\n640 480\n".utf8), "", "image/x-portable-bitmap"),
        ([0x49, 0x49, 0xbc, 1, 8, 0, 0, 0, 1, 0], "", "image/jxr"),
        // Padding that is longer than what is looked at.
        ([0, 1, 0, 0] + "free".utf8 + [UInt8](repeating: 0, count: 4088), "mov", "video/quicktime"),
        ([0, 1, 0, 0] + "skip".utf8 + [UInt8](repeating: 0, count: 4088), "mp4", "video/mp4"),
        ([0, 0, 0, 16] + "ftypmif3avif".utf8 + [0, 0, 0, 8] + "mini".utf8, "", "image/avif"),
    ]

    private static func jpeg2000(_ brand: String) -> [UInt8] {
        [0, 0, 0, 12] + "jP  \r\n".utf8 + [0x87, 10, 0, 0, 0, 20] + "ftyp\(brand)".utf8
    }

    /// - Parameter embedded: 4 for a JPEG instead of pixels, 5 for a PNG.
    private static func bitmap(header: UInt8, planes: UInt8 = 1, holding embedded: UInt8? = nil) -> [UInt8] {
        let size: [UInt8] = header == 12 ? [8, 0, 8, 0] : [8, 0, 0, 0, 8, 0, 0, 0]
        return Array("BM".utf8) + [0, 1, 0, 0, 0, 0, 0, 0, header + 14, 0, 0, 0, header, 0, 0, 0] + size
            + [planes, 0, embedded == nil ? 24 : 0, 0, embedded ?? 0] + [UInt8](repeating: 0, count: Int(header))
    }

    private enum Streams {
        case video, audio
        case described(later: Bool)
    }

    /// An ASF header with what describes one stream.
    private static func windowsMedia(_ streams: Streams) -> [UInt8] {
        let header: [UInt8] = [
            0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c,
        ]
        let properties: [UInt8] = [
            0x91, 0x07, 0xdc, 0xb7, 0xb7, 0xa9, 0xcf, 0x11, 0x8e, 0xe6, 0, 0xc0, 0x0c, 0x20, 0x53, 0x65,
        ]
        let video: [UInt8] = [
            0xc0, 0xef, 0x19, 0xbc, 0x4d, 0x5b, 0xcf, 0x11, 0xa8, 0xfd, 0, 0x80, 0x5f, 0x5c, 0x44, 0x2b,
        ]
        let audio: [UInt8] = [0x40, 0x9e, 0x69, 0xf8] + video[4...]
        let other = [UInt8](repeating: 7, count: 16) + [64, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 40)
        let described: [UInt8] =
            switch streams {
            case .video: other + properties + [40, 0, 0, 0, 0, 0, 0, 0] + video
            case .audio: other + properties + [40, 0, 0, 0, 0, 0, 0, 0] + audio
            case .described: other
            }
        let isLong = if case .described(true) = streams { true } else { false }
        return header + [UInt8(30 + described.count), isLong ? 0x20 : 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 2] + described
    }

    /// Packets of one stream, after a table of the programs where they are counted.
    private static func transport(_ size: Int, packets: Int = 21, isCounted: Bool = true) -> [UInt8] {
        (0..<packets).flatMap { number -> [UInt8] in
            let head: [UInt8] =
                number == 0 && isCounted
                ? [0x47, 0x40, 0, 0x10] : [0x47, 1, 0, 0x10 | UInt8(isCounted ? number & 0x0f : 5)]
            return [UInt8](repeating: 0x47, count: size - 188) + head + [UInt8](repeating: 0x47, count: 184)
        }
    }

    /// One packet of a film, then packets that only fill the stream.
    private static func sparse(_ size: Int) -> [UInt8] {
        let film: [UInt8] = [0x47, 0x50, 0x11, 0x10, 0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0]
        let heads = [film] + [[UInt8]](repeating: [0x47, 0x1f, 0xff, 0x1c], count: 20)
        return heads.flatMap { head in
            [UInt8](repeating: 0, count: size - 188) + head + [UInt8](repeating: 0xff, count: 188 - head.count)
        }
    }

    @Test(arguments: known.indices)
    func `each known format is recognised by its content`(row: Int) throws {
        let (head, fileExtension, mime) = Self.known[row]
        let type = try #require(Self.type(head, fileExtension))
        #expect(type.mime == mime)
        #expect(
            type.kind
                == (mime.hasPrefix("video/") || mime.hasSuffix("mxf")
                    ? .video : mime.hasPrefix("audio/") ? .other : .photo))
        #expect(!type.filenameExtension.isEmpty)
    }

    @Test(
        arguments: [
            ([], "jpg"), (Array("hello world, this is text".utf8), "jpg"), (Array("%PDF-1.7".utf8), "pdf"),
            (Array("RIFF\0\0\0\0sfbkLIST".utf8), "avi"), (ftyp("M4A ", "mp42"), "m4a"), (ftyp("isom", "mp42"), "m4a"),
            (ftyp("zzzz", "yyyy"), "xyz"), (matroska("matroska"), "mka"), (matroska("other"), "mkv"),
            (Array("\0\0\0\u{8}free\0\0\0\u{8}text".utf8), "mov"), ([0xff, 0xd8], "jpg"), (Array("MM".utf8), "tif"),
            (Array("II*".utf8), "nef"), ([0x1a, 0x45, 0xdf, 0xa3], "mkv"),
            (windowsMedia(.audio), "wma"), (windowsMedia(.described(later: false)), "wmv"),
            (windowsMedia(.described(later: true)), "wma"), ([0xff, 0x0a, 0x7a], "jpg"),
            (Array("BM is what a text on bitmaps begins with, and goes on".utf8), "bmp"),
            (bitmap(header: 40, planes: 2), "bmp"), (Array("8BPS\0\u{3}\0\0\0\0\0\0".utf8), "psd"),
            // Too few packets, rows that are all the same, rows of one colour, text.
            (transport(188, packets: 4), "ts"), (transport(188, isCounted: false), "ts"),
            (Array(sparse(188).prefix(4 * 188)), "ts"), ((0..<1024).flatMap { _ in [0x47, 0x1f, 0xff, 0x10] }, "ts"),
            (bitmap(header: 40, holding: 6), "bmp"),
            (transport(192, isCounted: false), "mts"), ([UInt8](repeating: 0x47, count: 4096), "ts"),
            (Array(String(repeating: "G" + String(repeating: "o", count: 187), count: 21).utf8), "ts"),
            (Array(String(repeating: "import G from 'g';\n", count: 200).utf8), "ts"),
            ([0, 0, 1, 0xba, 0x80, 0, 4, 0, 4, 1, 0, 0x89, 0xc3, 0xf8, 0, 0, 1, 0xbb], "mpg"),
            ([0, 0, 1, 0xb3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xb8], "mpg"),
            (Array("P6 is the name of a processor\n".utf8), "ppm"), (Array("P5\n640 0 255\n".utf8), "pgm"),
            (Array("P6640 480 255\n".utf8), "ppm"),
            ([0, 1, 0, 0] + "free".utf8 + [UInt8](repeating: 0, count: 4088), "bin"),
        ] as [([UInt8], String)])
    func `what is no photo or video is not recognised, whatever it is called`(head: [UInt8], fileExtension: String) {
        #expect(Self.type(head, fileExtension) == nil)
    }

    @Test func `bytes drawn at random are nothing, whatever they are called`() {
        var generator = SeededBytes(state: 22)
        let names = ["", "ts", "mts", "mpg", "wmv", "bmp", "psd", "jp2", "crw", "wav", "xmp", "aae", "thm"]
        for round in 0..<2000 {
            let head = (0..<512).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
            let name = names[round % names.count]
            #expect(Self.type(head, name) == nil && Sidecar(head: head.span, fileExtension: name) == nil)
        }
    }

    /// SplitMix64, so that each run draws the same.
    private struct SeededBytes {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }

    @Test func `broken beginnings are read within their bounds`() {
        var generator = SystemRandomNumberGenerator()
        for (head, fileExtension, _) in Self.known {
            for length in 0...head.count {
                _ = Self.type(Array(head.prefix(length)), fileExtension)
            }
            for _ in 0..<200 {
                var broken = head
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    broken[Int.random(in: broken.indices, using: &generator)] = UInt8.random(in: 0...255)
                }
                _ = Self.type(broken, fileExtension)
                _ = Self.type(broken + [UInt8](repeating: 0xff, count: 64), fileExtension)
                _ = Sidecar(head: broken.span, fileExtension: fileExtension)
            }
        }
    }
}
