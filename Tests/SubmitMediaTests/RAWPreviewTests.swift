import Foundation
import Submit
import Testing

@testable import SubmitMedia

@Suite struct RAWPreviewTests {
    private let large = RAWExample.jpeg(6000, 4000, size: 3000)
    private let small = RAWExample.jpeg(160, 120, size: 4000)

    private func type(_ name: String) -> MediaType { .photo("image/x-\(name)", "") }

    private func preview(_ file: [UInt8], _ name: String) -> RAWPreview? {
        RAWPreview(FileRegion(file), type(name))
    }

    /// That the large one was found where it is, and what is told beside it.
    private func expectLarge(
        _ file: [UInt8], _ name: String, orientation: Int = 1, whole: (Int, Int)? = (6000, 4000),
        at location: SourceLocation = #_sourceLocation
    ) {
        let found = preview(file, name)
        #expect(found?.width == 6000 && found?.height == 4000, sourceLocation: location)
        #expect(found.map { Array(file[Int($0.place.lowerBound)..<Int($0.place.upperBound)]) } == large)
        #expect(found?.orientation == orientation, sourceLocation: location)
        #expect(found?.whole == whole.map { RAWPreview.Size(width: $0.0, height: $0.1) }, sourceLocation: location)
        #expect(found?.isFullSize == (whole != nil), sourceLocation: location)
    }

    // MARK: What is built on TIFF

    @Test func `CR2 has it as the first directory's strip and the sensor data are none`() {
        let raw = RAWExample.jpeg(9000, 9000, frame: 0xc3)
        let file = RAWExample.tiff(
            [
                RAWExample.strip(large, at: 0, compression: 6) + RAWExample.facts(exif: 3, orientation: 6),
                RAWExample.thumbnail(small, at: 1), RAWExample.strip(raw, at: 2, compression: 6),
                RAWExample.exif(6000, 4000),
            ], chain: [0: 1, 1: 2], pictures: [large, small, raw], header: "II*\0CR\u{2}\0")
        expectLarge(file, "canon-cr2", orientation: 6)
    }

    @Test(arguments: ["nikon-nef", "samsung-srw", "sony-arw", "hasselblad-3fr", "pentax-pef"], ["II*\0", "MM\0*"])
    func `directories within the first one have it`(name: String, header: String) {
        let file = RAWExample.tiff(
            [
                RAWExample.facts(exif: 3, orientation: 8)
                    + [(0x014a, 4, [RAWExample.directory(1), RAWExample.directory(2)])],
                RAWExample.thumbnail(large, at: 0), RAWExample.sensor(6016, 4016), RAWExample.exif(),
                RAWExample.thumbnail(small, at: 1),
            ], chain: [0: 4], pictures: [large, small], header: header)
        expectLarge(file, name, orientation: 8, whole: (6016, 4016))
    }

    @Test(arguments: ["pentax-pef", "sony-arw"]) func `directories behind the first one have it`(name: String) {
        let file = RAWExample.tiff(
            [
                RAWExample.facts(exif: 3) + RAWExample.sensor(6016, 4016), RAWExample.thumbnail(small, at: 1),
                RAWExample.thumbnail(large, at: 0), RAWExample.exif(6000, 4000),
            ], chain: [0: 1, 1: 2], pictures: [large, small], header: "MM\0*")
        expectLarge(file, name)
    }

    @Test func `DNG has it as a strip, and neither masks nor strips without their tables count`() {
        let other = RAWExample.jpeg(8000, 8000)
        let places = (1...6).map(RAWExample.directory)
        func strip(_ index: Int, kind: Int, colors: Int) -> [RAWExample.Entry] {
            RAWExample.strip(index == 0 ? large : other, at: index, compression: 7)
                + [(0x00fe, 4, [kind]), (0x0106, 3, [colors])]
        }
        let crop: [RAWExample.Entry] = [(0xc620, 5, [6000, 1, 12000, 3])]
        let file = RAWExample.tiff(
            [
                RAWExample.facts(exif: 7) + [(0xc612, 1, [1, 4, 0, 0]), (0x014a, 13, places)],
                strip(0, kind: 1, colors: 6), RAWExample.sensor(6048, 4024) + crop,
                strip(1, kind: 4, colors: 1), strip(1, kind: 1, colors: 6) + [(0x015b, 7, [0, 0, 0, 0, 0])],
                strip(1, kind: 0, colors: 34892), strip(1, kind: 8, colors: 51177), RAWExample.exif(1024, 683),
            ], pictures: [large, other])
        expectLarge(file, "adobe-dng")
    }

    @Test(arguments: [true, false]) func `RW2 has it beside the settings, newer cameras twice`(isNew: Bool) {
        let inside = RAWExample.tiff([RAWExample.facts(exif: 1), RAWExample.exif(1920, 1440)])
        let jpeg = RAWExample.jpeg(1920, 1440, exif: inside)
        let file = RAWExample.tiff(
            [
                [(4, 3, [8]), (5, 3, [8]), (6, 3, [4008]), (7, 3, [6008]), (0x0112, 3, [6])]
                    + [(0x002e, 7, jpeg.map(Int.init))] + (isNew ? [(0x0127, 7, large.map(Int.init))] : [])
            ], header: "IIU\0")
        if isNew {
            expectLarge(file, "panasonic-rw2", orientation: 6)
        } else {
            let found = preview(file, "leica-rwl")
            #expect(found?.width == 1920 && found?.isFullSize == false && found?.orientation == 6)
            #expect(found?.place.count == jpeg.count)
        }
    }

    @Test(arguments: ["OLYMPUS\0II\u{3}\0", "OM SYSTEM\0\0\0II\u{4}\0", "OLYMP\0\u{1}\0", "AOC\0II", "PENTAX \0II"])
    func `makers' notes point at it, from where each counts`(head: String) {
        let isPentax = head.hasPrefix("AOC") || head.hasPrefix("PENTAX")
        let isRelative = !head.hasPrefix("OLYMP\0") && !head.hasPrefix("AOC")
        func number(_ value: Int, _ width: Int) -> [UInt8] { Example.big(value, width).reversed() }
        // Behind EXIF's directory of five entries, their end, and the fraction and the date, which are longer than four.
        let start = RAWExample.directory(1) + 2 + 5 * 12 + 4 + 8 + 20
        func entry(_ tag: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4)
        }
        let place = RAWExample.picture(0) - (isRelative ? start : 0)
        let inner = (isRelative ? 0 : start) + head.utf8.count + 18
        let pointing = entry(isPentax ? 3 : 0x0102, large.count) + entry(isPentax ? 4 : 0x0101, place)
        let list =
            isPentax
            ? number(2, 2) + pointing + number(0, 4)
            : number(1, 2) + entry(0x2020, inner) + number(0, 4) + number(2, 2) + pointing
        let note = Array(head.utf8) + list
        let exif = RAWExample.exif(6000, 4000, note: (0x927c, 7, note.map(Int.init)))
        let file = RAWExample.tiff(
            [RAWExample.facts(exif: 1, orientation: 3), exif], pictures: [large],
            header: isPentax ? "II*\0" : "IIRO")
        expectLarge(file, isPentax ? "pentax-pef" : "olympus-orf", orientation: 3)
    }

    // MARK: Others

    @Test func `RAF, MRW, CRW, X3F and CR3 have it in ways of their own`() {
        let exif = RAWExample.tiff([RAWExample.facts(exif: 1, orientation: 6), RAWExample.exif()])
        let fuji = RAWExample.jpeg(6000, 4000, exif: exif)
        let raf = RAWExample.raf(fuji, whole: (6000, 4000))
        let found = preview(raf, "fuji-raf")
        #expect(found?.place == 256..<256 + Int64(fuji.count) && found?.orientation == 6 && found?.isFullSize == true)

        let bare: [RAWExample.Entry] = [(0x0088, 4, [RAWExample.picture(0)]), (0x0089, 4, [large.count])]
        // The directory of the note is the note: where it is, the third is.
        let size = 2 + 12 * bare.count + 4
        var tiff = RAWExample.tiff(
            [
                RAWExample.facts(exif: 1, orientation: 8),
                RAWExample.exif(note: (0x927c, 7, [Int](repeating: 0, count: size))), bare,
            ], pictures: [large])
        let note = RAWExample.directory(1) + 2 + 3 * 12 + 4 + 8 + 20
        tiff.replaceSubrange(note..<note + size, with: tiff[RAWExample.directory(2)..<RAWExample.directory(2) + size])
        expectLarge(RAWExample.mrw(tiff, whole: (6000, 4000)), "minolta-mrw", orientation: 8)

        for (turned, orientation) in [(0, 1), (90, 6), (180, 3), (270, 8)] {
            let crw = RAWExample.crw(large, thumbnail: small, whole: (6000, 4000), turned: turned)
            expectLarge(crw, "canon-crw", orientation: orientation)
            let x3f = RAWExample.x3f(large, whole: (6000, 4000), turned: turned, version: turned == 90 ? 4 : 2)
            expectLarge(x3f, "sigma-x3f", orientation: orientation)
        }

        expectLarge(
            RAWExample.cr3(large, preview: small, whole: (6000, 4000)), "canon-cr3", orientation: 8)
        let pruned = preview(RAWExample.cr3(nil, preview: small, whole: (6000, 4000)), "canon-cr3")
        #expect(pruned?.width == 160 && pruned?.place.count == small.count && pruned?.isFullSize == false)
    }

    @Test func `files are read as they are open`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "submit-raw-\(UUID()).raf")
        defer { try? FileManager.default.removeItem(at: path) }
        let exif = RAWExample.tiff([RAWExample.facts(exif: 1, orientation: 6), RAWExample.exif()])
        let file = RAWExample.raf(RAWExample.jpeg(600, 400, exif: exif), whole: (6000, 4000))
        try Data(file).write(to: path)
        let handle = try FileHandle(forReadingFrom: path)
        let descriptor = handle.fileDescriptor
        let type = MediaTypeDetector.type(of: file.span, fileExtension: "") ?? .other
        #expect(RAWPreview(of: descriptor, type: type) == RAWPreview(FileRegion(file), type))
        #expect(RAWPreview(of: descriptor, type: type)?.isFullSize == false)
        #expect(RAWPreview.exif(of: descriptor, type: type) == RAWPreview.exif(FileRegion(file), type))
    }

    @Test func `only RAW types are looked into`() {
        let names = [
            "canon-cr2", "canon-cr3", "canon-crw", "nikon-nef", "nikon-nrw", "sony-arw", "sony-sr2", "adobe-dng",
            "olympus-orf", "panasonic-rw2", "leica-rwl", "pentax-pef", "fuji-raf", "samsung-srw", "minolta-mrw",
            "hasselblad-3fr", "hasselblad-fff", "phaseone-iiq", "sigma-x3f", "kodak-dcr", "kodak-kdc", "epson-erf",
            "mamiya-mef", "leaf-mos",
        ]
        for name in names { #expect(RAWPreview.isPossible(of: type(name)), "\(name)") }
        for mime in ["image/jpeg", "image/tiff", "image/heic", "image/png", "video/mp4"] {
            #expect(!RAWPreview.isPossible(of: .photo(mime, "")))
            #expect(RAWPreview.exif(FileRegion(RAWExample.jpeg(8, 8)), .photo(mime, "")) == nil)
        }
        #expect(!RAWPreview.isPossible(of: .video("image/x-canon-cr2", "")))
    }

    // MARK: What is none

    private func thumbnailed(_ jpeg: [UInt8], offset: Int = RAWExample.picture(0), length: Int? = nil) -> [UInt8] {
        RAWExample.tiff(
            [[(0x0201, 4, [offset]), (0x0202, 4, [length ?? jpeg.count])]], pictures: [jpeg])
    }

    @Test func `what nothing decodes is none`() {
        #expect(preview(thumbnailed(large), "sony-arw")?.width == 6000)
        for frame in [0xc1, 0xc2] as [UInt8] {
            #expect(preview(thumbnailed(RAWExample.jpeg(8, 9, frame: frame)), "sony-arw")?.height == 9)
        }
        #expect(preview(thumbnailed(RAWExample.jpeg(8, 8, components: 1)), "sony-arw") != nil)
        for frame in [0xc3, 0xc5, 0xc7, 0xc9, 0xcb] as [UInt8] {
            #expect(preview(thumbnailed(RAWExample.jpeg(8, 8, frame: frame)), "sony-arw") == nil)
        }
        for broken in [
            RAWExample.jpeg(0, 8), RAWExample.jpeg(8, 0), RAWExample.jpeg(8, 8, bits: 12),
            RAWExample.jpeg(8, 8, components: 2), RAWExample.jpeg(8, 8, components: 4), Array(large.dropFirst()),
            Array(large.prefix(3)), [0xff, 0xd8, 0xff, 0xda, 0, 2], [UInt8](repeating: 0xff, count: 4000),
        ] {
            #expect(preview(thumbnailed(broken), "sony-arw") == nil)
        }
    }

    @Test func `what is not in the file from end to end is none`() {
        let (end, most) = (thumbnailed(large).count, Int(UInt32.max))
        for (offset, length) in [
            (RAWExample.picture(0), large.count + 1), (RAWExample.picture(0), most), (most, large.count), (most, most),
            (end, 1), (0, large.count), (RAWExample.picture(0), 0),
        ] {
            #expect(preview(thumbnailed(large, offset: offset, length: length), "sony-arw") == nil)
        }
        let wide: [(UInt64, UInt64)] = [(.max, .max), (1 << 63, 8), (UInt64(Int64.max), 8), (8, UInt64(Int64.max))]
        for (offset, length) in wide {
            func number(_ value: UInt64, _ width: Int) -> [UInt8] { Example.big(Int(truncatingIfNeeded: value), width) }
            let list = [(0x0201 as UInt64, offset), (0x0202, length), (0x014a, offset), (0x8769, length)].flatMap {
                number($0.0, 2) + number(16, 2) + number(1, 8) + number($0.1, 8)
            }
            let file = Array("MM\0+\0\u{8}\0\0".utf8) + number(16, 8) + number(4, 8) + list + number(offset, 8)
            #expect(preview(file, "adobe-dng") == nil)
            #expect(RAWPreview.exif(FileRegion(file), type("adobe-dng")) == nil)
        }
    }

    // MARK: What is hostile

    @Test func `directories that lead to each other end`() {
        let file = RAWExample.tiff(
            [
                [(0x014a, 4, [0, 1, 2].map(RAWExample.directory)), (0x8769, 4, [RAWExample.directory(0)])],
                [(0x014a, 4, [RAWExample.directory(0)])] + RAWExample.thumbnail(large, at: 0),
                [(0x014a, 4, [RAWExample.directory(2)])],
            ], chain: [0: 1, 1: 2, 2: 0], pictures: [large])
        expectLarge(file, "nikon-nef", whole: nil)
    }

    @Test func `ten thousand directories are not all looked at`() {
        let thumbnail = RAWExample.jpeg(16, 16)
        // A list of where they are, then each, then the picture they all lead to.
        let (count, start) = (10_000, 64)
        let directories = start + count * 4
        let picture = directories + count * 30
        func entry(_ tag: Int, _ count: Int, _ value: Int) -> [UInt8] {
            [Example.big(tag, 2), Example.big(4, 2), Example.big(count, 4), Example.big(value, 4)].flatMap { $0 }
        }
        var inner = Example.big(2, 2)
        inner += entry(0x0201, 1, picture) + entry(0x0202, 1, thumbnail.count) + Example.big(0, 4)
        var file = Array("MM\0*".utf8) + Example.big(8, 4) + Example.big(1, 2)
        file += entry(0x014a, count, start) + [UInt8](repeating: 0, count: start - 22)
        for index in 0..<count { file += Example.big(directories + index * 30, 4) }
        for _ in 0..<count { file += inner }
        file += thumbnail
        let clock = ContinuousClock()
        let spent = clock.measure { #expect(preview(file, "nikon-nef")?.width == 16) }
        #expect(spent < .seconds(5))
        #expect(TIFFStructure(FileRegion(file)).map { Array(TIFFDirectories($0)).count } == 64)
    }

    @Test func `broken files are survived`() {
        let exif = RAWExample.tiff([RAWExample.facts(exif: 1, orientation: 6), RAWExample.exif()])
        let files: [(String, [UInt8])] = [
            (
                "nikon-nef",
                RAWExample.tiff(
                    [
                        RAWExample.facts(exif: 2) + [(0x014a, 4, [RAWExample.directory(1)])],
                        RAWExample.thumbnail(large, at: 0), RAWExample.exif(),
                    ], pictures: [large])
            ),
            ("fuji-raf", RAWExample.raf(RAWExample.jpeg(600, 400, exif: exif), whole: (600, 400))),
            ("canon-crw", RAWExample.crw(large, thumbnail: small, whole: (600, 400), turned: 90)),
            ("sigma-x3f", RAWExample.x3f(large, whole: (600, 400), turned: 90, version: 2)),
            ("canon-cr3", RAWExample.cr3(large, preview: small, whole: (600, 400))),
            ("minolta-mrw", RAWExample.mrw(exif, whole: (600, 400))),
        ]
        for (name, file) in files {
            for number in 0..<300 {
                var broken = file
                for _ in 0..<Int.random(in: 1...6) {
                    // Where headers are: at both ends, and mostly where something stands.
                    let far = Bool.random() ? min(6000, broken.count) : broken.count
                    let place = Bool.random() ? Int.random(in: 0..<far) : broken.count - 1 - Int.random(in: 0..<200)
                    broken[place] = [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255)].randomElement()!
                }
                if number % 10 == 0 { broken.removeSubrange(Int.random(in: 4..<broken.count)...) }
                if let found = preview(broken, name) {
                    #expect(found.place.upperBound <= broken.count && (1...8).contains(found.orientation))
                }
                _ = RAWPreview.exif(FileRegion(broken), type(name))
            }
        }
    }
}
