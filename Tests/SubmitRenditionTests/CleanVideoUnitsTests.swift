import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

struct `What stands among coded pictures` {
    private typealias Films = `The scan of films`
    private static let words = Array("We live at 35.12345, 139.12345: ring twice!".utf8)

    private static func traces(_ copy: [UInt8], _ mime: String, _ facts: Set<KeptFact>) throws -> [Trace] {
        try MetadataScan.traces(
            in: MemoryBytes(copy), type: MediaType(kind: .photo, mime: mime, filenameExtension: ""), allowing: facts)
    }

    private static let units: [(String, [UInt8])] = [
        ("of no type", [0] + words), ("of a layer's head", [0x6e] + words), ("of nobody's type", [24] + words),
        ("of a camera's type", [30] + words), ("with a wrong head", [0x81] + words), ("filler", [12] + words),
        ("filler of zeros", [12, 0, 0, 0]), ("a long mark", [9, 0xf0] + words), ("a long end", [10] + words),
        ("a message", Films.message(5, words)), ("an unknown message", Films.message(99, words)),
        ("an empty message", Films.message(99, [])),
        ("a message of two bytes' name", [6, 255, 1, 4] + words.prefix(4) + [0x80]),
        ("a message without its end", [6, 5, UInt8(words.count)] + words),
        ("a message that is too short", [6, 5, 200] + words), ("messages with more", Films.message(144, words)),
        ("a message with something behind it", Films.message(144, [1, 2, 3, 4]) + words),
        ("a message with escapes", Films.message(5, [0, 0, 3, 1] + words)),
        ("a hash", Films.message(132, words)), ("filler that is none", Films.message(3, words)),
        ("several in one", [0x6e, 0xc0, 0x80, 15, 0, 0, 0, 1] + Films.message(5, words) + [0, 0, 1, 12] + words),
        ("a mark with more in it", [9, 0xf0, 0, 0, 1] + Films.message(99, words) + [0, 0, 0]),
        ("the time of day", Films.message(1, [1, 2, 3, 4, 5, 6, 7])),
    ]

    @Test(arguments: units.indices) func `nothing but pictures stays, and the copy is proven clean`(index: Int) throws {
        let (name, unit) = Self.units[index]
        let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { Films.planting(unit, in: &$0) }
        for facts in [KeptFact.publishable, []] {
            let copy = try CleanedISOFiles.clean(file.bytes, "boat.mp4", keeping: facts)
            #expect(copy.count == file.bytes.count)
            #expect(Data(copy).range(of: Data("ring twice".utf8)) == nil, "\(name)")
            let traces = try Self.traces(copy, "video/mp4", facts)
            #expect(traces.isEmpty, "\(name): \(traces)")
            #expect(try CleanedISOFiles.clean(copy, "boat.mp4", keeping: facts) == copy, "\(name)")
        }
    }

    @Test func `what says how bright a film is stays`() throws {
        let unit = Films.message(144, [3, 232, 0, 100])
        let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { Films.planting(unit, in: &$0) }
        let copy = try CleanedISOFiles.clean(file.bytes, "boat.mp4", keeping: [])
        #expect(Data(copy).range(of: Data(unit)) != nil)
    }

    @Test(arguments: [[15], [20], [21]] as [[UInt8]]) func `a second layer of H.264 is refused`(head: [UInt8]) throws {
        let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { Films.planting(head + Self.words, in: &$0) }
        #expect(throws: SubmitFailure.self) { try CleanedISOFiles.clean(file.bytes, "boat.mp4", keeping: []) }
    }

    @Test(arguments: [[0x4e, 1, 5, 43], [0x7a, 1], [0x4c, 1], [0x60, 1], [0x02, 9], [0x2c, 1]] as [[UInt8]])
    func `units of HEVC that are no pictures go, though a part of the file ends within one`(head: [UInt8]) throws {
        let unit = head + Self.words + [0x80]
        let planted = Planted.big(unit.count, 4) + unit
        var file = try `The scan of HEIC and AVIF`.photo()
        file.root["mdat"].head.insert(contentsOf: planted, at: 0)
        let whole = file.root["mdat"].head.count
        for cut in [nil, 2, 12, planted.count + 3] {
            let parts = cut.map { [$0, whole - $0] } ?? [whole]
            file.root["meta", "iloc"].head =
                [0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, UInt8(parts.count)]
                + parts.flatMap { Planted.big(0, 4) + Planted.big($0, 4) }
            var bytes = file.root.boxes.flatMap(\.bytes)
            let start = try #require(Data(bytes).range(of: Data("mdat".utf8))).upperBound
            let table = try #require(Data(bytes).range(of: Data("iloc".utf8))).upperBound + 14
            for index in parts.indices {
                let offset = start + parts[..<index].reduce(0, +)
                bytes.replaceSubrange(table + 8 * index..<table + 8 * index + 4, with: Planted.big(offset, 4))
            }
            let copy = try CleanedISOFiles.clean(bytes, "garden.heic", keeping: [])
            #expect(Data(copy).range(of: Data("ring twice".utf8)) == nil)
            let traces = try Self.traces(copy, "image/heic", [])
            #expect(traces.isEmpty, "\(head) \(cut ?? 0): \(traces)")
        }
    }
}
