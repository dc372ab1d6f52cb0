import Foundation
import Glibc
import Submit
import Testing

@testable import SubmitMedia

/// What is read here against what libgexiv2 tells of the same bytes.
@Suite struct CaptureFindingTests {
    private static let media = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Media")

    /// A file with this content, which has no name any more, and its first bytes.
    private func with<Value>(
        _ content: [UInt8], head: Int = 256 << 10, _ body: (CInt, MediaType, MediaSource) throws -> Value
    ) throws -> Value {
        var name = Array("/tmp/submit-finding-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        defer { close(descriptor) }
        unlink(name)
        try #require(write(descriptor, content, content.count) == content.count)
        let type = MediaTypeDetector.type(of: content.span, fileExtension: "") ?? .other
        return try content.withUnsafeBytes {
            let head = UnsafeRawBufferPointer(rebasing: $0.prefix(head))
            return try body(descriptor, type, MediaSource(head: head, file: try #require(FileRegion(descriptor))))
        }
    }

    private func finding(_ content: [UInt8], head: Int = 256 << 10) throws -> CaptureFinding {
        try with(content, head: head) { CaptureMetadata.finding($2, $1) }
    }

    @Test(arguments: [
        ("harbour.jpg", "2024-05-17T18:42:07+02:00"), ("harbour-portrait.jpg", "2024-05-18T07:03:00"),
        ("garden.heic", "2023-11-02T09:15:30"), ("still.avif", "2023-12-24T15:30:00"),
        ("scan.tiff", "2019-03-08T11:20:00"), ("raw.dng", "2024-02-29T12:00:00"),
    ])
    func `camera files are read without a library`(name: String, date: String) throws {
        let content = [UInt8](try Data(contentsOf: Self.media.appending(path: name)))
        for head in [0, 4096, 256 << 10] where name.hasSuffix("jpg") ? head > 4096 : true {
            #expect(try finding(content, head: head) == .told(CaptureTime(date)))
        }
    }

    @Test func `a date that XMP tells better is left to the library`() throws {
        let later = [(UInt16(0x9004), "2020:01:02 03:04:05")]
        #expect(try finding(Example.jpeg(exif: later)) == .told(CaptureTime("2020-01-02T03:04:05")))
        #expect(try finding(Example.jpeg(exif: later, xmpDate: "2019-02-03T04:05:06Z")) == .undecided)
        let first = [(UInt16(0x9003), "2020:01:02 03:04:05")]
        #expect(
            try finding(Example.jpeg(exif: first, xmpDate: "2019-02-03T04:05:06Z"))
                == .told(CaptureTime("2020-01-02T03:04:05")))
    }

    @Test func `of a head that ends before the picture only the best date counts`() throws {
        let padding = Array(repeating: UInt8(0), count: 1000)
        for (tag, finding) in [
            (UInt16(0x9003), CaptureFinding.told(CaptureTime("2020-01-02T03:04:05"))), (0x9004, .undecided),
        ] {
            let photo = Example.jpeg(exif: [(tag, "2020:01:02 03:04:05")])
            let cut = Array(photo[..<(photo.count - 6)]) + [0xff, 0xe2, 0xff, 0xff] + padding
            #expect(try self.finding(cut) == finding)
        }
    }

    @Test func `what is decided of drawn photos is what the library tells`() throws {
        var decided = 0
        for _ in 0..<1500 {
            var content = Drawn.jpeg()
            if Bool.random() { Drawn.damage(&content) }
            if try isDecidedAsTheLibraryDoes(content) { decided += 1 }
        }
        #expect(decided > 600)
    }

    @Test(arguments: ["garden.heic", "still.avif", "scan.tiff", "raw.dng", "harbour.jpg"])
    func `what is decided of damaged photos is what the library tells`(name: String) throws {
        let whole = [UInt8](try Data(contentsOf: Self.media.appending(path: name)))
        var decided = 0
        for _ in 0..<150 {
            var content = whole
            Drawn.damage(&content, within: 2048)
            if try isDecidedAsTheLibraryDoes(content) { decided += 1 }
        }
        #expect(decided > 50)
    }

    private func isDecidedAsTheLibraryDoes(_ content: [UInt8]) throws -> Bool {
        try with(content) { descriptor, type, source in
            guard case .told(let time) = CaptureMetadata.finding(source, type) else { return false }
            let library = PhotoMetadata.captureTime(of: descriptor)
            // It opens nothing of some broken photos whose date stands there.
            #expect(
                time == library || library == nil && time != nil,
                "\(time?.description ?? "none") for \(library?.description ?? "none") in \(Data(content.prefix(3000)).base64EncodedString())"
            )
            return true
        }
    }
}

/// Photos as cameras and programs may write them, at random.
private enum Drawn {
    static func jpeg() -> [UInt8] {
        var segments: [[UInt8]] = []
        if Int.random(in: 0..<8) > 0 { segments.append(segment(0xe1, Array("Exif\0\0".utf8) + exif())) }
        if Int.random(in: 0..<4) == 0 { segments.append(segment(0xe1, xmp())) }
        if Int.random(in: 0..<12) == 0 { segments.append(segment(0xe1, Array("Exif\0\0".utf8) + exif())) }
        if Bool.random() { segments.append(segment(0xe0, Array("JFIF\0\u{1}\u{2}\0\0\u{1}\0\u{1}\0\0".utf8))) }
        if Bool.random() { segments.append(segment(0xe2, Array("MPF\0".utf8) + bytes(40))) }
        return [0xff, 0xd8] + segments.shuffled().joined() + segment(0xda, [1, 1, 0, 0, 63, 0]) + bytes(64)
            + [0xff, 0xd9]
    }

    static func damage(_ content: inout [UInt8], within count: Int = .max) {
        for _ in 0..<Int.random(in: 1...4) {
            let place = Int.random(in: 3..<min(count, content.count))
            if Int.random(in: 0..<10) == 0 {
                content.removeSubrange(place...)
                return
            }
            content[place] = [0, 1, 2, 4, 0x20, 0xff, UInt8.random(in: 0...255)].randomElement()!
        }
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...0xfe) } }

    private static func date() -> String {
        func two(_ range: ClosedRange<Int>) -> String { String(Int.random(in: range) + 100).dropFirst().description }
        return [
            "\(Int.random(in: 1990...2030)):\(two(1...12)):\(two(1...28)) \(two(0...23)):\(two(0...59)):\(two(0...59))",
            "0000:00:00 00:00:00", "    :  :     :  :  ", "", "2024:13:01 00:00:00", "2024-05-06T07:08:09Z",
        ][[0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5].randomElement()!]
    }

    private static func xmp() -> [UInt8] {
        let names = ["exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate", "tiff:Make"]
        let facts = names.filter { _ in Bool.random() }.map { "\($0)=\"2011-02-03T04:05:0\(Int.random(in: 0...9))Z\"" }
        return Array("http://ns.adobe.com/xap/1.0/\0".utf8)
            + Array(
                """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
                <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" \
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
                xmlns:tiff="http://ns.adobe.com/tiff/1.0/" \(facts.joined(separator: " "))/></rdf:RDF></x:xmpmeta>
                """.utf8)
    }

    private static func exif() -> [UInt8] {
        let isBig = Bool.random()
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            let big = (0..<width).map { UInt8(truncatingIfNeeded: value >> ((width - 1 - $0) * 8)) }
            return isBig ? big : big.reversed()
        }
        var tiff = Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        func directory(_ tags: [(tag: Int, text: String)], then pointer: Int?, at start: Int) -> [UInt8] {
            let count = tags.count + (pointer == nil ? 0 : 1)
            var values: [UInt8] = []
            var entries: [[UInt8]] = []
            let valuesStart = start + 2 + count * 12 + 4
            for (tag, text) in tags {
                let value = Array(text.utf8) + [0]
                let place =
                    value.count <= 4
                    ? value + Array(repeating: 0, count: 4 - value.count) : number(valuesStart + values.count, 4)
                entries.append(
                    number(tag, 2) + number(Int.random(in: 0..<15) == 0 ? 7 : 2, 2) + number(value.count, 4) + place)
                if value.count > 4 { values += value + (value.count % 2 == 0 ? [] : [0]) }
            }
            if let pointer { entries.append(number(0x8769, 2) + number(4, 2) + number(1, 4) + number(pointer, 4)) }
            return number(count, 2) + entries.joined() + number(0, 4) + values
        }
        let image = [0x010f, 0x0132, 0x9003].filter { _ in Int.random(in: 0..<3) == 0 }.map { ($0, date()) }
        let photo = [0x9003, 0x9004, 0x9010, 0x9011, 0x9012].filter { _ in Int.random(in: 0..<3) > 0 }.map {
            ($0, $0 >= 0x9010 ? ["+02:00", "-03:30", "   :  ", "Z"].randomElement()! : date())
        }
        let hasPhoto = Int.random(in: 0..<10) > 0
        let length = directory(image, then: hasPhoto ? 0 : nil, at: 8).count
        tiff += directory(image, then: hasPhoto ? 8 + length : nil, at: 8)
        if hasPhoto { tiff += directory(photo, then: nil, at: 8 + length) }
        return tiff
    }
}
