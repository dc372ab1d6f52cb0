import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

@Suite struct CleanCopyTests {
    private static let all = KeptFact.publishable
    /// Groups of exiftool in which nothing of people stands.
    private static let harmless = [
        "SourceFile", "ExifTool", "System", "File", "Composite", "JFIF", "ICC", "PNG", "RIFF", "GIF", "Adobe",
    ]

    @Test func `nothing is left of a place, by whatever way it was told`() async throws {
        let photos = try await LeakyPhotos.make()
        #expect(photos.names.count == 64)
        for facts in [Self.all, []] {
            let copies = try photos.cleaned(keeping: facts)
            let tags = try await copies.tags()
            for name in photos.names {
                let kept = (tags[name] ?? [:]).keys.filter { key in
                    let group = key.split(separator: ":")[0]
                    return !Self.harmless.contains { group.hasPrefix($0) }
                }
                #expect(
                    kept.allSatisfy { $0.hasPrefix("IFD0:") || $0.hasPrefix("ExifIFD:") }, "\(name): \(kept.sorted())")
                let named = try #require(tags[name], "\(name)")
                let telling = named.filter {
                    "\($0.key) \($0.value)".range(
                        of: "gps|location|city|iso6709|musterstadt|serial|owner|comment|title|description|warning",
                        options: [.regularExpression, .caseInsensitive]) != nil && !$0.key.hasPrefix("ICC")
                        && $0.key != "SourceFile"
                }
                #expect(telling.isEmpty, "\(name): \(telling)")
                let bytes = try copies.folder.bytes(name)
                #expect(!Self.holdsPlace(bytes), "\(name)")
                if name.hasSuffix("jpg") { #expect(Self.count(of: [0xff, 0xd8, 0xff], in: bytes) == 1, "\(name)") }
                let traces = try MetadataScan.traces(
                    in: MemoryBytes(bytes), type: LeakyPhotos.type(of: name), allowing: facts)
                #expect(traces.isEmpty, "\(name): \(traces)")
            }
        }
    }

    @Test func `all that is to stay is as it was, and the pixels are`() async throws {
        let photos = try await LeakyPhotos.make()
        let copies = try photos.cleaned(keeping: Self.all)
        let (before, after) = (try await photos.tags(), try await copies.tags())
        for name in photos.names {
            let kept = (after[name] ?? [:]).filter { $0.key.hasPrefix("IFD0:") || $0.key.hasPrefix("ExifIFD:") }
            for (key, value) in kept where key != "ExifIFD:ExifVersion" {
                // Of several numbers the first one stays.
                let first = before[name]?[key].map { name == "odd.jpg" ? String($0.prefix { $0 != " " }) : $0 }
                #expect(first == value, "\(name) \(key)")
            }
            // All of leaky.py's list.
            if name.hasPrefix("S") { #expect(kept.count >= 22, "\(name): \(kept.keys.sorted())") }
        }
        #expect(try await copies.pixels() == photos.pixels())
    }

    @Test func `where nothing is to stay, orientation and colour do`() async throws {
        let photos = try await LeakyPhotos.make()
        let copies = try photos.cleaned(keeping: [])
        for (name, tags) in try await copies.tags() {
            let kept = Set(tags.keys.filter { $0.hasPrefix("IFD0:") || $0.hasPrefix("ExifIFD:") })
            #expect(
                kept.isSubset(of: ["IFD0:Orientation", "ExifIFD:ColorSpace", "ExifIFD:ExifVersion"]), "\(name): \(kept)"
            )
        }
        #expect(try await copies.pixels() == photos.pixels())
    }

    @Test func `a colour profile behind a JPEG's frame stays`() async throws {
        let photo = try await CleanPhotos.named("pil-icc.jpg").bytes
        var (offset, others, profiles) = (2, [UInt8](), [UInt8]())
        while photo[offset + 1] != 0xda {
            let end = offset + 2 + (Int(photo[offset + 2]) << 8 | Int(photo[offset + 3]))
            if photo[offset + 1] == 0xe2 { profiles += photo[offset..<end] } else { others += photo[offset..<end] }
            offset = end
        }
        try #require(!profiles.isEmpty)
        let moved = photo[..<2] + others + profiles + photo[offset...]
        let copies = try [photo, Array(moved)].map { try LeakyPhotos.cleaned($0, "a.jpg", keeping: []) }
        #expect(copies[0] == copies[1] && Data(copies[1]).range(of: Data("ICC_PROFILE".utf8)) != nil)
    }

    @Test func `chunks of a PNG that no decoder needs are left out`() async throws {
        for (name, chunk) in [
            ("pil.png", Planted.chunk("PLTE", [1, 2, 3])), ("pil-palette.png", Planted.chunk("tRNS", [0])),
            ("pil-palette.png", Planted.chunk("bKGD", [0])), ("pil-palette.png", Planted.chunk("hIST", [0, 1])),
        ] {
            let photo = try await CleanPhotos.named(name)
            let odd = Array(photo.bytes[..<33] + chunk + photo.bytes[33...])
            let copy = try LeakyPhotos.cleaned(odd, name, keeping: [])
            #expect(try copy == LeakyPhotos.cleaned(photo.bytes, name, keeping: []), "\(name)")
            #expect(try photo.with(copy).traces().isEmpty, "\(name)")
        }
    }

    @Test func `a copy of a copy is the same copy`() async throws {
        let photos = try await LeakyPhotos.make()
        let copies = try photos.cleaned(keeping: Self.all)
        for name in photos.names {
            let bytes = try copies.folder.bytes(name)
            #expect(try LeakyPhotos.cleaned(bytes, name, keeping: Self.all) == bytes, "\(name)")
        }
    }

    @Test(arguments: ["NE.jpg", "NE.png", "NE.webp", "animated.gif"]) func `a photo that ends too early is refused`(
        name: String
    )
        async throws
    {
        let photos = try await LeakyPhotos.make()
        let bytes = try photos.folder.bytes(name)
        for count in stride(from: 0, to: bytes.count - 1, by: 97) {
            #expect(throws: SubmitFailure.self, "\(count) of \(bytes.count)") {
                try LeakyPhotos.cleaned(Array(bytes[..<count]), name, keeping: Self.all)
            }
        }
    }

    @Test func `whatever is broken of a photo, its copy is refused, or has no more to lose`() async throws {
        let photos = try await LeakyPhotos.make()
        var numbers = SeededNumbers(seed: 25)
        var made = 0
        for name in photos.names where !name.hasPrefix("orientation") {
            let whole = try photos.folder.bytes(name)
            for _ in 0..<60 {
                var bytes = whole
                Self.mutate(&bytes, &numbers)
                guard let copy = try? LeakyPhotos.cleaned(bytes, name, keeping: Self.all) else { continue }
                made += 1
                // A broken offset may make any words those of the camera, which nobody can tell; it stays a photo without the rest.
                #expect(try LeakyPhotos.cleaned(copy, name, keeping: Self.all) == copy, "\(name)")
                _ = try MetadataScan.traces(
                    in: MemoryBytes(copy), type: LeakyPhotos.type(of: name), allowing: Self.all)
            }
        }
        // Most changes hit the pixels, which are nobody's business here.
        #expect(made > 200)
    }

    private static func mutate(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
        let place = Int.random(in: 0..<bytes.count, using: &numbers)
        switch Int.random(in: 0..<5, using: &numbers) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &numbers)))
        case 2:
            let count = Int.random(in: 1...40, using: &numbers)
            bytes.insert(contentsOf: (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }, at: place)
        case 3: bytes.removeLast(bytes.count - place)
        // Lengths and offsets stand in the beginning.
        default:
            for index in 0..<min(4, bytes.count) {
                let place = min(bytes.count - 1, Int.random(in: 2..<400, using: &numbers) + index)
                bytes[place] = [0, 0xff, 0x7f, 0x80].randomElement(using: &numbers) ?? 0
            }
        }
    }

    // MARK: What the bytes themselves hold

    /// The place as text, and as EXIF's rationals in both orders: 35/1 40/1 and 139/1 39/1.
    private static func holdsPlace(_ bytes: [UInt8]) -> Bool {
        var needles = ["35.6762", "139.6503", "35,40.57", "139,39.01", "Musterstadt", "SN12345"].map { Array($0.utf8) }
        needles.append("Musterstadt".utf8.flatMap { [0, $0] })
        for (degrees, minutes) in [(UInt8(35), UInt8(40)), (139, 39)] {
            needles.append([0, 0, 0, degrees, 0, 0, 0, 1, 0, 0, 0, minutes])
            needles.append([degrees, 0, 0, 0, 1, 0, 0, 0, minutes, 0, 0, 0])
        }
        return needles.contains { count(of: $0, in: bytes) > 0 }
    }

    private static func count(of needle: [UInt8], in bytes: [UInt8]) -> Int {
        var (count, rest) = (0, Data(bytes)[...])
        while let found = rest.range(of: Data(needle)) {
            count += 1
            rest = rest[(found.lowerBound + 1)...]
        }
        return count
    }
}
