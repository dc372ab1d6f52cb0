import Foundation
import SubmitConcurrency
import SubmitPictures
import SubmitPixels
import SystemPackage
import TestServers
import Testing

@Suite struct ThumbnailCacheTests {
    /// Says how often it was asked, and makes a thousand bytes that begin and end as a JPEG does.
    private final class CountingRenderer: PixelRenderer {
        let unavailable: String? = nil
        let count = Locked(0)
        let bytes: [UInt8]

        init(_ bytes: [UInt8] = [0xff, 0xd8, 0xff] + [UInt8](repeating: 7, count: 995) + [0xff, 0xd9]) {
            self.bytes = bytes
        }

        func render(
            _ job: PixelJob, from input: CInt, to output: CInt, isCancelled: () -> Bool
        ) throws(PixelFailure) -> (result: PixelResult, engine: String) {
            count.withLock { $0 += 1 }
            _ = write(output, bytes, bytes.count)
            return (PixelResult(format: .jpeg, width: 1, height: 1, size: Int64(bytes.count), quality: 80), "test")
        }
    }

    private let home = TemporaryFolder()
    private var folder: FilePath { FilePath(home.path("cache/submit/thumbnails")) }

    private let boxes = [160, 320, 640].compactMap { PixelBox(width: $0, height: $0) }
    private var small: PixelBox { boxes[0] }

    private func digest(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 64 - text.count) + text
    }

    private func names() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []).sorted()
    }

    private func mode(_ path: FilePath) throws -> mode_t {
        var status = stat()
        try #require(lstat(path.string, &status) == 0)
        return status.st_mode & 0o777
    }

    @Test func `is made once for each size, and is nobody else's`() throws {
        let renderer = CountingRenderer()
        for _ in 0..<3 {
            // As another process has it.
            let cache = ThumbnailCache(folder: folder, renderer: renderer)
            for side in boxes {
                #expect(try cache.thumbnail(of: digest(1), in: side, mime: "image/png", from: -1) == renderer.bytes)
            }
        }
        #expect(renderer.count.withLock { $0 } == 3)
        #expect(names() == ["160x160", "320x320", "640x640"].map { "\(digest(1))-\($0).jpg" })
        #expect(try mode(folder) == 0o700)
        for name in names() { #expect(try mode(folder.appending(name)) == 0o600) }
    }

    @Test func `shows the whole photo upright, and is no larger than it`() async throws {
        let photos = try await KnownPhotos()
        let cache = ThumbnailCache(folder: folder, renderer: MediaProgram(path: KnownPhotos.program))
        for (number, name, side, size) in [
            (1, "400x300.png", 160, [160, 120]), (1, "400x300.png", 640, [400, 300]),
            (2, "turned1.heic", 320, [240, 320]), (3, "clear.png", 160, [160, 106]),
        ] {
            let photo = open(photos.folder.path(name), O_RDONLY | O_CLOEXEC)
            defer { close(photo) }
            let bytes = try cache.thumbnail(
                of: digest(number), in: try #require(PixelBox(width: side, height: side)), mime: photos.mime(name),
                from: photo)
            let again = try photos.make("thumbnail.jpg", "", in: .png, bytes: bytes).get()
            #expect([again.width, again.height] == size, "\(name)")
        }
    }

    @Test func `a PNG that its EXIF turns is shown upright`() async throws {
        let photos = try await KnownPhotos()
        let cache = ThumbnailCache(folder: folder, renderer: MediaProgram(path: KnownPhotos.program))
        let photo = open(photos.folder.path("400x300.png"), O_RDONLY | O_CLOEXEC)
        defer { close(photo) }
        for (number, orientation, size) in [
            (1, 1, [160, 120]), (2, 3, [160, 120]), (3, 6, [120, 160]), (4, 8, [120, 160]),
        ] {
            let map = try #require(
                PixelMap(
                    try cache.thumbnail(
                        of: digest(number), in: small, as: .map, mime: "image/png", from: photo,
                        orientation: orientation)))
            #expect([map.width, map.height] == size, "\(orientation)")
        }
    }

    @Test func `is made in each form, and found again when the photo is gone`() async throws {
        let photos = try await KnownPhotos()
        let cache = ThumbnailCache(folder: folder, renderer: MediaProgram(path: KnownPhotos.program))
        // One that is turned, a grey one, one that is transparent.
        for (number, name) in ["turned1.heic", "clear.png", "grey.jpg"].enumerated() {
            guard FileManager.default.fileExists(atPath: photos.folder.path(name)) else {
                Issue.record("\(name) is not there")
                continue
            }
            #expect(cache.kept(of: digest(number), in: small, as: .map) == nil)
            let photo = open(photos.folder.path(name), O_RDONLY | O_CLOEXEC)
            defer { close(photo) }
            let made = try Dictionary(
                uniqueKeysWithValues: ThumbnailCache.Form.allCases.map { form in
                    (
                        form,
                        try cache.thumbnail(
                            of: digest(number), in: small, as: form, mime: photos.mime(name), from: photo)
                    )
                })
            for (form, bytes) in made { #expect(cache.kept(of: digest(number), in: small, as: form) == bytes) }
            let map = try #require(PixelMap(made[.map] ?? []), "\(name)")
            // The same pixels as in the PNG, which another program reads.
            let file = home.path("\(number).png"), pixels = home.path("\(number).ppm")
            try Data(made[.png] ?? []).write(to: URL(fileURLWithPath: file))
            _ = try await ChildProcess.output(of: [
                "/usr/bin/python3", "-c",
                "import sys; from PIL import Image; i = Image.open(sys.argv[1]); a = i.convert('RGBA'); "
                    + "w = Image.new('RGBA', a.size, 'white'); w.alpha_composite(a); w.convert('RGB').save(sys.argv[2])",
                file, pixels,
            ])
            let seen = try #require(PixelMap([UInt8](try Data(contentsOf: URL(fileURLWithPath: pixels)))))
            #expect(map.width == seen.width && map.height == seen.height, "\(name)")
            let difference = zip(map.pixels, seen.pixels).map { abs(Int($0) - Int($1)) }.max()
            // What shines through is rounded once there, and once here.
            #expect(try #require(difference) <= 1, "\(name)")
        }
        #expect(cache.kept(of: "../../../x", in: small) == nil)
    }

    @Test func `pixels are whole or none`() {
        let whole = Array(PixelMap.head(width: 2, height: 1).utf8) + [1, 2, 3, 4, 5, 6]
        #expect(PixelMap(whole)?.pixels == [1, 2, 3, 4, 5, 6])
        for count in 0..<whole.count { #expect(PixelMap(Array(whole.prefix(count))) == nil) }
        #expect(PixelMap(whole + [7]) == nil)
        for head in [
            "P6\n+2 1\n255\n", "P6\n02 1\n255\n", "P6\n0 1\n255\n", "P6\n70000 1\n255\n", "P5\n2 1\n255\n",
            "P6\n-2 -1\n255\n",
        ] {
            #expect(PixelMap(Array(head.utf8) + [1, 2, 3, 4, 5, 6]) == nil, "\(head)")
        }
    }

    @Test func `what was not looked at for the longest time goes where there are too many`() throws {
        let renderer = CountingRenderer()
        let cache = ThumbnailCache(folder: folder, mostBytes: 10_000, renderer: renderer)
        for number in 0..<40 {
            _ = try cache.thumbnail(of: digest(number), in: small, mime: "image/png", from: -1)
            // This one is looked at all the time.
            _ = try cache.thumbnail(of: digest(0), in: small, mime: "image/png", from: -1)
            #expect(names().count <= 10)
        }
        #expect(renderer.count.withLock { $0 } == 40)
        #expect(names().count >= 9 && names().contains("\(digest(39))-160x160.jpg"))
    }

    @Test func `half a thumbnail, or what is none, is made anew`() throws {
        let renderer = CountingRenderer()
        let cache = ThumbnailCache(folder: folder, renderer: renderer)
        _ = try cache.thumbnail(of: digest(1), in: small, mime: "image/png", from: -1)
        let path = folder.appending("\(digest(1))-160x160.jpg").string
        for broken in [Data(renderer.bytes.dropLast(3)), Data(), Data("<svg/>".utf8)] {
            try broken.write(to: URL(fileURLWithPath: path))
            #expect(try cache.thumbnail(of: digest(1), in: small, mime: "image/png", from: -1) == renderer.bytes)
            #expect(FileManager.default.contents(atPath: path) == Data(renderer.bytes))
        }
    }

    @Test func `what is no JPEG is no thumbnail, and a digest is no path`() throws {
        let cache = ThumbnailCache(folder: folder, renderer: CountingRenderer(Array("<svg/>".utf8)))
        #expect(throws: PixelFailure.self) {
            try cache.thumbnail(of: digest(1), in: small, mime: "image/png", from: -1)
        }
        let honest = ThumbnailCache(folder: folder, renderer: CountingRenderer())
        for name in ["../../../x", String(repeating: "A", count: 64), String(repeating: "/", count: 64), ""] {
            #expect(throws: PixelFailure.self) {
                try honest.thumbnail(of: name, in: small, mime: "image/png", from: -1)
            }
        }
        #expect(names().isEmpty)
    }

    @Test func `a folder that is a link, or that others may look into, keeps nothing of it open to them`() throws {
        let elsewhere = try home.folder("elsewhere")
        let link = FilePath(home.path("link"))
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: elsewhere)
        let renderer = CountingRenderer()
        let linked = ThumbnailCache(folder: link, renderer: renderer)
        #expect(try linked.thumbnail(of: digest(1), in: small, mime: "image/png", from: -1) == renderer.bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere).isEmpty)
        chmod(elsewhere, 0o755)
        let open = ThumbnailCache(folder: FilePath(elsewhere), renderer: renderer)
        _ = try open.thumbnail(of: digest(1), in: small, mime: "image/png", from: -1)
        #expect(try mode(FilePath(elsewhere)) == 0o700)
    }
}
