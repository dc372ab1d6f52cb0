import Foundation
import Submit
import Testing

@testable import SubmitMedia

@Suite struct PhotoMetadataTests {
    private static let media = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Media")

    private static let date = "2024:05:17 18:42:07"
    private static let told = CaptureTime("2024-05-17T18:42:07")

    private func captureTime(_ content: [UInt8], _ fileExtension: String = "") -> CaptureTime? {
        let type = MediaTypeDetector.type(of: content.span, fileExtension: fileExtension) ?? .other
        return CaptureMetadata.captureTime(FileRegion(content), type)
    }

    @Test(arguments: [
        ("harbour.jpg", "2024-05-17T18:42:07+02:00"), ("harbour-portrait.jpg", "2024-05-18T07:03:00"),
        ("garden.heic", "2023-11-02T09:15:30"), ("still.avif", "2023-12-24T15:30:00"),
        ("scan.tiff", "2019-03-08T11:20:00"), ("raw.dng", "2024-02-29T12:00:00"),
        ("lamp.png", "2022-01-31T23:59:59"), ("leaf.webp", "2023-10-14T16:20:05"),
    ])
    func `as much of a file's beginning as was read changes nothing`(name: String, date: String) throws {
        let path = Self.media.appending(path: name).path
        let content = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let type = MediaTypeDetector.type(of: content.span, fileExtension: "") ?? .other
        for count in [0, 64, 4096, 256 << 10] {
            let time = content.withUnsafeBytes {
                CaptureMetadata.captureTime(of: descriptor, type: type, head: .init(rebasing: $0.prefix(count)))
            }
            #expect(time == CaptureTime(date))
        }
    }

    @Test func `metadata of a JPEG counts behind large segments, other EXIF and stray bytes`() {
        let filling = Example.segment(Array(repeating: 1, count: 65_000))
        let padding = Array([[UInt8]](repeating: filling, count: 5).joined())
        for photo in [Example.jpeg(exif: [(0x9003, Self.date)]), Example.jpeg(xmpDate: "2024-05-17T18:42:07")] {
            for between in [
                padding, Example.segment([]) + [0, 0, 0], [0xff, 0xff, 0xff], Example.segment(Array("Exif\0\0no".utf8)),
            ] {
                #expect(captureTime([0xff, 0xd8] + between + photo[2...]) == Self.told)
            }
        }
        // Behind the beginning of the picture stands none.
        #expect(captureTime([0xff, 0xd8, 0xff, 0xda, 0, 2] + Example.jpeg(exif: [(0x9003, Self.date)])[2...]) == nil)
    }

    @Test(arguments: [
        ("IIRO", "orf", "image/x-olympus-orf"), ("IIRS", "orf", "image/x-olympus-orf"),
        ("MMOR", "orf", "image/x-olympus-orf"), ("IIU\0", "rw2", "image/x-panasonic-rw2"),
        ("MM\0*", "nef", "image/x-nikon-nef"), ("II*\0", "srw", "image/x-samsung-srw"),
        ("II*\0", "3fr", "image/x-hasselblad-3fr"), ("MM\0+", "tif", "image/tiff"), ("II+\0", "dng", "image/tiff"),
    ])
    func `raw formats built on TIFF tell their dates`(magic: String, fileExtension: String, mime: String) {
        let photo = Example.tiff(magic: magic, image: [(0x0132, "2001:01:01 00:00:00")], photo: [(0x9003, Self.date)])
        let type = MediaTypeDetector.type(of: photo.span, fileExtension: fileExtension)
        #expect(type?.mime == mime)
        #expect(captureTime(photo, fileExtension) == Self.told)
        let edited = Example.tiff(
            magic: magic, image: [(0x0132, "2001:01:01 00:00:00"), (0x02bc, Example.xmp("2024-05-17T18:42:07"))])
        #expect(captureTime(edited, fileExtension) == Self.told)
    }

    @Test func `raw formats that hold EXIF elsewhere tell their dates`() {
        let jpeg = Example.jpeg(exif: [(0x9003, Self.date)])
        let raf =
            Array("FUJIFILMCCD-RAW ".utf8) + Example.big(0, 68) + Example.big(100, 4)
            + Example.big(jpeg.count, 4) + Example.big(0, 8) + jpeg
        #expect(captureTime(raf) == Self.told)
        let early = Example.tiff(
            magic: "IIU\0", image: [(0x002e, String(decoding: jpeg.map { _ in 65 }, as: UTF8.self))])
        let place = early.firstIndex(of: 65)!
        #expect(captureTime(early[..<place] + jpeg + early[(place + jpeg.count)...], "rw2") == Self.told)
        let structure = Example.tiff(magic: "MM\0*", photo: [(0x9003, Self.date)])
        let block = Array("\0TTW".utf8) + Example.big(structure.count, 4) + structure
        #expect(captureTime(Array("\0MRM".utf8) + Example.big(block.count, 4) + block) == Self.told)
        let canon: [UInt8] = [
            0x85, 0xc0, 0xb6, 0x87, 0x82, 0x0f, 0x11, 0xe0, 0x81, 0x11, 0xf4, 0xce, 0x46, 0x2b, 0x6a, 0x48,
        ]
        let photo = Example.tiff(magic: "II*\0", image: [(0x9003, Self.date)])
        let cr3 =
            Example.box("ftyp", Array("crx \0\0\0\u{1}crx isom".utf8))
            + Example.box("moov", Example.box("uuid", canon + Example.box("CMT2", photo)))
        #expect(captureTime(cr3) == Self.told)
    }

    @Test func `containers of EXIF and XMP tell their dates`() {
        let structure = Example.tiff(magic: "MM\0*", photo: [(0x9003, Self.date)])
        let packet = Array(Example.xmp("2024-05-17T18:42:07").utf8)
        let jxl = [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0a]
        #expect(captureTime(jxl + Example.box("Exif", Example.big(0, 4) + structure)) == Self.told)
        #expect(captureTime(jxl + Example.box("xml ", packet)) == Self.told)
        let jp2 =
            [0, 0, 0, 12] + Array("jP  \r\n".utf8) + [0x87, 0x0a] + Example.box("ftyp", Array("jp2 \0\0\0\0jp2 ".utf8))
        #expect(captureTime(jp2 + Example.box("uuid", Array("JpgTiffExif->JP2".utf8) + structure)) == Self.told)
        let xmp: [UInt8] = [
            0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac,
        ]
        #expect(captureTime(jp2 + Example.box("uuid", xmp + packet)) == Self.told)
        func psd(_ id: Int, _ content: [UInt8]) -> [UInt8] {
            let resource = Array("8BIM".utf8) + Example.big(id, 2) + [0, 0] + Example.big(content.count, 4) + content
            return Array("8BPS\0\u{1}".utf8) + Example.big(0, 20) + Example.big(0, 4)
                + Example.big(resource.count, 4) + resource
        }
        #expect(captureTime(psd(1058, structure)) == Self.told)
        #expect(captureTime(psd(1060, packet)) == Self.told)
    }

    @Test func `texts of a PNG tell dates, packed too`() {
        let structure = Example.tiff(magic: "MM\0*", photo: [(0x9003, Self.date)])
        let packet = Array(Example.xmp("2024-05-17T18:42:07").utf8)
        func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
            Array("\nexif\n  \(bytes.count)\n".utf8)
                + Array(bytes.map { String(format: "%02x", $0) }.joined(separator: "\n").utf8)
        }
        for (type, text) in [
            ("tEXt", Array("Raw profile type exif\0".utf8) + hexadecimal(structure)),
            (
                "zTXt",
                Array("Raw profile type APP1\0\0".utf8)
                    + Example.stored(hexadecimal(Array("Exif\0\0".utf8) + structure))
            ),
            ("tEXt", Array("Raw profile type xmp\0".utf8) + hexadecimal(packet)),
            ("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + packet),
            ("iTXt", Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + Example.stored(packet)),
            ("eXIf", structure), ("eXIf", Array("Exif\0\0".utf8) + structure),
        ] {
            let png =
                [0x89] + Array("PNG\r\n\u{1a}\n".utf8) + Example.big(0, 4) + Array("IDAT".utf8) + Example.big(0, 4)
                + Example.big(text.count, 4) + Array(type.utf8) + text + Example.big(0, 4)
            #expect(captureTime(png) == Self.told, "\(type)")
        }
    }

    @Test(arguments: [(UInt8(0), 1), (0, 3), (1, 1), (1, 2)])
    func `items of a HEIC may be in pieces, and in their list`(method: UInt8, pieces: Int) {
        let item = Example.big(0, 4) + Example.tiff(magic: "MM\0*", photo: [(0x9003, Self.date)])
        let infos =
            Example.big(0, 4) + Example.big(1, 2)
            + Example.box("infe", [2, 0, 0, 0, 0, 7, 0, 0] + Array("Exif\0".utf8))
        // Behind `ftyp` stand the bytes, in `free`, then the lists.
        let start = method == 0 ? 20 + 8 : 0
        let size = (item.count + pieces - 1) / pieces
        let extents = (0..<pieces).flatMap {
            Example.big(start + $0 * size, 4) + Example.big(min(size, item.count - $0 * size), 4)
        }
        let places =
            [1, 0, 0, 0, 0x44, 0] + Example.big(1, 2) + Example.big(7, 2) + [0, method] + Example.big(0, 2)
            + Example.big(pieces, 2) + extents
        let heic =
            Example.box("ftyp", Array("heic\0\0\0\0heic".utf8)) + Example.box("free", method == 0 ? item : [])
            + Example.box(
                "meta",
                Example.big(0, 4) + Example.box("iinf", infos) + Example.box("iloc", places) + Example.box("idat", item)
            )
        #expect(captureTime(heic) == Self.told)
    }

    @Test func `broken photos are survived`() throws {
        let names = [
            "harbour.jpg", "lamp.png", "leaf.webp", "blink.gif", "scan.tiff", "raw.dng", "garden.heic", "still.avif",
        ]
        let structure = Example.tiff(magic: "IIU\0", photo: [(0x9003, Self.date)])
        let packet = Array(Example.xmp("2024-05-17T18:42:07").utf8)
        let photos =
            try names.map { [UInt8](try Data(contentsOf: Self.media.appending(path: $0))) } + [
                structure, Example.tiff(magic: "MM\0+", image: [(0x02bc, Example.xmp("2024-05-17T18:42:07"))]),
                Array("II\u{1a}\0\0\0HEAPCCDR".utf8) + Example.big(0, 64),
                Array("FUJIFILMCCD-RAW ".utf8) + Example.big(0, 68) + Example.big(100, 8)
                    + Example.jpeg(xmpDate: "2024-05-17T18:42:07"),
                [0, 0, 0, 12] + Array("JXL \r\n".utf8) + [0x87, 0x0a] + Example.box("xml ", packet),
            ]
        for photo in photos {
            for number in 0..<200 {
                var broken = photo
                let most = number % 2 == 0 ? min(2048, broken.count) : broken.count
                for _ in 0..<Int.random(in: 1...4) {
                    broken[Int.random(in: 4..<most)] = [0, 1, 4, 0x7f, 0xff, .random(in: 0...255)].randomElement()!
                }
                if number % 10 == 0 { broken.removeSubrange(Int.random(in: 4..<broken.count)...) }
                if let time = captureTime(broken) { #expect((1826...2100).contains(time.year)) }
            }
        }
    }
}
