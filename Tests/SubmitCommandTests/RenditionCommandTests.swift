import Foundation
import TestServers
import Testing

@testable import SubmitCommand

@Suite struct RenditionCommandTests {
    @Test func `what was made of a photo is listed, and a video that is not wanted is skipped, which is no failure`()
        async throws
    {
        let submit = Submit()
        let folder = submit.folder.path("disk")
        try submit.folder.folder("disk")
        try submit.configure(
            "destinations:\n  disk:\n    type: file\n    path: \(folder)\n    rendition: { strip: gps, video: skip }\n")
        let media = RecipePlace.folder + "/../../../Tests/Media/"
        let photos = [media + "harbour.jpg", media + "boat.mp4"]
        let tried = try await submit.run(["--to", "disk", "--dry-run"] + photos)
        #expect(
            tried.end == .exited(0) && tried.out.contains("would skip: ") && tried.out.contains("1 skipped"), "\(tried)"
        )
        let sent = try await submit.run(["--to", "disk"] + photos)
        #expect(sent.end == .exited(0) && sent.out.contains("1 skipped"), "\(sent)")
        // A sum has the bytes that were sent, and not those of the original.
        let size = try #require(
            FileManager.default.attributesOfItem(atPath: folder + "/harbour.jpg")[.size] as? Int64)
        let original = try #require(FileManager.default.attributesOfItem(atPath: photos[0])[.size] as? Int64)
        #expect(size < original)
        #expect(sent.lines.contains("disk: 1 done, 1 skipped, \(Printable.bytes(size))"), "\(sent)")
        let lines = try await submit.run("list").lines
        #expect(lines.contains { $0.contains("harbour.jpg") && $0.contains("(place removed, ") }, "\(lines)")
        #expect(lines.contains { $0.contains("skipped") && $0.contains("disk takes no videos, as its") }, "\(lines)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder).contains { $0.hasSuffix("harbour.jpg") })
    }
}
