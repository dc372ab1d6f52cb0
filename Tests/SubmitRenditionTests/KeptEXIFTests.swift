import Foundation
import Submit
import SubmitRendition
import Testing

/// The date, the exposure and the orientation of photos whose EXIF is written in unusual ways.
@Suite struct KeptEXIFTests {
    private static let png = MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
    private static let date = "2020:06:23 15:17:15"

    /// With orientation 6, a date, and a serial number that must go.
    ///
    /// - Parameter pointer: the type of the entry that leads to the directory of EXIF.
    private static func exif(pointer: UInt8 = 4, date: String = date) -> [UInt8] {
        func entry(_ tag: [UInt8], _ type: UInt8, _ count: UInt8, _ value: [UInt8]) -> [UInt8] {
            tag + [0, type, 0, 0, 0, count] + value
        }
        let serial = Array("SN0123456789\0".utf8)
        let first =
            [0, 2] + entry([0x01, 0x12], 3, 1, [0, 6, 0, 0]) + entry([0x87, 0x69], pointer, 1, [0, 0, 0, 38])
            + [0, 0, 0, 0]
        let inner =
            [0, 2] + entry([0x90, 0x03], 2, 20, [0, 0, 0, 68])
            + entry([0xa4, 0x31], 2, UInt8(serial.count), [0, 0, 0, 88])
            + [0, 0, 0, 0]
        return Array("MM\0*".utf8) + [0, 0, 0, 8] + first + inner + Array(date.utf8) + [0] + serial
    }

    /// A copy, proven to tell nothing that it should not.
    private static func cleaned(_ chunk: [UInt8], keeping facts: Set<KeptFact> = [.date]) throws -> [UInt8] {
        let lamp = try CleanedISOFiles.sample("lamp.png")
        var bare: [UInt8] = []
        try CleanCopy.make(of: MemoryBytes(lamp), type: png, name: "x", keeping: []) {
            (piece) throws(SubmitFailure) in bare += piece
        }
        let photo = Array(bare[..<33] + chunk + bare[33...])
        var copy: [UInt8] = []
        try CleanCopy.make(of: MemoryBytes(photo), type: png, name: "x", keeping: facts) {
            (piece) throws(SubmitFailure) in copy += piece
        }
        #expect(try MetadataScan.traces(in: MemoryBytes(copy), type: png, allowing: facts).isEmpty)
        #expect(Data(copy).range(of: Data("SN0123".utf8)) == nil)
        return copy
    }

    private static func holdsDate(_ copy: [UInt8]) -> Bool { Data(copy).range(of: Data(date.utf8)) != nil }

    private static func isTurned(_ copy: [UInt8]) -> Bool {
        Data(copy).range(of: Data([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6])) != nil
    }

    @Test(arguments: [4, 13] as [UInt8])
    func `a date stays, whether a number or an IFD leads to its directory`(type: UInt8) throws {
        let chunk = Planted.chunk("eXIf", Self.exif(pointer: type))
        let copy = try Self.cleaned(chunk)
        #expect(Self.holdsDate(copy) && Self.isTurned(copy))
        #expect(!Self.holdsDate(try Self.cleaned(chunk, keeping: [])))
    }

    @Test func `a date with dashes stays as the standard writes it`() throws {
        #expect(Self.holdsDate(try Self.cleaned(Planted.chunk("eXIf", Self.exif(date: "2020-06-23 15:17:15")))))
        let none = try Self.cleaned(Planted.chunk("eXIf", Self.exif(date: "2020-06-23T15:17:15")))
        #expect(Data(none).range(of: Data("2020".utf8)) == nil)
    }

    @Test(arguments: ["exif", "APP1"], [false, true])
    func `the date and the orientation of a PNG's raw profile stay, and nothing else of it`(
        name: String, isPacked: Bool
    ) throws {
        let exif = Array("Exif\0\0".utf8) + Self.exif()
        let digits = exif.map { String(format: "%02x", $0) }.joined()
        let text = Array("\n\(name)\n      \(exif.count)\n\(digits.prefix(72))\n\(digits.dropFirst(72))\n".utf8)
        let keyword = Array("Raw profile type \(name)\0".utf8)
        let chunk =
            isPacked
            ? Planted.chunk("zTXt", keyword + [0] + Self.stored(text)) : Planted.chunk("tEXt", keyword + text)
        let copy = try Self.cleaned(chunk)
        #expect(Self.holdsDate(copy) && Self.isTurned(copy))
        #expect(Data(copy).range(of: Data("Raw profile".utf8)) == nil)
    }

    /// A zlib stream of these bytes, as they are (RFC 1950).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for byte in bytes {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        let size = [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)]
        let sum = [high >> 8, high & 255, low >> 8, low & 255].map(UInt8.init)
        return [0x78, 1, 1] + size + size.map { ~$0 } + bytes + sum
    }
}
