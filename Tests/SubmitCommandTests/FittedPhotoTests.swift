import Foundation
import TestServers
import Testing

@Suite struct FittedPhotoTests {
    private struct Preview: Decodable {
        struct Rendition: Decodable {
            let size: Int
            let width: Int?
            let height: Int?
            let sha256: String
        }

        let rendition: Rendition
    }

    /// Real photos, with a place and in a type that is not taken, at a server that takes little.
    @Test func `what a server says that it takes is what it gets, without the place, as it was shown before`()
        async throws
    {
        let place = try await RecipePlace(.mastodon, ["rendition": "strip=gps"])
        try place.signIn()
        try await place.server.change(["maxPhoto": "90000", "maxPixels": "240000"])
        let media = RecipePlace.folder + "/../../../Tests/Media/"
        let photos = [media + "harbour.jpg", media + "garden.heic", media + "scan.tiff"]
        var shown: [String] = []
        for photo in photos {
            let preview = try await place.submit.run("preview", "photos", photo, "--json")
            let rendition = try #require(try preview.decoded(Preview.self).first, "\(preview)").rendition
            #expect(
                rendition.size <= 90_000 && (rendition.width ?? 1) * (rendition.height ?? 1) <= 240_000, "\(preview)")
            shown.append(rendition.sha256)
        }
        let words = try await place.submit.run(["--to", "photos", "--dry-run"] + photos)
        #expect(words.out.contains(#/harbour.jpg .*place removed, 6\d\dx4\d\d\b/#), "\(words)")
        let sent = try await place.submit.run(["--to", "photos"] + photos)
        #expect(sent.end == .exited(0), "\(sent)")
        #expect(try await Set(place.seen()) == Set(shown))
        let items = try await place.server.state().items
        #expect(items.allSatisfy { $0.size <= 90_000 }, "\(items)")
        #expect(Set(items.compactMap(\.name)).isSubset(of: ["harbour.jpg", "garden.jpg", "scan.jpg"]), "\(items)")
    }
}
