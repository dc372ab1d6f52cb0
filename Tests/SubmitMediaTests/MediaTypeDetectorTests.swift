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
    ]

    @Test(arguments: known.indices)
    func `each known format is recognised by its content`(row: Int) throws {
        let (head, fileExtension, mime) = Self.known[row]
        let type = try #require(Self.type(head, fileExtension))
        #expect(type.mime == mime)
        #expect(type.kind == (mime.hasPrefix("video/") ? .video : .photo))
        #expect(!type.filenameExtension.isEmpty)
    }

    @Test(
        arguments: [
            ([], "jpg"), (Array("hello world, this is text".utf8), "jpg"), (Array("%PDF-1.7".utf8), "pdf"),
            (Array("RIFF\0\0\0\0WAVEfmt ".utf8), "avi"), (ftyp("M4A ", "mp42"), "m4a"), (ftyp("isom", "mp42"), "m4a"),
            (ftyp("zzzz", "yyyy"), "xyz"), (matroska("matroska"), "mka"), (matroska("other"), "mkv"),
            (Array("\0\0\0\u{8}free\0\0\0\u{8}text".utf8), "mov"), ([0xff, 0xd8], "jpg"), (Array("MM".utf8), "tif"),
            (Array("II*".utf8), "nef"), ([0x1a, 0x45, 0xdf, 0xa3], "mkv"),
        ] as [([UInt8], String)])
    func `what is no photo or video is not recognised, whatever it is called`(head: [UInt8], fileExtension: String) {
        #expect(Self.type(head, fileExtension) == nil)
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
            }
        }
    }
}
