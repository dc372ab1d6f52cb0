import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

struct `The scan of what goes out` {
    @Test func `Clean photos made by other programs are clean`() async throws {
        let photos = try await CleanPhotos.all()
        #expect(photos.count >= 60)
        for photo in photos {
            let traces = try photo.traces()
            #expect(traces.isEmpty, "\(photo): \(traces)")
        }
    }

    @Test func `What is not allowed is found where it is the only thing to find`() async throws {
        for photo in try await CleanPhotos.all() where !photo.allowing.isEmpty {
            for fact in photo.allowing {
                #expect(!(try photo.traces(allowing: photo.allowing.subtracting([fact]))).isEmpty, "\(photo) \(fact)")
            }
            #expect(!(try photo.traces(allowing: [])).isEmpty, "\(photo)")
        }
    }

    /// Else what is planted might be found only as it is badly made.
    @Test func `What is planted the same way and tells nothing is clean`() async throws {
        let exifs = [
            Planted.tiff([Planted.orientation]),
            Planted.tiff([Planted.orientation, (0x8298, 2, 8, Array("© Zoë\0".utf8))]),
            Planted.exif(0x9003, 2, Array("2024:05:06 07:08:09\0".utf8)), Planted.exif(0x9000, 7, Array("0232".utf8)),
            Planted.exif(0xa434, 2, Array("XF 35mm\0".utf8)),
        ]
        let (jpeg, png) = (try await CleanPhotos.named("pil.jpg"), try await CleanPhotos.named("pil.png"))
        let webp = try await CleanPhotos.named("cwebp.webp").extended(flags: 8)
        let all = KeptFact.publishable
        for exif in exifs {
            for photo in [
                jpeg.inserting(Planted.exifSegment(exif), at: 2), png.inserting(Planted.chunk("eXIf", exif), at: 33),
                webp.inserting(Planted.riff("EXIF", exif), at: webp.bytes.count),
            ] {
                let traces = try photo.traces(allowing: all)
                #expect(traces.isEmpty, "\(photo): \(traces)")
            }
        }
        for chunk in [
            Planted.chunk("gAMA", Planted.big(45455, 4)), Planted.chunk("tIME", [7, 0xe8, 5, 6, 7, 8, 9]),
        ] {
            #expect(try png.inserting(chunk, at: 33).traces(allowing: all).isEmpty)
        }
    }

    @Test func `Each segment that tells something is found wherever it stands in a JPEG`() async throws {
        for photo in try await CleanPhotos.all("jpg") {
            for place in photo.parts {
                for segment in Planted.segments {
                    let traces = try photo.inserting(segment.bytes, at: place).traces(
                        allowing: [.date, .camera, .exposure, .copyright])
                    #expect(!traces.isEmpty, "\(segment.name) at \(place) of \(photo)")
                }
            }
        }
    }

    @Test func `Each segment that tells something is found between the scans of a JPEG`() async throws {
        for name in ["pil-progressive.jpg", "cjpeg-progressive.jpg", "jpegtran-rotated.jpg"] {
            let photo = try await CleanPhotos.named(name)
            // Among pixels, FF is never followed by a marker's byte.
            let places = photo.bytes.indices.dropLast().filter {
                photo.bytes[$0] == 0xff && [0xc4, 0xda, 0xd9].contains(photo.bytes[$0 + 1])
            }
            #expect(places.count > 10)
            for place in places {
                for segment in Planted.segments {
                    let traces = try photo.inserting(segment.bytes, at: place).traces()
                    #expect(!traces.isEmpty, "\(segment.name) at \(place) of \(photo)")
                }
            }
        }
    }

    @Test func `Text behind the last pixel of a JPEG or a WebP is found`() async throws {
        let text = Array(#"{"lat":35.1234,"lon":139.1234,"at":"home"}"#.utf8)
        for photo in try await CleanPhotos.all("jpg") {
            let traces = try photo.inserting(text, at: photo.bytes.count - 2).traces()
            #expect(traces.contains { $0.what == "a text behind the last pixel" }, "\(photo)")
        }
        for name in ["cwebp.webp", "cwebp-lossless.webp"] {
            let photo = try await CleanPhotos.named(name)
            var bytes = photo.bytes
            let length = bytes[16..<20].reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes.replaceSubrange(16..<20, with: Planted.little(length + text.count, 4))
            let traces = try photo.with(bytes).inserting(text, at: 20 + length).traces()
            #expect(traces.contains { $0.what == "a text behind the last pixel" }, "\(photo)")
        }
    }

    @Test func `A header with numbers that are too small or too large is not clean and harmless`() async throws {
        for photo in try await CleanPhotos.all() {
            for place in 0..<min(photo.bytes.count, 60) {
                for value: [UInt8] in [
                    [0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff], [0x7f, 0xff, 0xff, 0xff], [1, 0, 0, 0],
                ] {
                    var bytes = photo.bytes
                    bytes.replaceSubrange(place..<place + 4, with: value)
                    _ = try photo.with(bytes).traces()
                }
            }
        }
    }

    @Test func `What stands behind a picture is found`() async throws {
        for photo in try await CleanPhotos.all() {
            for trailer in Planted.trailers {
                let traces = try photo.appending(trailer.bytes).traces()
                #expect(traces.contains { $0.offset == Int64(photo.bytes.count) }, "\(trailer.name) behind \(photo)")
            }
        }
    }

    @Test func `Each chunk that tells something is found wherever it stands in a PNG`() async throws {
        for photo in try await CleanPhotos.all("png") {
            for place in photo.parts {
                for chunk in Planted.chunks where chunk.name != "date" || !photo.allowing.contains(.date) {
                    let traces = try photo.inserting(chunk.bytes, at: place).traces()
                    #expect(!traces.isEmpty, "\(chunk.name) at \(place) of \(photo)")
                }
            }
        }
    }

    @Test func `Each chunk that tells something is found wherever it stands in a WebP`() async throws {
        for photo in try await CleanPhotos.all("webp") {
            // The header may speak of it or not.
            for flags: UInt8 in [0, 8, 4] {
                let extended = photo.extended(flags: flags)
                for place in extended.parts {
                    for chunk in Planted.riffs {
                        let traces = try extended.inserting(chunk.bytes, at: place).traces()
                        #expect(!traces.isEmpty, "\(chunk.name) at \(place) of \(photo)")
                    }
                }
            }
            for chunk in Planted.riffs {
                #expect(!(try photo.inserting(chunk.bytes, at: photo.bytes.count).traces()).isEmpty, "\(chunk.name)")
            }
        }
    }

    @Test func `A chunk within a frame of an animation is found`() async throws {
        let photo = try await CleanPhotos.named("pil-animated.webp")
        guard let frame = photo.parts.first(where: { photo.bytes[$0...].starts(with: "ANMF".utf8) }) else {
            Issue.record("no frame")
            return
        }
        for chunk in Planted.riffs {
            var bytes = photo.bytes
            let length = bytes[frame + 4..<frame + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            bytes.replaceSubrange(frame + 4..<frame + 8, with: Planted.little(length + chunk.bytes.count, 4))
            let traces = try photo.with(bytes).inserting(chunk.bytes, at: frame + 8 + length).traces()
            #expect(traces.contains { $0.offset >= frame }, "\(chunk.name)")
        }
    }

    @Test func `A place is named as such`() async throws {
        let jpeg = try await CleanPhotos.named("pil.jpg")
        #expect(
            try jpeg.inserting(Planted.exifSegment(Planted.gpsTIFF), at: 2).traces().contains {
                $0.what == "a place in EXIF (GPS)"
            })
        let png = try await CleanPhotos.named("pil.png")
        #expect(
            try png.inserting(Planted.chunk("eXIf", Planted.gpsTIFF), at: 33).traces().contains {
                $0.what == "a place in EXIF (GPS)"
            })
    }

    @Test func `What exiftool writes is found in each format`() async throws {
        let leaks: [(arguments: [String], ends: Set<String>)] = [
            (["-GPSLatitude=35.1", "-GPSLatitudeRef=N", "-GPSLongitude=139.2", "-GPSLongitudeRef=E"], []),
            (["-GPSDateStamp=2024:05:06"], []), (["-XMP-exif:GPSLatitude=35.1"], []),
            (["-XMP-photoshop:City=Kyoto"], []), (["-XMP-iptcExt:LocationShownCity=Kyoto"], []),
            (["-IPTC:City=Kyoto"], ["jpg", "png"]), (["-Comment=home"], ["jpg", "png"]),
            (["-EXIF:UserComment=home"], []), (["-EXIF:SerialNumber=123"], []), (["-EXIF:LensSerialNumber=123"], []),
            (["-EXIF:OwnerName=Alice"], []), (["-EXIF:ImageUniqueID=0123456789abcdef0123456789abcdef"], []),
            (["-EXIF:ImageDescription=home"], []), (["-EXIF:Software=home"], []), (["-EXIF:XPComment=home"], []),
            (["-EXIF:HostComputer=home"], []), (["-ThumbnailImage<=thumb.jpg"], ["jpg"]),
            (["-XMP-dc:Description<=long.txt"], []), (["-EXIF:InteropIndex=R98"], []),
            (["-PNG:Author=Alice"], ["png"]), (["-PNG:ModifyDate=2024:05:06 07:08:09"], ["png"]),
            (["-Photoshop:URL=http://example.org/"], ["jpg"]),
            (["-MPF:all=", "-EXIF:DateTimeOriginal=2024:05:06 07:08:09"], []),
            (["-EXIF:Make=Canon"], []), (["-EXIF:FNumber=2.8"], []), (["-EXIF:Artist=Alice"], []),
        ]
        let folder = TemporaryFolder()
        try folder.write(try await CleanPhotos.named("pil-gray.jpg").bytes, to: "thumb.jpg")
        try folder.write(String(repeating: "at home ", count: 10_000), to: "long.txt")
        // One process for all: it takes long to start.
        var arguments = ["exiftool"]
        var names: [(name: String, leak: [String], photo: ScanPhoto)] = []
        for end in ["jpg", "png", "webp"] {
            let photo = try await CleanPhotos.named("pil.\(end)")
            for (index, leak) in leaks.enumerated() where leak.ends.isEmpty || leak.ends.contains(end) {
                names.append(("\(index).\(end)", leak.arguments, photo))
                try folder.write(photo.bytes, to: "\(index).\(end)")
                arguments += leak.arguments + ["\(index).\(end)", "-execute"]
            }
        }
        arguments += ["-common_args", "-q", "-m", "-overwrite_original"]
        try await ChildProcess.output(of: arguments, folder: folder.path)
        for (name, leak, photo) in names {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
            let traces = try photo.with([UInt8](data)).traces()
            #expect(!traces.isEmpty, "\(leak) in \(name)")
            #expect(traces.allSatisfy { $0.offset >= 0 && $0.offset <= Int64(data.count) }, "\(traces)")
        }
    }

    @Test func `A leak at any place of any photo is found`() async throws {
        var numbers = SeededNumbers(seed: 0x5ca9)
        let photos = try await CleanPhotos.all()
        let segments = Planted.segments
        for draw in 0..<200 {
            guard let photo = photos.randomElement(using: &numbers),
                let place = photo.parts.randomElement(using: &numbers)
            else { continue }
            let planted: ScanPhoto
            let name: String
            if Int.random(in: 0..<4, using: &numbers) == 0,
                let trailer = Planted.trailers.randomElement(using: &numbers)
            {
                (name, planted) = (trailer.name, photo.appending(trailer.bytes))
            } else {
                switch photo.type.filenameExtension {
                case "jpg":
                    guard let leak = segments.randomElement(using: &numbers) else { continue }
                    (name, planted) = (leak.name, photo.inserting(leak.bytes, at: place))
                case "png":
                    guard let leak = Planted.chunks.randomElement(using: &numbers),
                        leak.name != "date" || !photo.allowing.contains(.date)
                    else { continue }
                    (name, planted) = (leak.name, photo.inserting(leak.bytes, at: place))
                default:
                    let extended = photo.extended(flags: [0, 4, 8].randomElement(using: &numbers) ?? 0)
                    guard let leak = Planted.riffs.randomElement(using: &numbers),
                        let place = extended.parts.randomElement(using: &numbers)
                    else { continue }
                    (name, planted) = (leak.name, extended.inserting(leak.bytes, at: place))
                }
            }
            #expect(!(try planted.traces()).isEmpty, "draw \(draw): \(name) in \(photo) at \(place)")
        }
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `No damage makes it crash or hang`(end: String) async throws {
        var numbers = SeededNumbers(seed: 0x0dd)
        let photos = try await CleanPhotos.all(end)
        let all = KeptFact.publishable
        let start = ContinuousClock.now
        for _ in 0..<1000 {
            guard let photo = photos.randomElement(using: &numbers) else { break }
            _ = try photo.with(Self.damaged(photo.bytes, &numbers)).traces(allowing: all)
        }
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(arguments: ["jpg", "png", "webp"])
    func `No damage hides what was planted`(end: String) async throws {
        try await Self.expectNothingHidden(end, draws: 3000)
    }

    static func expectNothingHidden(_ end: String, draws: Int) async throws {
        let words = Array("We live at 35.12345, 139.12345: ring twice!".utf8)
        let photos = try await CleanPhotos.all(end)
        for seed in 0..<draws {
            var numbers = SeededNumbers(seed: UInt64(seed))
            guard var photo = photos.randomElement(using: &numbers) else { continue }
            if end == "webp" { photo = photo.extended(flags: Bool.random(using: &numbers) ? 8 : 0) }
            guard let place = photo.parts.randomElement(using: &numbers) else { continue }
            let exif = Planted.exif(0x9286, 7, words)
            let planted: [UInt8]
            switch end {
            case "jpg":
                let markers: [UInt8] = [0xfe, 0xe1, 0xe2, 0xe0, 0xee, 0xdb, 0xc4, 0xdd]
                planted =
                    Bool.random(using: &numbers)
                    ? Planted.exifSegment(exif)
                    : Planted.segment(markers.randomElement(using: &numbers) ?? 0xfe, words)
            case "png":
                let types = ["eXIf", "tEXt", "iCCP", "PLTE", "IDAT", "IEND", "zzZz"]
                planted =
                    Bool.random(using: &numbers)
                    ? Planted.chunk("eXIf", exif) : Planted.chunk(types.randomElement(using: &numbers) ?? "tEXt", words)
            default:
                let types = ["EXIF", "XMP ", "ICCP", "ALPH", "ANIM", "VP8 ", "VP8L", "ANMF", "zzZz"]
                planted =
                    Bool.random(using: &numbers)
                    ? Planted.riff("EXIF", exif) : Planted.riff(types.randomElement(using: &numbers) ?? "XMP ", words)
            }
            var bytes = photo.inserting(planted, at: place).bytes
            if seed % 2 == 0 { bytes = damaged(bytes, &numbers) }
            guard try photo.with(bytes).traces(allowing: [.date, .camera, .exposure, .copyright]).isEmpty else {
                continue
            }
            #expect(Self.place(of: "139.12345", in: bytes) == nil, "seed \(seed): \(photo)")
        }
    }

    static func damaged(_ bytes: [UInt8], _ numbers: inout SeededNumbers) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &numbers) {
            guard !bytes.isEmpty else { break }
            // The heads of files are where the numbers are.
            let end = Bool.random(using: &numbers) ? min(bytes.count, 700) : bytes.count
            let place = Int.random(in: 0..<end, using: &numbers)
            switch Int.random(in: 0..<7, using: &numbers) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 2: bytes[place] = [0, 0xff, 0x7f, 0x80].randomElement(using: &numbers) ?? 0
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &numbers)))
            case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 16)], at: place)
            case 5: bytes.replaceSubrange(place..<min(bytes.count, place + 4), with: [0xff, 0xff, 0xff, 0xff])
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    @Test func `Every photo that is cut off is not clean`() async throws {
        for photo in try await CleanPhotos.all() {
            for count in stride(from: 0, to: photo.bytes.count, by: max(1, photo.bytes.count / 150)) {
                #expect(!(try photo.with(Array(photo.bytes.prefix(count))).traces()).isEmpty, "\(photo) \(count)")
            }
        }
    }

    @Test func `Bytes behind the last pixel within PNG's own data are found`() async throws {
        let photo = try await CleanPhotos.named("pil.png")
        let end = photo.parts[photo.parts.count - 1]
        let more = photo.inserting(Planted.chunk("IDAT", Array("at home".utf8)), at: end)
        #expect(try more.traces().map(\.what) == ["bytes after the picture's last pixel"])
        // A chunk that is empty says nothing.
        #expect(try photo.inserting(Planted.chunk("IDAT", []), at: end).traces().isEmpty)
    }

    @Test func `Palettes and opacities that a PNG has no use for are found`() async throws {
        for name in ["pil.png", "pil-alpha.png", "pil-gray.png", "pil-palette.png"] {
            let photo = try await CleanPhotos.named(name)
            for chunk in [("PLTE", 255 * 3), ("tRNS", 257), ("tRNS", 43), ("bKGD", 3), ("sBIT", 5)] {
                if name == "pil-palette.png", chunk == ("tRNS", 43) { continue }
                let planted = Planted.chunk(chunk.0, [UInt8](repeating: 0x41, count: chunk.1))
                let place = photo.parts.first { photo.bytes[($0 + 4)...].starts(with: "IDAT".utf8) } ?? 33
                #expect(!(try photo.inserting(planted, at: place).traces()).isEmpty, "\(chunk) in \(photo)")
            }
        }
    }

    @Test func `A chunk with a wrong checksum is found`() async throws {
        for photo in try await CleanPhotos.all("png") {
            for place in photo.parts {
                var bytes = photo.bytes
                bytes[place - 1] ^= 1
                #expect(!(try photo.with(bytes).traces()).isEmpty, "\(photo) \(place)")
            }
        }
    }

    @Test func `Words of metadata among the pixels are found`() async throws {
        let photo = try await CleanPhotos.named("pil.jpg")
        let planted = photo.inserting(Array(Planted.xmp.utf8), at: photo.bytes.count - 2)
        #expect(!(try planted.traces()).isEmpty)
    }

    @Test func `A second picture behind a first one without an end is found`() async throws {
        for photo in try await CleanPhotos.all("jpg") {
            #expect(!(try photo.with(photo.bytes.dropLast(2) + photo.bytes).traces()).isEmpty, "\(photo)")
        }
    }

    @Test func `A second scan of what was scanned is found`() async throws {
        for name in ["pil.jpg", "pil-gray.jpg", "pil-progressive.jpg", "cjpeg-arithmetic.jpg"] {
            let photo = try await CleanPhotos.named(name)
            guard let scan = photo.parts.last else { continue }
            let scans = photo.bytes[scan..<photo.bytes.count - 2]
            let twice = photo.with(photo.bytes.dropLast(2) + scans + [0xff, 0xd9])
            #expect(try twice.traces().contains { $0.what.contains("second picture") }, "\(name)")
        }
    }

    @Test func `Colour profiles with parts that nobody needs are found`() async throws {
        for end in ["jpg", "webp"] {
            let photo = try await CleanPhotos.named("pil-icc.\(end)")
            guard let table = Self.place(of: "chad", in: photo.bytes) else {
                Issue.record("no tag")
                return
            }
            var bytes = photo.bytes
            // Make and model of a display, with its serial number.
            bytes.replaceSubrange(table..<table + 4, with: "mmod".utf8)
            #expect(!(try photo.with(bytes).traces()).isEmpty)
        }
    }

    private static func place(of text: String, in bytes: [UInt8]) -> Int? {
        let text = Array(text.utf8)
        return (0..<max(0, bytes.count - text.count)).first { bytes[$0..<$0 + text.count].elementsEqual(text) }
    }

    @Test func `Any other format cannot be proven clean`() async throws {
        let photo = try await CleanPhotos.named("pil.jpg")
        for mime in ["image/tiff", "image/x-adobe-dng", "video/x-matroska", "video/webm", ""] {
            let type = MediaType(kind: .photo, mime: mime, filenameExtension: "")
            let traces = try MetadataScan.traces(in: MemoryBytes(photo.bytes), type: type, allowing: [])
            #expect(traces.count == 1)
        }
    }

    @Test func `A photo of another format than its type says is not clean`() async throws {
        let photos = try await CleanPhotos.all()
        for end in ["jpg", "png", "webp"] {
            for photo in photos where !photo.name.hasSuffix(end) {
                let other = ScanPhoto(name: "a.\(end)", bytes: photo.bytes, allowing: photo.allowing)
                #expect(!(try other.traces()).isEmpty, "\(photo) as \(end)")
            }
        }
        #expect(!(try ScanPhoto(name: "a.jpg", bytes: []).traces()).isEmpty)
    }

    @Test func `A failure of reading is passed on`() {
        struct Broken: MediaBytes {
            let size: Int64 = 1000
            var fileDescriptor: CInt? { nil }
            func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
                throw SubmitFailure(.sourceLost, code: "source-changed", message: "It changed.")
            }
            func verifyUnchanged() throws(SubmitFailure) {}
        }
        for mime in ["image/jpeg", "image/png", "image/webp"] {
            #expect(throws: SubmitFailure(.sourceLost, code: "source-changed", message: "It changed.")) {
                try MetadataScan.traces(
                    in: Broken(), type: MediaType(kind: .photo, mime: mime, filenameExtension: ""), allowing: [])
            }
        }
    }
}
