import Foundation
import Submit
import Testing

@testable import SubmitMedia

@Suite struct CapturePlaceTests {
    private static let media = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Media")

    private func place(_ content: [UInt8], _ fileExtension: String) -> CapturePlace? {
        let type = MediaTypeDetector.type(of: content.span, fileExtension: fileExtension) ?? .other
        return CapturePlace(FileRegion(content), type)
    }

    @Test func `in all hemispheres it is as exiftool wrote it, in photos and in films`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "submit-places-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let places = [(53.5436, 9.9666), (-33.8568, 151.2153), (40.6892, -74.0445), (-22.9519, -43.2105), (0, 179.99)]
        let names = ["harbour.jpg", "lamp.png", "leaf.webp", "scan.tiff", "garden.heic", "boat.mov", "boat.mp4"]
        var writing: [String] = []
        for (number, (latitude, longitude)) in places.enumerated() {
            for name in names {
                let file = folder.appending(path: "\(number)-\(name)")
                try FileManager.default.copyItem(at: Self.media.appending(path: name), to: file)
                writing +=
                    name.hasPrefix("boat")
                    ? [
                        name.hasSuffix("mov")
                            ? "-Keys:GPSCoordinates=\(latitude), \(longitude)"
                            : "-UserData:GPSCoordinates=\(latitude), \(longitude)"
                    ]
                    : [
                        "-GPSLatitude=\(abs(latitude))", "-GPSLatitudeRef=\(latitude < 0 ? "S" : "N")",
                        "-GPSLongitude=\(abs(longitude))", "-GPSLongitudeRef=\(longitude < 0 ? "W" : "E")",
                    ]
                writing += ["-overwrite_original", file.path, "-execute"]
            }
        }
        _ = try ExifTool.run(writing, common: ["-q", "-q", "-m"])
        for (number, (latitude, longitude)) in places.enumerated() {
            for name in names {
                let file = folder.appending(path: "\(number)-\(name)")
                let found = place([UInt8](try Data(contentsOf: file)), file.pathExtension)
                #expect(
                    abs((found?.latitude ?? 99) - latitude) < 0.0001, "\(number) \(name) \(String(describing: found))")
                #expect(abs((found?.longitude ?? 999) - longitude) < 0.0001, "\(number) \(name)")
            }
        }
    }

    @Test(arguments: [
        ("+53.5436+009.9666/", 53.5436, 9.9666), ("-33.8568+151.2153+012.000/", -33.8568, 151.2153),
        ("+5332.616+00957.996/", 53.5436, 9.9666), ("+533236.96-0095759.76/", 53.5436, -9.9666),
    ])
    func `is read as ISO 6709 writes it`(text: String, latitude: Double, longitude: Double) throws {
        let place = try #require(CapturePlace(iso6709: text))
        #expect(abs(place.latitude - latitude) < 0.0001 && abs(place.longitude - longitude) < 0.0001)
    }

    @Test func `nothing is made of what is no place`() {
        for text in ["", "+", "+53.5", "53.5+9.9", "+91+9/", "+53+181/", "+00+000/", "+a+b", "+5..3+9"] {
            #expect(CapturePlace(iso6709: text) == nil, "\(text)")
        }
        #expect(place([], "jpg") == nil)
    }
}
