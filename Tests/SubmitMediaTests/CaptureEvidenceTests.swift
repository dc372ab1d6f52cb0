import Foundation
import Submit
import Testing

@testable import SubmitMedia

/// The dates of photos in which exiftool has written some, against those that it reads there.
@Suite struct CaptureEvidenceTests {
    private static let media = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Media")

    /// As exiftool calls them, best first.
    private static let evidence: [(date: String, offset: String?)] = [
        ("ExifIFD:DateTimeOriginal", "ExifIFD:OffsetTimeOriginal"), ("IFD0:DateTimeOriginal", nil),
        ("XMP-exif:DateTimeOriginal", nil), ("XMP-photoshop:DateCreated", nil),
        ("ExifIFD:CreateDate", "ExifIFD:OffsetTimeDigitized"), ("XMP-xmp:CreateDate", nil),
        ("IFD0:ModifyDate", "ExifIFD:OffsetTime"),
    ]

    private static let tags = evidence.flatMap { [$0.date, $0.offset].compactMap(\.self) }

    /// Each kind of date alone, and each two of them.
    private static let sets: [[Int]] = evidence.indices.flatMap { first in
        evidence.indices.filter { $0 >= first }.map { first == $0 ? [first] : [first, $0] }
    }

    @Test(
        arguments: [
            ("harbour.jpg", 28), ("harbour.jpg as WebP", 28), ("lamp.png", 28), ("scan.tiff", 28), ("raw.dng", 28),
            ("garden.heic", 28), ("still.avif", 28), ("blink.gif", 18),
        ])
    func `the best date is told, wherever programs write it`(name: String, dated: Int) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "submit-evidence-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = name.split(separator: " ")[0]
        let ending = source.split(separator: ".")[1]
        var arguments: [String] = []
        for (number, set) in Self.sets.enumerated() {
            arguments += Self.tags.map { "-\($0)=" }
            for kind in set {
                let (date, offset) = Self.evidence[kind]
                arguments.append("-\(date)=20\(10 + kind):03:04 05:06:07")
                if let offset, number % 2 == 0 { arguments.append("-\(offset)=+0\(kind):30") }
            }
            arguments += ["-o", "\(folder.path)/\(100 + number).\(ending)", "\(Self.media.path)/\(source)", "-execute"]
        }
        _ = try ExifTool.run(arguments, common: ["-q", "-q", "-m"])
        if name.hasSuffix("WebP") {
            for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
                try asWebP([UInt8](Data(contentsOf: file))).write(
                    to: file.deletingPathExtension().appendingPathExtension("webp"))
                try FileManager.default.removeItem(at: file)
            }
        }
        let facts = try ExifTool.facts(Self.tags.map { "-\($0)" } + [folder.path])
        try #require(facts.count == Self.sets.count)
        var count = 0
        for fact in facts {
            let file = try #require(fact["SourceFile"] as? String)
            let told = Self.evidence.lazy.compactMap { date, offset in
                (fact[date] as? String).flatMap { CaptureText.time($0, offset: offset.flatMap { fact[$0] as? String }) }
            }.first
            let content = [UInt8](try Data(contentsOf: URL(filePath: file)))
            #expect(captureTime(content) == told, "\(fact)")
            if told != nil { count += 1 }
        }
        #expect(count == dated)
    }

    /// The same metadata: not every version of exiftool writes WebP.
    private func asWebP(_ jpeg: [UInt8]) -> Data {
        let chunks = JPEGSegments(FileRegion(jpeg)).filter { $0.marker == 0xe1 }.flatMap { segment in
            segment.head.starts(with: "Exif".utf8)
                ? Example.chunk("EXIF", segment.content.part(from: 6).bytes(1 << 16))
                : Example.chunk("XMP ", segment.content.part(from: 29).bytes(1 << 16))
        }
        return Data(Example.chunk("RIFF", Array("WEBP".utf8) + chunks))
    }

    private func captureTime(_ content: [UInt8]) -> CaptureTime? {
        let type = MediaTypeDetector.type(of: content.span, fileExtension: "") ?? .other
        return CaptureMetadata.captureTime(FileRegion(content), type)
    }
}
