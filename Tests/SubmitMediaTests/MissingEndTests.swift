import Foundation
import Submit
import SubmitMedia
import Testing

@Suite struct MissingEndTests {
    private static let media = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Media")

    private func look(_ bytes: Data, _ name: String) throws -> MissingEnd.Finding {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString)-\(name)")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let descriptor = open(file.path, O_RDONLY)
        defer { close(descriptor) }
        let head = bytes.prefix(256 << 10)
        return try head.withUnsafeBytes { head in
            let type = head.prefix(MediaTypeDetector.headLength).withMemoryRebound(to: UInt8.self) {
                MediaTypeDetector.type(of: $0.span, fileExtension: (name as NSString).pathExtension)
            }
            return MissingEnd.look(at: descriptor, type: try #require(type), head: head)
        }
    }

    private static let names = [
        "blink.gif", "boat.avi", "boat.m4v", "boat.mkv", "boat.mov", "boat.mp4", "boat.webm", "garden.heic",
        "harbour-portrait.jpg", "harbour.jpg", "lamp.png", "leaf.webp", "raw.dng", "scan.tiff", "still.avif",
        "wide.heic",
    ]

    @Test(arguments: names)
    func `a whole file has its end, even if other bytes follow it`(name: String) throws {
        let bytes = try Data(contentsOf: Self.media.appendingPathComponent(name))
        #expect(try look(bytes, name) == .whole)
        #expect(try look(bytes + Data("a trailer of a camera".utf8), name) == .whole)
    }

    @Test(arguments: [
        ("boat.avi", MissingEnd.riff), ("boat.mov", .isoMedia), ("boat.mp4", .isoMedia), ("garden.heic", .isoMedia),
        ("harbour.jpg", .jpeg), ("lamp.png", .png), ("leaf.webp", .riff), ("still.avif", .isoMedia),
    ])
    func `a file that was cut off lacks its end`(name: String, end: MissingEnd) throws {
        let bytes = try Data(contentsOf: Self.media.appendingPathComponent(name))
        for part in [2, 10, 30] {
            let finding = try look(bytes.dropLast(bytes.count / part), name)
            #expect(finding == .missing(end) || end == .jpeg && finding != .whole, "\(finding) of 1/\(part)")
        }
    }

    @Test func `the end marker of a thumbnail is not that of the photo`() throws {
        // SOI, an APP1 that holds a thumbnail, SOS, and data.
        let thumbnail: [UInt8] = [0xff, 0xd8, 0xff, 0xd9]
        let segment: [UInt8] = [0xff, 0xe1, 0x00, 0x06] + thumbnail
        let cut = Data([0xff, 0xd8] + segment + [0xff, 0xda, 0, 2, 1, 2, 3])
        #expect(try look(cut, "a.jpg") == .missing(.jpeg))
        #expect(try look(cut + [0xff, 0xd9], "a.jpg") == .whole)
        #expect(try look(Data([0xff, 0xd8] + segment + [0xff]), "a.jpg") == .missing(.jpeg), "no picture data")
    }

    @Test func `an end marker far before the end is sought while the file is read`() throws {
        let start = Data([0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9])
        #expect(try look(start + Data(repeating: 7, count: 100_000), "a.jpg") == .markerSought(from: 2))
    }

    @Test func `what a camera appended shows that a picture has its end, however long it is`() throws {
        let picture = Data([0xff, 0xd8, 0xff, 0xda, 0, 2, 1, 2, 3])
        // A film has any bytes.
        let film = Data((0..<100_000).map { UInt8($0 * 7 % 256) })
        #expect(try look(picture + [0xff, 0xd9] + film, "a.jpg") == .whole)
        // The data of a picture that was cut off: codes, restarts, and the next scan of a progressive one.
        let codes = Data((0..<100_000).map { UInt8($0 % 200) } + [0xff, 0x00])
        var cut = picture
        for next: [UInt8] in [[0xff, 0xd3], [0xff, 0xc4, 0, 3, 1, 0xff, 0xda, 0, 2], [0xff]] { cut += codes + next }
        #expect(try look(cut, "a.jpg") == .markerSought(from: 2))
    }

    @Test func `a box up to the end of the file, and a stream of unknown length, lack nothing`() throws {
        let type = Data([0, 0, 0, 16] + "ftypqt  ".utf8 + [0, 0, 0, 0])
        #expect(try look(type + [0, 0, 0, 0] + "mdat".utf8 + [1, 2, 3], "a.mov") == .whole)
        #expect(try look(Data("RIFF".utf8) + [0xff, 0xff, 0xff, 0xff] + "AVI LIST".utf8, "a.avi") == .whole)
    }
}
