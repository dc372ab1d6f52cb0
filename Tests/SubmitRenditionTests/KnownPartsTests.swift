import Foundation
import Submit
import TestServers
import Testing

@testable import SubmitRendition

/// The two sides share nothing, so that each could know what the other does not: what one keeps, the other has to know.
struct `What the copy of a film keeps, the scan knows` {
    private typealias Films = `The scan of films`

    private static func traces(_ file: ISOFile, _ facts: Set<KeptFact> = []) throws -> [Trace] {
        let copy = try CleanedISOFiles.clean(file.bytes, "boat.mp4", keeping: facts)
        #expect(copy.count == file.bytes.count)
        return try MetadataScan.traces(
            in: MemoryBytes(copy), type: MediaType(kind: .video, mime: "video/mp4", filenameExtension: "mp4"),
            allowing: facts)
    }

    /// A box as the rule has it, of zeros.
    private static func content(_ rule: CleanMovieHeader.Rule) -> [UInt8] {
        switch rule {
        case .bytes(let count): [UInt8](repeating: 0, count: count)
        case .table(let head, _): [UInt8](repeating: 0, count: head)
        case .boxes(let rules):
            rules.sorted { $0.key < $1.key }.flatMap { ISOBox($0.key, content($0.value)).bytes }
        }
    }

    @Test(arguments: CleanMovieCodecs.rules.keys.sorted()) func `boxes of how a film is shown`(name: String) throws {
        let rule = try #require(CleanMovieCodecs.rules[name])
        var content = Self.content(rule)
        if name == "colr" { content = Array("nclc".utf8) + [0, 1, 0, 1, 0, 1] }
        // Some programs leave room behind them.
        for zeros in [0, 4] {
            if case .boxes = rule, zeros > 0 { continue }
            let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { root in
                let box = ISOBox(name, content + [UInt8](repeating: 0, count: zeros))
                root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].boxes.removeAll { $0.type == name }
                root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].boxes.append(box)
            }
            let traces = try Self.traces(file)
            #expect(traces.isEmpty, "\(name): \(traces)")
        }
    }

    @Test func `words in them are not kept`() throws {
        let words = Array("Musterstadt".utf8)
        for (path, name) in [("sv3d", "svhd"), ("vexu", "must"), ("vexu", "zzzz")] {
            let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { root in
                let box = ISOBox(path, ISOBox(name, [0, 0, 0, 0] + words).bytes)
                root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].boxes.append(box)
            }
            #expect(try Self.traces(file).isEmpty)
            let copy = try CleanedISOFiles.clean(file.bytes, "boat.mp4", keeping: [])
            #expect(Data(copy).range(of: Data(words)) == nil)
        }
    }

    @Test func `kinds of files, of coding, of tracks and of items`() {
        #expect(CleanMovie.brands.isSubset(of: ScannedMovie.brands))
        #expect(CleanMovieCodecs.pictures.isSubset(of: ScannedMovieEntry.pictures))
        #expect(CleanMovieCodecs.sounds.isSubset(of: ScannedMovieEntry.sounds))
        #expect(CleanMovieHeader.references.isSubset(of: ScannedMovieTrack.references))
        #expect(ScannedHEIF.brands.isSuperset(of: CleanHEIF.brands.values))
        #expect(CleanHEIFMeta.pictures.isSubset(of: ScannedHEIFItems.types))
    }

    @Test(arguments: CleanHEIFProperties.lengths.keys.sorted()) func `properties of pictures`(name: String) throws {
        let count = CleanHEIFProperties.lengths[name] ?? 0
        for sample in ["garden.heic", "still.avif"] {
            let file = try `The scan of HEIC and AVIF`.photo(sample).changed { root in
                // In the place of what is there and need not be, so that it is the picture's.
                let boxes = root["meta", "iprp", "ipco"].boxes
                let index =
                    boxes.firstIndex { $0.type == name } ?? boxes.firstIndex { $0.type == "pixi" || $0.type == "colr" }
                if let index {
                    let content = [UInt8](repeating: 0, count: count)
                    root["meta", "iprp", "ipco"].boxes[index] = ISOBox(name, content)
                }
            }
            let copy = try CleanedISOFiles.clean(file.bytes, sample, keeping: [])
            let traces = try MetadataScan.traces(
                in: MemoryBytes(copy), type: try #require(CleanedISOFiles.types[String(sample.suffix(4))]), allowing: []
            )
            #expect(Data(copy).range(of: Data(name.utf8)) != nil)
            #expect(traces.isEmpty, "\(name): \(traces)")
        }
    }

    private static func table(_ root: inout ISOBox, _ name: String, _ change: (inout [UInt8]) -> Void) {
        change(&root["moov", "trak", "mdia", "minf", "stbl", name].head)
    }

    private static func count(_ bytes: [UInt8], _ place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func adding(_ entries: Int, _ width: Int, at place: Int = 4) -> (inout [UInt8]) -> Void {
        { bytes in
            bytes.replaceSubrange(place..<place + 4, with: Planted.big(count(bytes, place) + entries, 4))
            bytes += [UInt8](repeating: 0x47, count: entries * width)
        }
    }

    private static let sloppy: [(String, @Sendable (inout ISOBox) -> Void)] = [
        ("more sizes", { table(&$0, "stsz", adding(5, 4, at: 8)) }),
        ("more chunks", { table(&$0, "stco", adding(3, 4)) }),
        ("more runs of chunks", { table(&$0, "stsc", adding(2, 12)) }),
        ("more times", { table(&$0, "stts", adding(2, 8)) }),
        ("more keys", { table(&$0, "stss", adding(4, 4)) }),
        ("longer runs", { table(&$0, "stts") { $0.replaceSubrange(8..<12, with: [0, 0, 255, 255]) } }),
        ("shorter runs", { table(&$0, "stts") { $0.replaceSubrange(8..<12, with: [0, 0, 0, 3]) } }),
        (
            "fuller chunks",
            { table(&$0, "stsc") { $0.replaceSubrange($0.count - 8..<$0.count - 4, with: [0, 0, 255, 255]) } }
        ),
        (
            "marks of samples",
            { $0["moov", "trak", "mdia", "minf", "stbl"].boxes.append(ISOBox("sdtp", [0, 0, 0, 0, 8, 8])) }
        ),
        ("reserved", { $0["moov", "trak", "tkhd"].head[39] = 7 }),
        ("also reserved", { $0["moov", "trak", "tkhd"].head[24] = 7 }),
        ("a longer list of brands", { $0["ftyp"].head += (0..<90).flatMap { Array("mp4\($0 % 10)".utf8) } }),
        ("brands of nobody", { $0["ftyp"].head = Array("home".utf8) + [1, 2, 3, 4] + "atho".utf8 }),
        ("another finder of data", { $0["moov", "trak", "mdia", "minf", "dinf", "dref"].boxes[0].type = "cios" }),
        (
            "versions of a coder",
            { root in
                for place in [8, 9, 10, 11, 16, 20, 36] {
                    root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head[place] = 1
                }
            }
        ),
    ]

    @Test(arguments: sloppy.indices) func `tables that say more than there is are cut to what is`(index: Int) throws {
        let (name, change) = Self.sloppy[index]
        let traces = try Self.traces(ISOFile("boat.mp4", mime: "video/mp4").changed(change))
        #expect(traces.isEmpty, "\(name): \(traces)")
    }

    @Test(arguments: ["stsz", "stts", "stco", "stsc", "stss", "mvhd", "tkhd", "mdhd", "vmhd", "elst", "url "])
    func `room behind tables and heads`(name: String) throws {
        let file = try ISOFile("boat.mp4", mime: "video/mp4").changed { root in
            func grow(_ box: inout ISOBox) {
                if box.type == name { box.head += [1, 2, 3, 4, 5, 6, 7, 8] }
                for index in box.boxes.indices { grow(&box.boxes[index]) }
            }
            grow(&root["moov"])
        }
        let traces = try Self.traces(file)
        #expect(traces.isEmpty, "\(traces)")
    }

    @Test func `the channels of a sound stay, and the comment behind them goes`() {
        // AAC of 44,100 Hz; a channel in the middle, a pair in front and one behind, as ffmpeg writes them.
        let list: [UInt8] = [0x12, 0, 5, 4, 4, 0, 0x21, 0x10]
        let plain = CleanSoundSettings.withoutComment(list + [0], 0x40)
        #expect(plain == list + [0])
        #expect(ScannedSoundSetup.trouble(in: plain) == nil)
        let words = Array("Lavc at home".utf8)
        let long = list + [UInt8(words.count)] + words
        #expect(ScannedSoundSetup.trouble(in: long) == "a comment in the sound")
        #expect(CleanSoundSettings.withoutComment(long, 0x40) == plain)
    }
}
