import Foundation
import Submit
import Testing

@testable import SubmitMedia

@Suite struct MediaDimensionsTests {
    private static let media = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Media")

    private func dimensions(_ content: [UInt8]) -> MediaDimensions? {
        let type = MediaTypeDetector.type(of: content.span, fileExtension: "") ?? .other
        return MediaDimensions(FileRegion(content), type)
    }

    @Test(arguments: [
        ("harbour.jpg", "File"), ("lamp.png", "PNG"), ("leaf.webp", "RIFF"), ("blink.gif", "GIF"),
        ("scan.tiff", "IFD0"),
        ("garden.heic", "File"), ("still.avif", "File"),
    ])
    func `a photo is as large and turned as exiftool reads`(name: String, group: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "submit-dimensions-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let isTurned = ["harbour.jpg", "lamp.png", "scan.tiff"].contains(name)
        for orientation in 1...(isTurned ? 8 : 1) {
            let file = folder.appending(path: "\(orientation)-\(name)")
            try FileManager.default.copyItem(at: Self.media.appending(path: name), to: file)
        }
        if isTurned {
            let writing = (1...8).flatMap {
                ["-n", "-IFD0:Orientation=\($0)", "-overwrite_original", "\(folder.path)/\($0)-\(name)", "-execute"]
            }
            _ = try ExifTool.run(writing, common: ["-q", "-q", "-m"])
        }
        let facts = try ExifTool.facts(["-n", "-ImageWidth", "-ImageHeight", "-IFD0:Orientation", folder.path])
        try #require(facts.count == (isTurned ? 8 : 1))
        for fact in facts {
            let content = [UInt8](try Data(contentsOf: URL(filePath: try #require(fact["SourceFile"] as? String))))
            let found = try #require(dimensions(content))
            #expect(found.width == fact["\(group):ImageWidth"] as? Int, "\(fact)")
            #expect(found.height == fact["\(group):ImageHeight"] as? Int)
            #expect(found.orientation == fact["IFD0:Orientation"] as? Int ?? 1)
        }
    }

    @Test(
        arguments: [
            ([], 1), ([("irot", 1)], 8), ([("irot", 2)], 3), ([("irot", 3)], 6), ([("imir", 0)], 4), ([("imir", 1)], 2),
            ([("irot", 1), ("imir", 0)], 5), ([("irot", 1), ("imir", 1)], 7), ([("irot", 3), ("imir", 0)], 7),
            ([("imir", 1), ("irot", 1)], 5), ([("imir", 1), ("imir", 1)], 1),
        ] as [([(String, UInt8)], Int)])
    func `properties of a HEIF picture turn it in their order`(properties: [(String, UInt8)], orientation: Int) {
        let list =
            Example.box("ispe", Example.big(0, 4) + Example.big(640, 4) + Example.big(427, 4))
            + properties.flatMap { Example.box($0.0, [$0.1]) }
        let numbers = (0...properties.count).map { UInt8($0 + 1) | 0x80 }
        let links =
            Example.big(0, 4) + Example.big(2, 4) + Example.big(1, 2) + [0] + Example.big(7, 2)
            + [UInt8(numbers.count)] + numbers
        let boxes =
            Example.box("pitm", Example.big(0, 4) + Example.big(7, 2))
            + Example.box("iprp", Example.box("ipco", list) + Example.box("ipma", links))
        let heic = Example.box("ftyp", Array("heic\0\0\0\0heic".utf8)) + Example.box("meta", Example.big(0, 4) + boxes)
        let found = dimensions(heic)
        #expect(found?.width == 640 && found?.height == 427 && found?.orientation == orientation)
    }

    @Test func `broken headers are survived`() throws {
        for name in ["harbour.jpg", "lamp.png", "leaf.webp", "blink.gif", "scan.tiff", "garden.heic", "still.avif"] {
            let photo = [UInt8](try Data(contentsOf: Self.media.appending(path: name)))
            for number in 0..<200 {
                var broken = photo
                for _ in 0..<Int.random(in: 1...4) {
                    broken[Int.random(in: 4..<min(1024, broken.count))] = [0, 1, 0x7f, 0xff, .random(in: 0...255)]
                        .randomElement()!
                }
                if number % 10 == 0 { broken.removeSubrange(Int.random(in: 4..<broken.count)...) }
                if let found = dimensions(broken) { #expect(found.width > 0 && (1...8).contains(found.orientation)) }
            }
        }
    }
}
