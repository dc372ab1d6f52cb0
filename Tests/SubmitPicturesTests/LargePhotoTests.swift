import Foundation
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

/// As many pixels as phones and panoramas have.
@Suite(.serialized) struct LargePhotoTests {
    @Test func `a hundred megapixels are decoded, however they are stored, and forty-eight of HEIC`() async throws {
        let photos = try await KnownPhotos(drawn: "large")
        for (name, recipe, size) in [
            ("baseline.jpg", "box=900x900", [900, 900]), ("progressive.jpg", "box=900x900", [900, 900]),
            ("turned.jpg", "box=5100x5100", [5100, 5100]), ("large.png", "box=900x900", [900, 900]),
            ("wide.heic", "box=2048x2048", [2048, 1536]),
        ] {
            let result = try photos.make(name, recipe, in: .jpeg).get()
            #expect([result.width, result.height] == size, "\(name) \(recipe)")
        }
        let made = try await photos.found()
        // Red, and not what a mangled one begins with.
        for name in ["baseline.jpg.jpeg", "turned.jpg.jpeg", "wide.heic.jpeg"] {
            let corner = try #require(made[name]?.corner)
            #expect(abs(corner[0] - 200) < 6 && abs(corner[1] - 30) < 6 && abs(corner[2] - 30) < 6, "\(name) \(corner)")
        }
    }

    @Test func `an AVIF of as many pixels as a camera has is one`() async throws {
        let photos = try await KnownPhotos(drawn: nil)
        let result = try photos.make("wide.heic", "box=5800x5800", in: .avif).get()
        #expect(result.width * result.height > 25_000_000 && result.size > 1000, "\(result)")
        let again = try photos.remake("wide.heic", .avif, "box=580x580", in: .png)
        #expect(again.width == 580 && again.height == 435)
    }

    @Test func `what takes more memory than there may be is said to, and nothing empty passes for a picture`()
        async throws
    {
        let folder = TemporaryFolder()
        func photos(kilobytes: Int) async throws -> KnownPhotos {
            let path = try folder.write(
                "#!/bin/sh\nulimit -v \(kilobytes)\nexec \(KnownPhotos.program)\n", to: "\(kilobytes)")
            chmod(path, 0o755)
            return try await KnownPhotos(program: MediaProgram(path: FilePath(path)), drawn: nil)
        }
        for kilobytes in [400_000, 700_000, 900_000] {
            #expect(try await photos(kilobytes: kilobytes).trouble("wide.heic", "box=100x100") == .memory)
        }
        // Where its encoder runs out of memory, libheif makes a file of some hundred bytes.
        let result = try await photos(kilobytes: 1_200_000).make("wide.heic", "box=5800x5800", in: .avif)
        guard case .failure(.trouble(let trouble, let why)) = result else {
            Issue.record("\(result)")
            return
        }
        let isTold = why.contains("Encoder plugin") || trouble == PixelTrouble.memory
        #expect(isTold, "\(trouble) \(why)")
    }
}
