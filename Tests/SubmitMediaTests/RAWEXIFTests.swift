import Foundation
import Submit
import Testing

@testable import SubmitMedia

@Suite struct RAWEXIFTests {
    private func exif(_ file: [UInt8], _ name: String) -> PhotoMetadata? {
        RAWPreview.exif(FileRegion(file), .photo("image/x-\(name)", "")).map {
            #expect($0.starts(with: [0x4d, 0x4d, 0, 42]))
            return PhotoMetadata(exif: TIFFStructure(FileRegion($0)), xmp: nil)
        }
    }

    private func expectFacts(
        _ file: [UInt8], _ name: String, orientation: Int, at location: SourceLocation = #_sourceLocation
    ) {
        let found = exif(file, name)
        #expect(found?.image?.text(EXIFTag.make) == "Maker", sourceLocation: location)
        #expect(found?.image?.text(EXIFTag.model) == "Camera 1", sourceLocation: location)
        #expect(found?.orientation == orientation, sourceLocation: location)
        #expect(found?.captureTime?.description == "2024-02-29T12:00:00", sourceLocation: location)
    }

    @Test(arguments: ["II*\0", "MM\0*", "IIRO", "IIU\0"])
    func `of what is built on TIFF it is the same, whatever the byte order and the magic`(header: String) {
        let file = RAWExample.tiff(
            [
                RAWExample.facts(exif: 1, orientation: 6) + [(0x8825, 4, [RAWExample.directory(2)])],
                RAWExample.exif(6000, 4000), [RAWExample.text(1, "S"), (2, 5, [52, 1, 30, 1, 7, 2])],
            ], header: header)
        let name = ["IIRO": "olympus-orf", "IIU\0": "panasonic-rw2"][header] ?? "nikon-nef"
        expectFacts(file, name, orientation: 6)
        let found = exif(file, name)
        #expect(found?.photo?.value(0x829a)?.region.bytes(8) == [0, 0, 0, 1, 0, 0, 0, 250])
        #expect(found?.photo?.number(0xa002) == 6000)
        let place = found?.image?.directory(EXIFTag.placeDirectory)
        #expect(place?.text(1) == "S" && place?.numbers(2, most: 3) == [52, 30, 3])
    }

    @Test func `of RAF, RW2, X3F and MRW it is what the embedded one says, of CR3 and CRW what records say`() {
        let inside = RAWExample.tiff([RAWExample.facts(exif: 1, orientation: 6), RAWExample.exif()], header: "MM\0*")
        let jpeg = RAWExample.jpeg(600, 400, exif: inside)
        expectFacts(RAWExample.raf(jpeg, whole: (600, 400)), "fuji-raf", orientation: 6)
        expectFacts(RAWExample.x3f(jpeg, whole: (600, 400), turned: 0, version: 2), "sigma-x3f", orientation: 6)
        expectFacts(RAWExample.mrw(inside, whole: (600, 400)), "minolta-mrw", orientation: 6)
        let facts = RAWExample.facts(exif: 0).dropLast()
        expectFacts(
            RAWExample.tiff([facts + [(0x002e, 7, jpeg.map(Int.init))]], header: "IIU\0"), "panasonic-rw2",
            orientation: 1)
        let cr3 = RAWExample.cr3(jpeg, preview: jpeg, whole: (600, 400))
        expectFacts(cr3, "canon-cr3", orientation: 8)
        #expect(exif(cr3, "canon-cr3")?.image?.directory(EXIFTag.placeDirectory)?.numbers(2, most: 1) == [52])
        expectFacts(
            RAWExample.crw(jpeg, thumbnail: jpeg, whole: (600, 400), turned: 270), "canon-crw", orientation: 8)
    }

    @Test func `makers' notes, directories, pictures and long values stay behind, and the first directory fills gaps`()
    {
        let file = RAWExample.tiff([
            RAWExample.facts(exif: 1) + [
                RAWExample.text(0x010e, String(repeating: "a", count: 1024)), (0x829a, 5, [1, 3]),
                (0x829d, 5, [28, 10]),
                (0x0111, 4, [77]), (0x014a, 4, [77]), (0xc634, 7, [1, 2, 3, 4]), (0x8825, 4, [1 << 31]),
            ],
            RAWExample.exif(note: (0x927c, 7, [Int](repeating: 0x41, count: 64))) + [(0xa005, 4, [77])],
        ])
        let found = exif(file, "adobe-dng")
        #expect(found?.image?.tags == [EXIFTag.make, EXIFTag.model, EXIFTag.orientation, EXIFTag.exifDirectory])
        #expect(found?.photo?.tags == [0x829a, 0x829d, EXIFTag.dateTimeOriginal])
        #expect(found?.photo?.value(0x829a)?.region.bytes(8) == [0, 0, 0, 1, 0, 0, 0, 250])
    }

    @Test func `exiftool reads it as it is`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "submit-raw-\(UUID()).tif")
        defer { try? FileManager.default.removeItem(at: path) }
        let file = RAWExample.cr3(nil, preview: RAWExample.jpeg(8, 8), whole: (600, 400))
        try Data(try #require(RAWPreview.exif(FileRegion(file), .photo("image/x-canon-cr3", "")))).write(to: path)
        let facts = try #require(try ExifTool.facts(["-n", path.path]).first)
        #expect(facts["IFD0:Model"] as? String == "Camera 1" && facts["IFD0:Orientation"] as? Int == 8)
        #expect(facts["ExifIFD:DateTimeOriginal"] as? String == "2024:02:29 12:00:00")
        #expect(facts["ExifIFD:ExposureTime"] as? Double == 0.004)
        #expect(facts["GPS:GPSLatitude"] as? Double == 52.5)
        #expect(facts.keys.allSatisfy { !$0.hasSuffix(":Warning") })
    }
}
