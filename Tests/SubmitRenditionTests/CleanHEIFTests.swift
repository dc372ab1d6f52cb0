import Foundation
import Submit
import SubmitRendition
import TestServers
import Testing

@Suite struct CleanHEIFTests {
    private static let all = KeptFact.publishable

    private static func leaks(_ latitude: Double, _ longitude: Double) -> [[String]] {
        [
            [
                "-GPSLatitude=\(abs(latitude))", "-GPSLatitudeRef=\(latitude < 0 ? "S" : "N")",
                "-GPSLongitude=\(abs(longitude))", "-GPSLongitudeRef=\(longitude < 0 ? "W" : "E")",
                "-EXIF:SerialNumber=SN12345", "-EXIF:ImageDescription=Musterstadt", "-EXIF:Orientation=6",
            ],
            [
                "-XMP-exif:GPSLatitude=\(latitude)", "-XMP-exif:GPSLongitude=\(longitude)",
                "-XMP-photoshop:City=Musterstadt",
            ],
        ]
    }

    @Test(arguments: ["garden.heic", "still.avif"]) func `nothing is left of a place`(sample: String) async throws {
        let files = CleanedISOFiles()
        for (name, place) in CleanedISOFiles.places {
            for (index, leak) in Self.leaks(place.0, place.1).enumerated() {
                let file = "\(name)\(index).\(sample.suffix(4))"
                let bytes = try await files.plant(leak, in: sample, as: file)
                for facts in [Self.all, []] {
                    let copy = try CleanedISOFiles.clean(bytes, file, keeping: facts)
                    #expect(CleanedISOFiles.tellingWords(in: copy).isEmpty, "\(file)")
                    let tags = try await files.tags(copy, "copy-\(file)")
                    let telling = tags.filter {
                        $0.range(
                            of: "gps|xmp|city|serial|description|orientation|warning",
                            options: [.regularExpression, .caseInsensitive])
                            != nil
                    }
                    #expect(telling.isEmpty, "\(file): \(telling)")
                    #expect(tags.contains { $0.contains("[IFD0]") && $0.contains("Make ") } == facts.contains(.camera))
                    #expect(try CleanedISOFiles.clean(copy, file, keeping: facts) == copy, "\(file)")
                }
            }
        }
    }

    @Test(arguments: ["garden.heic", "still.avif"]) func `facts that stay are what they were`(sample: String)
        async throws
    {
        let files = CleanedISOFiles()
        let bytes = try await files.plant(
            ["-EXIF:Copyright=Zo", "-EXIF:FNumber=2.8", "-EXIF:OffsetTimeOriginal=+09:00"], in: sample, as: sample)
        let copy = try CleanedISOFiles.clean(bytes, sample, keeping: Self.all)
        func kept(_ tags: [String]) -> [String] {
            tags.filter { line in
                ["Make ", "Model ", "DateTimeOriginal", "Copyright ", "FNumber", "OffsetTimeOriginal"].contains {
                    line.contains("] \($0)") || line.contains(" \($0)")
                } && (line.hasPrefix("[IFD0]") || line.hasPrefix("[ExifIFD]"))
            }.sorted()
        }
        let before = kept(try await files.tags(bytes, "before-\(sample)"))
        #expect(before.count == 6, "\(before)")
        #expect(kept(try await files.tags(copy, "after-\(sample)")) == before)
    }

    @Test(arguments: ["garden.heic", "still.avif"]) func `the coded picture is the same`(sample: String) throws {
        let bytes = try CleanedISOFiles.sample(sample)
        let copy = try CleanedISOFiles.clean(bytes, sample, keeping: [])
        // The picture stands first in its box; behind it is EXIF, which says what colours are.
        let box = try #require(Data(copy).range(of: Data("mdat".utf8)))
        let rest = Data(copy)[box.upperBound...]
        let exif = rest.range(of: Data([0, 0, 0, 0] + Array("MM\0*".utf8)))
        let picture = rest[..<(exif?.lowerBound ?? rest.endIndex)]
        #expect(picture.count > 1000)
        #expect(Data(bytes).range(of: picture) != nil)
    }

    @Test(arguments: ["garden.heic", "still.avif"]) func `one that ends too early is refused`(sample: String) throws {
        // What follows the picture is metadata, so that it may be missing.
        let copy = try CleanedISOFiles.clean(CleanedISOFiles.sample(sample), sample, keeping: [])
        for count in stride(from: 0, to: copy.count - 1, by: 61) {
            #expect(throws: SubmitFailure.self, "\(count) of \(copy.count)") {
                try CleanedISOFiles.clean(Array(copy[..<count]), sample, keeping: Self.all)
            }
        }
    }

    @Test(arguments: ["garden.heic", "still.avif"])
    func `whatever is broken of one, its copy is refused or stays the same`(
        sample: String
    ) throws {
        var numbers = SeededNumbers(seed: 7)
        let whole = try CleanedISOFiles.sample(sample)
        for _ in 0..<200 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<min(bytes.count, 900), using: &numbers)
                bytes[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let copy = try? CleanedISOFiles.clean(bytes, sample, keeping: Self.all) else { continue }
            #expect(try CleanedISOFiles.clean(copy, sample, keeping: Self.all) == copy)
        }
    }
}
