import Submit
import SubmitRendition
import TestServers
import Testing

struct `A text that stays` {
    private static let maker = 0x010f
    private static let model = 0x0110
    private static let artist = 0x013b
    private static let copyright = 0x8298
    private static let lens = 0xa434

    static let places = [
        "35°40'52\"N 139°45'58\"E", "35° 40.87'", "35.68,139.76", "35.6, 139.7", "35.68 139.76", "-33.86 151.21",
        "33.86S 151.21E", "35,68; 139,76", "N 35 40 52", "n35 40 52", "N 35 40.87", "N35.68", "35 40 52 N", "35.68 N",
        "North 35 40", "35 deg 40", "35 degrees 40 minutes", "35d40m52s", "35'40", "35 40 52 139 45 58", "geo:35,139",
        "geo:35.68,139.76", "lat 35 lon 139", "lat: 35.6", "lng=139", "8Q7XMQJ6+2V", "+35.1+139.2", "+35+139/",
        "https://maps.app.goo.gl/x", "https://www.openstreetmap.org/#map=9", "///what3words", "at 35.12345",
        "coordinates on request", "Bob, 35.68 / 139.76", "S 33 51 E 151 12", "O 4 12 33",
    ]
    static let serials = [
        "EF50mm f/1.8 STM 1234567", "X100 SN:12345", "X100 S/N 4A", "Serial 123", "#12345", "M10 (123456)",
        "123456789012",
        "Lens No. 1234567", "0123456789ABCDEF12", "GoPro C3441324567890",
    ]
    static let names = [
        "iPhone 6s", "iPhone 15 Pro Max", "iPhone 6s back camera 4.15mm f/2.2",
        "iPhone 15 Pro back triple camera 6.765mm f/1.78", "E 18-55mm F3.5-5.6 OSS", "E 3.5-5.6/PZ 16-50 OSS",
        "EF-S18-55mm f/3.5-5.6 IS", "E 30mm F2.8", "18.0-55.0 mm f/3.5-5.6", "4.30-21.50 mm", "4.3 - 172.0 mm",
        "NIKON D850", "SM-G998B", "SM-S901E", "M2102J20SG", "22101316G", "FC3170", "HERO12 Black", "DMC-FZ1000",
        "DSC-RX100M7", "Canon EOS 5D Mark IV", "Canon EOS R6m2", "LEICA Q2", "GFX100S", "COOLPIX P1000", "E-M10MarkII",
        "PENTAX K-1", "Summilux 1:1.4/50", "NIKKOR Z 24-70mm f/2.8 S", "XF16-55mmF2.8 R LM WR",
        "EF70-200mm f/2.8L IS II USM +1.4x",
        "Pixel 8 Pro", "DC-S5M2", "ILCE-7RM5", "Galaxy S24 Ultra", "Nokia N95", "W 5", "100mm F2.8 DG MACRO",
    ]
    static let people = [
        "Zoë", "© 2024 Zoë Müller", "(c) 2019-2024 S. Miller, all rights reserved", "N. Smith & E. Jones",
        "Oliver North",
        "https://zoe.example/photos", "zoe@example.org", "CC BY-SA 4.0", "Copyright 2019, 2020, 2021", "O'Brien",
        "Studio 54",
    ]

    private static func exif(_ tag: Int, _ text: String) -> [UInt8] {
        let value = Array(text.utf8) + [0]
        return tag == lens
            ? Planted.exif(tag, 2, value) : Planted.tiff([Planted.orientation, (tag, 2, value.count, value)])
    }

    /// The traces of a photo with a text, and those of its copy; whether the text is in that.
    private static func look(_ tag: Int, _ text: String) throws -> (before: [Trace], after: [Trace], isKept: Bool) {
        let photo = photo(exif(tag, text))
        let copy = try cleaned(photo)
        return (try scanned(photo), try scanned(copy), copy.firstRange(of: Array(text.utf8)) != nil)
    }

    @Test(arguments: places) func `tells no place, in whatever way that is written`(text: String) throws {
        for tag in [Self.artist, Self.copyright, Self.model, Self.lens, Self.maker] {
            let (before, after, isKept) = try Self.look(tag, text)
            #expect(!before.isEmpty, "\(text)")
            #expect(after.isEmpty && !isKept, "\(text): \(after)")
        }
    }

    @Test(arguments: serials) func `tells not which one of its kind a camera or lens is`(text: String) throws {
        for tag in [Self.model, Self.lens, Self.maker] {
            let (before, after, isKept) = try Self.look(tag, text)
            #expect(!before.isEmpty, "\(text)")
            #expect(after.isEmpty && !isKept, "\(text): \(after)")
        }
    }

    @Test(arguments: names) func `is the name of a camera or a lens`(text: String) throws {
        for tag in [Self.model, Self.lens] {
            let (before, after, isKept) = try Self.look(tag, text)
            #expect(before.isEmpty, "\(text): \(before)")
            #expect(after.isEmpty && isKept, "\(text): \(after)")
        }
    }

    @Test(arguments: people) func `is the name of its author`(text: String) throws {
        for tag in [Self.artist, Self.copyright] {
            let (before, after, isKept) = try Self.look(tag, text)
            #expect(before.isEmpty, "\(text): \(before)")
            #expect(after.isEmpty && isKept, "\(text): \(after)")
        }
    }

    @Test func `of texts by chance none stays that the scan refuses`() throws {
        var numbers = SeededNumbers(seed: 0x7e47)
        let pieces = [
            "35", "139", "40", "52", "3.5", "5.6", "35.68", "139.76", "0.1", "7", "123456", "1234", "N", "S", "E", "W",
            "e", "°",
            "'", "\"", "-", "+", ",", ";", "/", ":", ".", " ", " ", " ", "mm", "f/", "d", "m", "deg", "lat", "lon",
            "Bob", "sn", "#",
            "No", "North", "8Q7XMQJ6", "2V", "(", ")", "é", "′", "x",
        ]
        for _ in 0..<3000 {
            var text = ""
            for _ in 0..<Int.random(in: 1...9, using: &numbers) { text += pieces.randomElement(using: &numbers) ?? "" }
            for tag in [Self.artist, Self.model] {
                let traces = try Self.scanned(Self.cleaned(Self.photo(Self.exif(tag, text))))
                #expect(traces.isEmpty, "\(text): \(traces)")
            }
        }
    }

    private static let small: [UInt8] = {
        var bare: [UInt8] = []
        try? CleanCopy.make(
            of: MemoryBytes(CleanedISOFiles.sample("lamp.png")), type: png, name: "x", keeping: [],
            write: { (piece) throws(SubmitFailure) in bare += piece })
        return bare
    }()
    private static let png = MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")

    /// With EXIF behind the chunk that comes first.
    private static func photo(_ tiff: [UInt8]) -> [UInt8] {
        Array(small[..<33] + Planted.chunk("eXIf", tiff) + small[33...])
    }

    private static func cleaned(_ photo: [UInt8]) throws -> [UInt8] {
        var copy: [UInt8] = []
        try CleanCopy.make(
            of: MemoryBytes(photo), type: png, name: "x", keeping: KeptFact.publishable,
            write: { (piece) throws(SubmitFailure) in copy += piece })
        return copy
    }

    private static func scanned(_ copy: [UInt8]) throws -> [Trace] {
        try MetadataScan.traces(in: MemoryBytes(copy), type: png, allowing: KeptFact.publishable)
    }
}
