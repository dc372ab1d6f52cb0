import Foundation
import SubmitConcurrency
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

/// What `submit-media` makes, looked at by PIL, which is other code than it works with.
@Suite struct MediaProgramTests {
    // MARK: What is seen

    @Test func `whatever way it was stored, a picture comes out upright, as it was, and no larger`() async throws {
        let photos = try await KnownPhotos()
        for name in photos.names where !photos.isHostile(name) {
            for format in [PixelFormat.png, .jpeg, .webp] {
                _ = try photos.make(name, "box=5000x5000 format=\(format.rawValue)", in: format).get()
            }
        }
        let made = try await photos.found()
        #expect(made.count > 60)
        for (name, facts) in made {
            #expect(facts.orientation == 1, "\(name)")
            #expect(!facts.profile, "\(name)")
            // Blocks of 8 pixels and half as many colours leave their traces.
            if name.hasPrefix("orientation") || name.hasPrefix("turned") {
                #expect((facts.difference ?? 99) < 2.5, "\(name): \(facts)")
            }
            // Two percent of what a colour can be.
            if name.hasPrefix("p3"), name.hasSuffix("png") {
                #expect((facts.difference ?? 99) <= 5.1, "\(name): \(facts)")
            }
        }
        func facts(_ name: String) throws -> KnownPhotos.Facts { try #require(made[name], "\(name)") }
        #expect(try facts("orientation6.jpg.png").size == [301, 200])
        #expect(try facts("turned1.heic.png").size == [480, 640])
        #expect(try facts("grey.jpg.jpeg").mode == "L")
        #expect(try facts("cmyk.jpg.jpeg").mode == "RGB")
        #expect(try facts("deep.png.png").corner == [117, 117, 117])
        #expect(try facts("400x300.png.png").corner == [200, 30, 30])
        // On white.
        #expect(try facts("clear.png.jpeg").corner.allSatisfy { $0 >= 253 })
        #expect(try facts("clear.png.png").mode == "RGBA")
    }

    @Test(arguments: [
        ("400x300.png", "box=200x200", [200, 150]), ("400x300.png", "box=300x100", [133, 100]),
        ("400x300.png", "box=401x301", [400, 300]), ("101x67.png", "box=100x100", [100, 66]),
        ("1x200.png", "box=50x50", [1, 50]), ("200x1.png", "box=50x50", [50, 1]), ("1x1.png", "box=1x1", [1, 1]),
        ("3x2.png", "box=1x1", [1, 1]), ("400x300.png", "square=centre", [300, 300]),
        ("400x300.png", "square=centre box=100x200", [100, 100]),
        ("101x67.png", "square=centre box=500x500", [67, 67]),
        ("1x200.png", "square=centre", [1, 1]), ("orientation6.jpg", "box=150x150", [150, 100]),
        ("400x300.png", "box=200x200 turned=6", [150, 200]), ("400x300.png", "box=200x200 turned=3", [200, 150]),
        ("400x300.png", "square=centre box=100x200 turned=8", [100, 100]),
        ("turned3.heic", "box=320x320", [240, 320]), ("turned2.heic", "square=centre box=100x100", [100, 100]),
    ])
    func `fits into its box, is cut where that is wanted, and never made larger`(
        name: String, recipe: String, size: [Int]
    ) async throws {
        let photos = try await KnownPhotos()
        let result = try photos.make(name, recipe, in: .png).get()
        // A pixel may be rounded either way where a side is odd.
        #expect(abs(result.width - size[0]) <= 1 && abs(result.height - size[1]) <= 1, "\(result)")
        #expect(try await photos.found().values.first?.size == [result.width, result.height])
    }

    @Test func `enhanced, a dull picture has darks and lights, and one that has them stays`() async throws {
        let photos = try await KnownPhotos()
        _ = try photos.make("dull.png", "enhance=auto", in: .png).get()
        _ = try photos.make("full.png", "enhance=auto", in: .png).get()
        let made = try await photos.found()
        let range = try #require(made["dull.png.png"]?.extrema.first)
        // From 80...170: stretched by half at the most.
        #expect(range[0] <= 4 && (128...140).contains(range[1]), "\(range)")
        #expect(made["full.png.png"]?.extrema == [[0, 255], [0, 255], [0, 255]])
        #expect(PixelRecipe.stretch(dark: 0, bright: 255) == nil)
        #expect(PixelRecipe.stretch(dark: 100, bright: 120) == nil)
    }

    // MARK: What nobody should send

    @Test(arguments: [
        ("bomb.png", PixelTrouble.huge), ("moving.gif", .animated), ("truncated.jpg", .damaged),
        ("svg.jpg", .unsupported), ("mvg.jpg", .unsupported), ("pdf.jpg", .unsupported), ("garden.heic.jpg", .damaged),
    ])
    func `makes nothing of what is not the photo that it is said to be, and lives on`(
        name: String, trouble: PixelTrouble
    ) async throws {
        let photos = try await KnownPhotos()
        let found = photos.trouble(name, "box=100x100")
        #expect(found == trouble || trouble == .damaged && found == .unsupported, "\(name)")
        #expect(try photos.make("1x1.png", "", in: .png).get().width == 1)
    }

    @Test func `a photo of very many short segments is refused at once`() async throws {
        let photos = try await KnownPhotos()
        let whole = photos.bytes("orientation6.jpg")
        for marker: [UInt8] in [[0xff, 0xe1, 0, 2], [0xff, 0xe2, 0, 4, 1, 2], [0xff, 0xfe, 0, 2]] {
            let segments = [[UInt8]](repeating: marker, count: 200_000).joined()
            let bytes = whole.prefix(2) + segments + whole.dropFirst(2)
            // libjpeg takes longer than a rendition may take.
            let result = photos.make("many.jpg", "box=100x100", in: .jpeg, bytes: Array(bytes))
            guard case .failure(.trouble(.damaged, let why)) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(why.contains("4096 segments"), "\(why)")
        }
    }

    @Test func `a photo that cannot be read is not damaged`() async throws {
        let photos = try await KnownPhotos()
        for name in ["400x300.png", "orientation1.jpg", "turned0.heic", "leaf.webp", "scan.tiff"] {
            #expect(photos.trouble(name, "", readable: false) == .unreadable, "\(name)")
        }
    }

    @Test func `a disk that is full is no fault of the photo`() async throws {
        let photos = try await KnownPhotos()
        #expect(photos.trouble("400x300.png", "", output: "/dev/full") == .unwritable)
    }

    @Test func `whatever is broken in a photo ends nothing but its own rendition`() async throws {
        let photos = try await KnownPhotos()
        var numbers = SeededNumbers(seed: 20_261_126)
        for name in ["orientation6.jpg", "400x300.png", "turned1.heic", "leaf.webp", "scan.tiff"] {
            let whole = photos.bytes(name)
            for _ in 0..<25 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                    bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(in: 0...255, using: &numbers)
                }
                if Bool.random(using: &numbers) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers)) }
                switch photos.make("broken", "box=64x64 format=jpeg", in: .jpeg, bytes: bytes, mime: photos.mime(name))
                {
                case .success(let result): #expect(result.width <= 64 && result.height <= 64)
                // A library that dies takes nothing along.
                case .failure(let failure): #expect(failure != .late && failure != .cancelled, "\(failure)")
                }
            }
        }
    }

    @Test func `what is said between the two programs is read back as it was meant`() throws {
        var recipe = PixelRecipe()
        for (name, value) in [
            ("box", "2048x1365"), ("square", "centre"), ("format", "jpeg"), ("quality", "80"), ("max_bytes", "999"),
            ("enhance", "auto"),
        ] {
            #expect(recipe.set(name, to: value) == nil)
        }
        var turned = PixelJob(mime: "image/png", recipe: recipe, isMap: true)
        turned.orientation = 6
        for job in [
            turned, PixelJob(mime: "image/heic", recipe: recipe), PixelJob(mime: "image/png", recipe: PixelRecipe()),
            PixelJob(mime: "image/png", recipe: PixelRecipe(), instead: [.jpeg, .webp]),
        ] {
            #expect(PixelJob(String(describing: job)) == job)
        }
        let result = PixelResult(format: .avif, width: 3, height: 4, size: 5, quality: 6)
        for answer in [
            PixelAnswer.ready("libvips 8.14.1", isConfined: true), .missing("no such file"), .made(result),
            .failed(.huge, "it has"),
        ] {
            #expect(PixelAnswer(String(describing: answer)) == answer)
        }
        for text in [
            "", "made", "made jpeg 0 1 1 1", "made jpeg 1 1 -1 1", "failed x", "ready", "ready libvips",
            "made jpeg 1 1 1 1 1",
        ] {
            #expect(PixelAnswer(text) == nil, "\(text)")
        }
        for value in [
            "box=0x1", "box=1x70000", "box=1", "quality=0", "quality=101", "max_bytes=-1", "format=bmp", "x=1",
            "instead=bmp", "turned=1", "turned=9",
        ] {
            #expect(PixelJob("image/png \(value)") == nil, "\(value)")
        }
    }
}
