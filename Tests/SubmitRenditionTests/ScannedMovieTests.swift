import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

struct `The scan of films` {
    static func movie(_ name: String = "boat.mp4") throws -> ISOFile {
        let isQuickTime = name.hasSuffix("mov")
        var file = try ISOFile(name, mime: isQuickTime ? "video/quicktime" : "video/mp4")
        func zero(_ bytes: inout [UInt8], _ range: Range<Int>) { for index in range { bytes[index] = 0 } }
        file = file.changed { root in
            root.boxes.removeAll { $0.type == "free" }
            root["moov"].boxes.removeAll { $0.type == "udta" }
            zero(&root["moov", "mvhd"].head, 4..<12)
            zero(&root["moov", "trak", "tkhd"].head, 4..<12)
            zero(&root["moov", "trak", "mdia", "mdhd"].head, 4..<12)
            zero(&root["moov", "trak", "mdia", "hdlr"].head, 24..<root["moov", "trak", "mdia", "hdlr"].head.count)
            if isQuickTime {
                let count = root["moov", "trak", "mdia", "minf", "hdlr"].head.count
                zero(&root["moov", "trak", "mdia", "minf", "hdlr"].head, 24..<count)
            }
            zero(&root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head, 12..<16)
            zero(&root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head, 42..<74)
            // x264's settings, behind a unit's length, its head and the message's head.
            for index in 9..<0x2b3 { root["mdat"].head[index] = 0xff }
        }
        if isQuickTime { file.allowing = [.date] }
        return file
    }

    static func full(_ type: String, _ content: [UInt8]) -> ISOBox { ISOBox(type, [0, 0, 0, 0] + content) }

    static func handler(_ type: String, _ name: String = "") -> ISOBox {
        full("hdlr", [0, 0, 0, 0] + Array(type.utf8) + [UInt8](repeating: 0, count: 12) + Array(name.utf8) + [0])
    }

    static func facts(_ facts: [(key: String, value: String)], locale: Int = 0, type: Int = 1) -> ISOBox {
        let keys = facts.flatMap { ISOBox("mdta", Array($0.key.utf8)).bytes }
        let items = facts.enumerated().map { index, fact in
            let value = Planted.big(type, 4) + Planted.big(locale, 4) + Array(fact.value.utf8)
            let name = String(String.UnicodeScalarView([0, 0, 0, UInt8(index + 1)].map { Unicode.Scalar($0) }))
            return ISOBox(name, [], [ISOBox("data", value)])
        }
        return ISOBox(
            "meta", [], [handler("mdta"), full("keys", Planted.big(facts.count, 4) + keys), ISOBox("ilst", [], items)])
    }

    static let quickTime = "com.apple.quicktime."
    static let home = Array("We live in the attic".utf8)

    /// A unit of H.264 in front of the first one, and the tables that know of it.
    static func planting(_ unit: [UInt8], in root: inout ISOBox) {
        let bytes = Planted.big(unit.count, 4) + unit
        root["mdat"].head.insert(contentsOf: bytes, at: 0)
        let sizes = root["moov", "trak", "mdia", "minf", "stbl", "stsz"].head
        let first = sizes[12..<16].reduce(0) { $0 << 8 | Int($1) }
        root["moov", "trak", "mdia", "minf", "stbl", "stsz"].head.replaceSubrange(
            12..<16, with: Planted.big(first + bytes.count, 4))
    }

    static func message(_ type: Int, _ payload: [UInt8]) -> [UInt8] {
        [6, UInt8(type), UInt8(payload.count)] + payload + [0x80]
    }

    @Test(arguments: ["boat.mp4", "boat.mov", "boat.m4v"])
    func `Clean films are clean`(name: String) throws {
        let traces = try Self.movie(name).traces()
        #expect(traces.isEmpty, "\(traces)")
    }

    @Test(arguments: ["boat.mp4", "boat.mov", "boat.m4v"])
    func `Films as programs make them are not clean`(name: String) throws {
        let file = try ISOFile(name, mime: "video/mp4")
        #expect(try file.traces(allowing: KeptFact.publishable).count >= 3)
        #expect(!(try Self.movie("boat.mov").traces(allowing: [])).isEmpty)
    }

    @Test func `What tells nothing is clean wherever it stands`() throws {
        let all = KeptFact.publishable
        let file = try Self.movie()
        let changes: [(String, (inout ISOBox) -> Void)] = [
            ("free", { $0.boxes.insert(ISOBox("free", [0, 0, 0]), at: 1) }),
            ("wide", { $0.boxes.insert(ISOBox("wide"), at: 2) }),
            ("skip at the end", { $0.boxes.append(ISOBox("skip", [UInt8](repeating: 0, count: 2_000_000))) }),
            ("free in moov", { $0["moov"].boxes.insert(ISOBox("free", [0]), at: 0) }),
            ("free in stbl", { $0["moov", "trak", "mdia", "minf", "stbl"].boxes.append(ISOBox("free", [0])) }),
            ("empty udta", { $0["moov"].boxes.append(ISOBox("udta")) }),
            ("zero udta", { $0["moov", "trak"].boxes.append(ISOBox("udta", [0, 0, 0, 0])) }),
            ("zeros in mdat", { $0["mdat"].head += [UInt8](repeating: 0, count: 700_000) }),
            ("a second mdat of zeros", { $0.boxes.append(ISOBox("mdat", [0, 0, 0])) }),
            ("no ftyp", { $0.boxes.removeFirst() }),
            ("tapt", { $0["moov", "trak"].boxes.append(ISOBox("tapt", [], [Self.full("clef", Planted.big(9, 8))])) }),
            ("filler unit", { Self.planting([12, 0xff, 0xff, 0x80], in: &$0) }),
            ("filler message", { Self.planting(Self.message(3, [0xff, 0xff]), in: &$0) }),
            ("overwritten data", { Self.planting(Self.message(5, [UInt8](repeating: 255, count: 40)), in: &$0) }),
            (
                "two messages in one",
                { Self.planting(Self.message(5, [255]) + [0, 0, 0, 1] + Self.message(4, [255]), in: &$0) }
            ),
            ("brightness", { Self.planting(Self.message(144, [3, 232, 0, 100]), in: &$0) }),
            (
                "settings among the pictures",
                { root in
                    // As many bytes as the number before them says, behind the head of the decoder's settings.
                    let setup = root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"].head
                    Self.planting(Array(setup[8..<8 + Int(setup[7])]), in: &root)
                }
            ),
            (
                "facts",
                {
                    $0["moov"].boxes.append(
                        Self.facts([
                            (Self.quickTime + "creationdate", "2024-05-17T18:45:00+0200"),
                            (Self.quickTime + "make", "Apple"), (Self.quickTime + "model", "iPhone 15 Pro"),
                            (Self.quickTime + "copyright", "© Zoë"),
                        ]))
                }
            ),
        ]
        for (name, change) in changes {
            let traces = try file.changed(change).traces(allowing: all)
            #expect(traces.isEmpty, "\(name): \(traces)")
        }
    }

    static var plants: [(String, (inout ISOBox) -> Void)] {
        var list: [(String, (inout ISOBox) -> Void)] = [
            ("bytes at the end", { $0.boxes.append(ISOBox("zzzz", home)) }),
            ("free with text", { $0.boxes.insert(ISOBox("free", home), at: 1) }),
            (
                "free that ends in text",
                { $0.boxes.append(ISOBox("free", [UInt8](repeating: 0, count: 600_000) + [1])) }
            ),
            ("wide with text", { $0.boxes.append(ISOBox("wide", [1])) }),
            ("mdat with text", { $0["mdat"].head += home }), ("mdat with a byte", { $0["mdat"].head += [0, 0, 1] }),
            ("a second mdat", { $0.boxes.append(ISOBox("mdat", home)) }),
            ("brand", { $0["ftyp"].head += Array("our home".utf8) }),
            ("a second ftyp", { $0.boxes.append($0["ftyp"]) }), ("a second moov", { $0.boxes.append($0["moov"]) }),
            ("a second trak", { $0["moov"].boxes.append($0["moov", "trak"]) }),
            ("compressor", { $0["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head[60] = 0x41 }),
            ("vendor", { $0["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head[12] = 0x41 }),
            ("reserved", { $0["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].head[3] = 1 }),
            ("handler's name", { $0["moov", "trak", "mdia", "hdlr"].head[25] = 0x41 }),
            ("handler's maker", { $0["moov", "trak", "mdia", "hdlr"].head[12] = 0x41 }),
            ("mvhd reserved", { $0["moov", "mvhd"].head[76] = 1 }),
            ("tkhd reserved", { $0["moov", "trak", "tkhd"].head[16] = 1 }),
            (
                "other file",
                {
                    $0["moov", "trak", "mdia", "minf", "dinf", "dref"].boxes[0] = ISOBox("url ", [0, 0, 0, 0] + home)
                }
            ),
            ("table with more", { $0["moov", "trak", "mdia", "minf", "stbl", "stts"].head += [0, 0, 0, 1] }),
            ("times of more samples", { $0["moov", "trak", "mdia", "minf", "stbl", "stts"].head[11] += 1 }),
            (
                "keys by the billion",
                {
                    $0["moov", "trak", "mdia", "minf", "stbl", "stss"].head.replaceSubrange(
                        4..<8, with: [255, 255, 255, 254])
                }
            ),
            ("keys beyond", { $0["moov", "trak", "mdia", "minf", "stbl", "stss"].head[11] = 200 }),
            ("a smaller sample", { $0["moov", "trak", "mdia", "minf", "stbl", "stsz"].head[15] -= 1 }),
            ("a chunk elsewhere", { $0["moov", "trak", "mdia", "minf", "stbl", "stco"].head[8] = 0x40 }),
            ("text track", { $0["moov", "trak", "mdia", "hdlr"].head.replaceSubrange(8..<12, with: "text".utf8) }),
            (
                "gpmd track",
                { root in
                    var track = root["moov", "trak"]
                    track["tkhd"].head[15] = 2
                    track["mdia", "hdlr"].head.replaceSubrange(8..<12, with: "meta".utf8)
                    track["mdia", "minf", "stbl", "stsd"].boxes = [ISOBox("gpmd", [0, 0, 0, 0, 0, 0, 0, 1])]
                    root["moov"].boxes.append(track)
                }
            ),
            ("unknown codec", { $0["moov", "trak", "mdia", "minf", "stbl", "stsd"].boxes[0].type = "zzzz" }),
            ("tref", { $0["moov", "trak"].boxes.append(ISOBox("tref", [], [ISOBox("fall", [0, 0, 0, 9])])) }),
            ("tmcd", { $0["moov", "trak"].boxes.append(ISOBox("tref", [], [ISOBox("tmcd", [0, 0, 0, 1])])) }),
            ("telemetry", { planting(message(5, home), in: &$0) }), ("T.35", { planting(message(4, home), in: &$0) }),
            ("data without end", { planting([6, 5, 16] + home.prefix(16), in: &$0) }),
            (
                "whose data it was",
                { planting(message(5, [UInt8](1...40).map { $0 > 16 ? 255 : $0 }), in: &$0) }
            ),
            ("brightness with more", { planting(message(144, [3, 232, 0, 100, 1]), in: &$0) }),
            ("hash of the picture", { planting(message(132, [0] + home.prefix(16)), in: &$0) }),
            ("a picture of words", { planting([0x61] + home + home, in: &$0) }),
            ("a picture that ends in words", { planting([0x61, 0x9a, 0x80, 0xff] + home + home, in: &$0) }),
            ("message within a picture", { planting([0x61, 0x9a, 0xff, 0, 0, 1] + message(5, home), in: &$0) }),
            ("message without end", { planting([6, 1, 2, 7, 7], in: &$0) }),
            ("sequence of words", { planting([0x67] + home, in: &$0) }),
            ("picture's settings of words", { planting([0x68] + home, in: &$0) }),
            ("transparency of words", { planting([13] + home, in: &$0) }),
            (
                "settings with more",
                { root in
                    let setup = root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"].head
                    planting(Array(setup[8..<8 + Int(setup[7])]) + home, in: &root)
                }
            ),
            (
                "a decoder's settings of words",
                { root in
                    // The unit's first bytes say how the film is coded.
                    root["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"].head.replaceSubrange(
                        12..<20, with: home.prefix(8))
                }
            ),
            ("unknown message", { planting(message(99, [1]), in: &$0) }),
            ("filler with text", { planting(message(3, home), in: &$0) }),
            ("a filler unit with text", { planting([12] + home + [0x80], in: &$0) }),
            ("unknown unit", { planting([24] + home, in: &$0) }), ("long mark", { planting([9, 0xf0, 1], in: &$0) }),
            ("udta ©xyz", { $0["moov"].boxes.append(ISOBox("udta", [], [ISOBox("©xyz", home)])) }),
            ("udta loci", { $0["moov"].boxes.append(ISOBox("udta", [], [full("loci", home)])) }),
            ("udta of a track", { $0["moov", "trak"].boxes.append(ISOBox("udta", [], [ISOBox("name", home)])) }),
            (
                "data in avc1",
                { $0["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1"].boxes.append(ISOBox("zzzz", home)) }
            ),
            ("avcC with more", { $0["moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC"].head += home }),
            ("two metas", { $0["moov"].boxes += [facts([]), facts([])] }),
            ("meta in a track", { $0["moov", "trak"].boxes.append(facts([])) }),
            ("other meta", { $0["moov"].boxes.append(ISOBox("meta", [], [handler("mdir"), ISOBox("ilst")])) }),
            ("country", { $0["moov"].boxes.append(facts([(quickTime + "make", "Apple")], locale: 0x4445_15c7)) }),
            ("binary make", { $0["moov"].boxes.append(facts([(quickTime + "make", "Apple")], type: 0)) }),
        ]
        for type in [
            "uuid", "moof", "mvex", "cmov", "iods", "meta", "XMP_", "pnot", "PICT", "©xyz", "loci", "gpmd", "nmhd",
            "gmhd", "elng", "subs",
        ] {
            list.append(("\(type) in the file", { $0.boxes.append(ISOBox(type, home)) }))
            for path in [["moov"], ["moov", "trak"], ["moov", "trak", "mdia"], ["moov", "trak", "mdia", "minf"]] {
                list.append(
                    (
                        "\(type) in \(path)",
                        { root in
                            switch path.count {
                            case 1: root["moov"].boxes.append(ISOBox(type, home))
                            case 2: root["moov", "trak"].boxes.append(ISOBox(type, home))
                            case 3: root["moov", "trak", "mdia"].boxes.append(ISOBox(type, home))
                            default: root["moov", "trak", "mdia", "minf", "stbl"].boxes.append(ISOBox(type, home))
                            }
                        }
                    ))
            }
        }
        for (key, value) in [
            ("location.ISO6709", "+35.1234+139.1234/"), ("location.name", "Home"), ("software", "17.1"),
            ("comment", "x"),
            ("creationdate", "2024-05-17T18:45:00+0200 at home"), ("creationdate", "at home in the attic"),
            ("make", "+35.1234+139.1234/"), ("model", "at 35.12345"), ("make", "a\u{200b}b"), ("make", ""),
            ("copyright", "GPS"), ("content.identifier", "A-B"),
        ] {
            list.append(("\(key) \(value)", { $0["moov"].boxes.append(facts([(quickTime + key, value)])) }))
        }
        return list
    }

    @Test func `Each thing that is planted in a film is found`() throws {
        let file = try Self.movie()
        for (name, plant) in Self.plants {
            let traces = try file.changed(plant).traces(allowing: KeptFact.publishable)
            #expect(!traces.isEmpty, "\(name)")
        }
    }

    @Test func `Facts that are not allowed are found`() throws {
        let file = try Self.movie()
        for (key, value, fact) in [
            ("creationdate", "2024-05-17", KeptFact.date), ("make", "Apple", .camera), ("copyright", "Zoë", .copyright),
        ] {
            let more = file.changed { $0["moov"].boxes.append(Self.facts([(Self.quickTime + key, value)])) }
            #expect(try more.traces(allowing: [fact]).isEmpty)
            #expect(!(try more.traces(allowing: KeptFact.publishable.subtracting([fact]))).isEmpty)
        }
        for path in 0..<3 {
            let timed = file.changed {
                switch path {
                case 0: $0["moov", "mvhd"].head[7] = 1
                case 1: $0["moov", "trak", "tkhd"].head[11] = 1
                default: $0["moov", "trak", "mdia", "mdhd"].head[4] = 1
                }
            }
            #expect(try timed.traces(allowing: [.date]).isEmpty)
            #expect(!(try timed.traces(allowing: [.camera, .copyright, .exposure])).isEmpty)
        }
    }

    @Test func `Bytes behind the end and films that are cut off are found`() throws {
        for file in [try Self.movie(), try Self.movie("boat.mov")] {
            let bytes = file.bytes
            for tail in [[0], [0, 0, 0, 8], Self.home] { #expect(!(try file.traces(of: bytes + tail)).isEmpty) }
            for count in stride(from: 0, to: bytes.count, by: 37) {
                #expect(!(try file.traces(of: Array(bytes.prefix(count)))).isEmpty, "\(count)")
            }
        }
    }

    @Test func `Each byte of a film's head is known`() throws {
        for name in ["boat.mp4", "boat.mov"] {
            let file = try Self.movie(name)
            var bytes = file.bytes
            let movie = bytes.count - file.root["mdat"].head.count
            var quiet: [Int] = []
            for place in 0..<movie {
                let byte = bytes[place]
                bytes[place] ^= 0x41
                if try file.traces(of: bytes).isEmpty { quiet.append(place) }
                bytes[place] = byte
            }
            // Durations, sizes, times and other numbers, and what the decoder takes.
            #expect(quiet.count < 900, "\(quiet.count) of \(movie): \(quiet)")
        }
    }

    @Test func `No damage to a film makes the scan crash or hang, or hides a text`() throws {
        let files = [try Self.movie(), try Self.movie("boat.mov")]
        for seed in 0..<200 {
            var numbers = SeededNumbers(seed: UInt64(seed))
            let file = files[seed % 2]
            let words = Array("We live at 35.12345, 139.12345: ring twice!".utf8)
            let type = ["udta", "free", "uuid", "mdat", "trak", "©xyz"].randomElement(using: &numbers) ?? "free"
            let planted = file.changed {
                $0.boxes.insert(ISOBox(type, words), at: 1)
                if seed % 4 < 2 { $0["moov"].boxes.insert(ISOBox(type, words), at: seed % 3) }
            }
            let all = KeptFact.publishable
            _ = try file.traces(of: `The scan of what goes out`.damaged(file.bytes, &numbers), allowing: all)
            let bytes = `The scan of what goes out`.damaged(planted.bytes, &numbers)
            if try file.traces(of: bytes, allowing: all).isEmpty {
                #expect(bytes.firstRange(of: Array("139.12345".utf8)) == nil, "\(seed)")
            }
        }
    }
}
