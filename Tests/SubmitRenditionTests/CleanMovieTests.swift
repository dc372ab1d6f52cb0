import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

@Suite struct CleanMovieTests {
    private static let all = KeptFact.publishable
    private static let samples = ["boat.mp4", "boat.mov", "boat.m4v"]

    private static func leaks(_ latitude: Double, _ longitude: Double) -> [[String]] {
        let place = "\(latitude) \(longitude) 40"
        return [
            ["-Keys:GPSCoordinates=\(place)"], ["-UserData:GPSCoordinates=\(place)"],
            ["-ItemList:GPSCoordinates=\(place)"],
            [
                "-XMP-exif:GPSLatitude=\(latitude)", "-XMP-exif:GPSLongitude=\(longitude)",
                "-XMP-photoshop:City=Musterstadt",
            ],
        ]
    }

    private static func telling(_ tags: [String]) -> [String] {
        tags.filter {
            $0.range(
                of: "gps|xmp|city|serial|description|location|encoder|software|warning|compressorname|musterstadt",
                options: [.regularExpression, .caseInsensitive]) != nil
        }
    }

    @Test(arguments: samples) func `nothing is left of a place`(sample: String) async throws {
        let files = CleanedISOFiles()
        for (name, place) in CleanedISOFiles.places {
            for (index, leak) in Self.leaks(place.0, place.1).enumerated() {
                let file = "\(name)\(index).\(sample.suffix(3))"
                let bytes = try await files.plant(leak, in: sample, as: file)
                for facts in [Self.all, []] {
                    let copy = try CleanedISOFiles.clean(bytes, file, keeping: facts)
                    #expect(copy.count == bytes.count)
                    #expect(CleanedISOFiles.tellingWords(in: copy).isEmpty, "\(file)")
                    let telling = Self.telling(try await files.tags(copy, "copy-\(file)"))
                    #expect(telling.isEmpty, "\(file): \(telling)")
                    #expect(try CleanedISOFiles.clean(copy, file, keeping: facts) == copy, "\(file)")
                }
            }
        }
    }

    @Test(arguments: samples) func `a track of places, and what stands between the samples, becomes zeros`(
        sample: String
    ) async throws {
        let files = CleanedISOFiles()
        try files.folder.write(CleanedISOFiles.sample(sample), to: sample)
        try files.folder.write(Self.generator, to: "make.py")
        try await ChildProcess.output(
            of: ["python3", "make.py", sample, "leaky-\(sample)"], folder: files.folder.path, within: 60)
        let bytes = try files.bytes("leaky-\(sample)")
        #expect(CleanedISOFiles.tellingWords(in: bytes).contains("Musterstadt"))
        let copy = try CleanedISOFiles.clean(bytes, sample, keeping: Self.all)
        // What stands behind the last box is cut off.
        #expect(copy.count == bytes.count - 5)
        #expect(CleanedISOFiles.tellingWords(in: copy).isEmpty)
        let tags = try await files.tags(copy, "copy-\(sample)")
        #expect(Self.telling(tags).isEmpty)
        #expect(!tags.contains { $0.hasPrefix("[Track2]") })
        #expect(try CleanedISOFiles.clean(copy, sample, keeping: Self.all) == copy)
    }

    @Test func `facts that stay are what they were, and only where they may`() async throws {
        let files = CleanedISOFiles()
        let bytes = try await files.plant(
            [
                "-Keys:CreationDate=2024:05:06 07:08:09+09:00", "-Keys:Make=Apple", "-Keys:Model=iPhone 15",
                "-Keys:Copyright=Zo", "-Keys:GPSCoordinates=35.6762 139.6503 40", "-Keys:Software=17.1",
            ], in: "boat.mov", as: "phone.mov")
        let copy = try CleanedISOFiles.clean(bytes, "phone.mov", keeping: Self.all)
        let keys = try await files.tags(copy, "all.mov").filter { $0.hasPrefix("[Keys]") }
        #expect(keys.count == 4, "\(keys)")
        for value in ["2024:05:06 07:08:09+09:00", "Apple", "iPhone 15", "Zo"] {
            #expect(keys.contains { $0.hasSuffix(": \(value)") }, "\(value)")
        }
        let bare = try CleanedISOFiles.clean(bytes, "phone.mov", keeping: [])
        let tags = try await files.tags(bare, "none.mov")
        #expect(!tags.contains { $0.hasPrefix("[Keys]") })
        #expect(tags.filter { $0.contains("CreateDate") }.allSatisfy { $0.hasSuffix("0000:00:00 00:00:00") })
    }

    @Test func `a model that looks like a place goes`() async throws {
        let files = CleanedISOFiles()
        let bytes = try await files.plant(
            ["-Keys:Make=Apple", "-Keys:Model=+35.6762+139.6503/"], in: "boat.mov", as: "phone.mov")
        let copy = try CleanedISOFiles.clean(bytes, "phone.mov", keeping: Self.all)
        let keys = try await files.tags(copy, "all.mov").filter { $0.hasPrefix("[Keys]") }
        #expect(keys.contains { $0.hasSuffix(": Apple") })
        #expect(!keys.contains { $0.contains("Model") }, "\(keys)")
    }

    @Test func `fragments and data in other files are refused`() throws {
        let whole = try CleanedISOFiles.sample("boat.mp4")
        let fragment = whole + [0, 0, 0, 8] + Array("moof".utf8)
        #expect(throws: SubmitFailure.self) { try CleanedISOFiles.clean(fragment, "x.mp4", keeping: []) }
        var outside = whole
        let place = try #require(Data(whole).range(of: Data("url \0\0\0\u{1}".utf8)))
        outside[place.upperBound - 1] = 0
        #expect(throws: SubmitFailure.self) { try CleanedISOFiles.clean(outside, "x.mp4", keeping: []) }
    }

    @Test(arguments: samples) func `whatever is broken of one, its copy is refused or stays the same`(sample: String)
        throws
    {
        var numbers = SeededNumbers(seed: 7)
        let whole = try CleanedISOFiles.sample(sample)
        let header = try #require(Data(whole).range(of: Data("moov".utf8))).lowerBound
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = min(bytes.count - 1, header + Int.random(in: -8..<1400, using: &numbers))
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let copy = try? CleanedISOFiles.clean(bytes, sample, keeping: Self.all) else { continue }
            #expect(try CleanedISOFiles.clean(copy, sample, keeping: Self.all) == copy)
        }
    }

    /// Puts a track of places behind the film's own, as action cameras do, and words between its samples and behind its end.
    private static let generator = """
        import struct, sys
        data = bytearray(open(sys.argv[1], 'rb').read())
        def box(name, content): return struct.pack('>I', 8 + len(content)) + name + content
        def full(name, content): return box(name, bytes(4) + content)
        place = 0
        while data[place + 4:place + 8] != b'moov': place += struct.unpack('>I', data[place:place + 4])[0]
        size = struct.unpack('>I', data[place:place + 4])[0]
        moov = bytes(data[place + 8:place + size])
        data[place + 4:place + 8] = b'free'
        sample = b'GPS5 35.6762 139.6503 Musterstadt'
        start = len(data) + 8 + 30
        data += box(b'mdat', b'Musterstadt'.ljust(30) + sample + b'SN12345 35.6762')
        data += box(b'uuid', bytes(16) + b'<rdf:RDF> 35.6762 Musterstadt')
        matrix = struct.pack('>9I', 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
        table = b''.join([
            full(b'stsd', struct.pack('>I', 1) + box(b'gpmd', bytes(6) + struct.pack('>HI', 1, 0))),
            full(b'stts', struct.pack('>III', 1, 1, 1000)), full(b'stsc', struct.pack('>IIII', 1, 1, 1, 1)),
            full(b'stsz', struct.pack('>II', len(sample), 1)), full(b'stco', struct.pack('>II', 1, start))])
        media = b''.join([
            full(b'mdhd', struct.pack('>IIIIHH', 0, 0, 1000, 1000, 0x55c4, 0)),
            full(b'hdlr', bytes(4) + b'meta' + bytes(12) + b'Musterstadt GPS\\0'),
            box(b'minf', full(b'nmhd', b'') + box(b'dinf', full(b'dref', struct.pack('>I', 1) + box(b'url ', bytes([0, 0, 0, 1]))))
                + box(b'stbl', table))])
        head = struct.pack('>IIIII', 0, 0, 9, 0, 1000) + bytes(16) + matrix + bytes(8)
        data += box(b'moov', moov + box(b'trak', box(b'tkhd', bytes([0, 0, 0, 7]) + head) + box(b'mdia', media)))
        open(sys.argv[2], 'wb').write(data + b'\\0\\0\\0\\1G')
        """
}
