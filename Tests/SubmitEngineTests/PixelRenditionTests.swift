import Foundation
import Submit
import SubmitConcurrency
import SubmitJournal
import SubmitPictures
import SubmitPixels
import SubmitTesting
import SystemPackage
import TestServers
import Testing

@testable import SubmitEngine

/// `a` is public, `b` is not.
@Suite struct PixelRenditionTests {
    /// `submit-media` itself.
    private static let program = MediaProgram()
    private static let media = ("\(#filePath)/../../Media" as NSString).standardizingPath

    /// Says what it is told to say, and makes no pixels.
    private struct ScriptedRenderer: PixelRenderer {
        var unavailable: String?
        var answer: @Sendable (CInt) throws(PixelFailure) -> (result: PixelResult, engine: String) = {
            _ throws(PixelFailure) in throw .died
        }

        func render(
            _ job: PixelJob, from input: CInt, to output: CInt, isCancelled: () -> Bool
        ) throws(PixelFailure) -> (result: PixelResult, engine: String) { try answer(output) }
    }

    private func shop(
        _ renderer: (any PixelRenderer)? = program, rendition: String? = nil,
        _ change: (inout Capabilities) -> Void = { _ in }
    ) throws -> Workshop {
        var seen = InMemorySubmitter.capabilities
        seen.visibility = .public
        change(&seen)
        let shop = try Workshop(["a": seen, "b": InMemorySubmitter.capabilities])
        for name in ["a", "b"] {
            var destination = try #require(shop.manager.destinations.first { $0.name == name })
            destination.pixels = renderer
            destination.posters = FFmpegPoster()
            destination.rendition = try rendition.map { text throws(SubmitFailure) in try RenditionPolicy(text) }
            shop.manager.add(destination)
        }
        return shop
    }

    private func add(_ names: String..., to shop: Workshop) throws {
        for name in names {
            try FileManager.default.copyItem(
                atPath: "\(Self.media)/\(name)", toPath: shop.folder.appending("photos").appending(name).string)
        }
    }

    private func send(_ shop: Workshop, to names: [String] = ["a"]) async throws -> BatchID {
        let paths = [shop.folder.appending("photos")]
        let batch = try await shop.manager.accept(SubmitRequest(paths: paths, destinations: names)).batch
        try await shop.run(batch)
        return batch
    }

    private func holdsPlace(_ bytes: [UInt8]) -> Bool {
        // The pointer to the directory of the place (Exif 2.32, 4.6.3), as it is written here.
        Data(bytes).range(of: Data([0x88, 0x25, 0, 4])) != nil
    }

    @Test func `what is too large for a service is made to fit, without its place and with its date`() async throws {
        let shop = try shop { $0.maximumSize = [.photo: 60_000] }
        try add("harbour.jpg", "boat.mp4", to: shop)
        let batch = try await send(shop, to: ["a", "b"])
        let copy = try #require(shop["a"].contents["harbour.jpg"])
        #expect((20_000...60_000).contains(copy.count) && copy.starts(with: [0xff, 0xd8]))
        #expect(!holdsPlace(copy) && Data(copy).range(of: Data("2024:05:17 18:42:07".utf8)) != nil)
        let record = try await shop.record(batch, at: "a", named: "harbour.jpg")
        #expect(record.recipe == "strip=gps" && record.rendition?.size == Int64(copy.count))
        #expect(record.rendition?.engine.contains("libvips 8") == true)
        #expect(record.receipt?.evidence == .verified)
        let original = try Data(contentsOf: URL(fileURLWithPath: shop.folder.string + "/photos/harbour.jpg"))
        #expect(shop["b"].contents["harbour.jpg"] == Array(original))
        #expect((try? FileManager.default.contentsOfDirectory(atPath: shop.journal.renditions.string)) == [])
    }

    @Test func `what a service does not take comes as what it takes, and is called so`() async throws {
        let shop = try shop { $0.mimeTypes = ["image/jpeg", "image/webp"] }
        try add("garden.heic", "lamp.png", "leaf.webp", "scan.tiff", to: shop)
        let batch = try await send(shop)
        #expect(try await shop.states(batch, at: "a") == [.done: 4])
        #expect(Set(shop["a"].contents.keys) == ["garden.jpg", "lamp.jpg", "leaf.webp", "scan.jpg"])
        #expect(shop["a"].contents["lamp.jpg"]?.starts(with: [0xff, 0xd8]) == true)
        #expect(try await shop.record(batch, at: "a", named: "garden.heic").content.type.mime == "image/jpeg")
    }

    /// A TIFF of 8 x 8 pixels in one colour, with these values in each.
    private func tiff(photometric: Int, _ pixel: [UInt8], extra: [UInt8] = []) -> [UInt8] {
        func little(_ number: Int, _ width: Int) -> [UInt8] { (0..<width).map { UInt8(number >> (8 * $0) & 0xff) } }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            let head: [UInt8] = little(tag, 2) + little(type, 2)
            return head + little(count, 4) + little(value, 4)
        }
        let (count, bits, pixels) = (pixel.count, 200, 256)
        var entries = [
            entry(0x0100, 3, 1, 8), entry(0x0101, 3, 1, 8), entry(0x0102, 3, count, bits), entry(0x0103, 3, 1, 1),
            entry(0x0106, 3, 1, photometric), entry(0x0111, 4, 1, pixels), entry(0x0115, 3, 1, count),
            entry(0x0116, 3, 1, 8), entry(0x0117, 4, 1, 64 * count),
        ]
        if !extra.isEmpty {
            entries.append(entry(0x0152, 3, extra.count, extra.reversed().reduce(0) { $0 << 16 | Int($1) }))
        }
        var file: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        file += little(entries.count, 2)
        for entry in entries { file += entry }
        file += [UInt8](repeating: 0, count: bits - file.count)
        for _ in pixel { file += little(8, 2) }
        file += [UInt8](repeating: 0, count: pixels - file.count)
        for _ in 0..<64 { file += pixel }
        return file
    }

    @Test func `a TIFF in Lab keeps its colours, and one with a spot colour is refused`() async throws {
        let shop = try shop { $0.mimeTypes = ["image/jpeg"] }
        // Red, and a print in black with a varnish.
        let photos = [
            "lab.tif": tiff(photometric: 8, [138, 78, 65]),
            "spot.tif": tiff(photometric: 5, [0, 0, 0, 255, 0], extra: [0]),
            "two.tif": tiff(photometric: 2, [200, 20, 20, 255, 7], extra: [2, 0]),
            "clear.tif": tiff(photometric: 2, [200, 20, 20, 255], extra: [2]),
        ]
        for (name, bytes) in photos {
            try Data(bytes).write(
                to: URL(fileURLWithPath: shop.folder.appending("photos").appending(name).string))
        }
        let batch = try await send(shop)
        #expect(try await shop.states(batch, at: "a") == [.done: 2, .failed: 2])
        for name in ["spot.tif", "two.tif"] {
            let record = try await shop.record(batch, at: "a", named: name)
            #expect(record.code == "no-rendition", "\(record)")
        }
        for name in ["lab.jpg", "clear.jpg"] {
            let path = shop.folder.appending(name).string
            try Data(try #require(shop["a"].contents[name], "\(shop["a"].contents.keys)")).write(
                to: URL(fileURLWithPath: path))
            let seen = try await ChildProcess.output(of: [
                "/usr/bin/python3", "-c",
                "import sys; from PIL import Image; print(*Image.open(sys.argv[1]).convert('RGB').getpixel((4, 4)))",
                path,
            ])
            let colours = seen.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            #expect(colours.count == 3 && colours[0] > 180 && colours[1] < 60 && colours[2] < 60, "\(name): \(colours)")
        }
    }

    @Test
    func `a picture that is only made smaller keeps its place where nobody else looks, and not where anybody does`()
        async throws
    {
        let shop = try shop(rendition: "box=200x200")
        try add("harbour.jpg", to: shop)
        let batch = try await send(shop, to: ["a", "b"])
        let (seen, own) = (
            try #require(shop["a"].contents["harbour.jpg"]), try #require(shop["b"].contents["harbour.jpg"])
        )
        #expect(holdsPlace(own) && !holdsPlace(seen))
        #expect(try await shop.record(batch, at: "a", named: "harbour.jpg").recipe == "strip=gps box=200x200")
        #expect(try await shop.record(batch, at: "b", named: "harbour.jpg").recipe == "box=200x200")
        let item = try await shop.record(batch, at: "b", named: "harbour.jpg").item
        let preview = try await shop.manager.preview(rendition: item, at: "b")
        #expect(preview.words == "to fit 200x200, 200x133" && preview.content.size == Int64(own.count))
    }

    @Test
    func `nothing that needs other pixels is accepted where nothing can make them, and the sentence says what to do`()
        async throws
    {
        let missing = ScriptedRenderer(unavailable: "submit-media cannot use libvips (gone): install libvips42")
        for renderer in [missing, nil] as [ScriptedRenderer?] {
            let shop = try shop(renderer, rendition: "box=200x200")
            try add("harbour.jpg", to: shop)
            let record = try await shop.record(try await send(shop), at: "a", named: "harbour.jpg")
            #expect(record.state == .failed && record.code == "no-renderer" && record.tries == 0)
            #expect(record.message?.contains("install") == true, "\(record.message ?? "")")
            #expect(shop["a"].contents.isEmpty)
        }
    }

    @Test func `a photo at which the renderer ends fails by name, once, and nothing else does`() async throws {
        let renderer = ScriptedRenderer { output throws(PixelFailure) in
            // Half of something.
            _ = Data(repeating: 7, count: 1000).withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            throw .died
        }
        let shop = try shop(renderer) { $0.mimeTypes = ["image/jpeg"] }
        try add("lamp.png", "harbour.jpg", to: shop)
        let batch = try await send(shop)
        let record = try await shop.record(batch, at: "a", named: "lamp.png")
        #expect(record.state == .failed && record.code == "renderer-died" && record.tries == 1)
        #expect(Array(shop["a"].contents.keys) == ["harbour.jpg"])
        #expect((try? FileManager.default.contentsOfDirectory(atPath: shop.journal.renditions.string)) == [])
    }

    @Test(arguments: [
        PixelFailure.passing("submit-media cannot be started"), .trouble(.unreadable, "Input/output error"),
    ])
    func `what stood in the way of a rendition and is gone is no reason to give it up`(failure: PixelFailure)
        async throws
    {
        let tries = Locked(0)
        let photo = try Data(contentsOf: URL(fileURLWithPath: "\(Self.media)/harbour.jpg"))
        let renderer = ScriptedRenderer { output throws(PixelFailure) in
            let turn = tries.withLock { tries in
                tries += 1
                return tries
            }
            if turn < 3 { throw failure }
            _ = photo.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            return (PixelResult(format: .jpeg, width: 1200, height: 800, size: 6, quality: 85), "a patient one")
        }
        let shop = try shop(renderer, rendition: "box=2000x2000 quality=90")
        try add("harbour.jpg", to: shop)
        let record = try await shop.record(try await send(shop), at: "a", named: "harbour.jpg")
        #expect(record.state == .done && record.tries == 3, "\(record.message ?? "")")
    }

    @Test func `a PNG that is too large becomes a JPEG where nobody asked for a PNG`() async throws {
        let shop = try shop { $0.maximumSize = [.photo: 40_000] }
        try add("lamp.png", to: shop)
        let batch = try await send(shop)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        let copy = try #require(shop["a"].contents["lamp.jpg"])
        #expect(copy.starts(with: [0xff, 0xd8]) && copy.count <= 40_000)
        // All of its pixels fit, and as a PNG that many do not.
        let item = try await shop.record(batch, at: "a", named: "lamp.png").item
        #expect(
            try await shop.manager.preview(rendition: item, at: "a").pixels == PixelBox(width: 480, height: 480))
        let asked = try self.shop(rendition: "format=png") { $0.maximumSize = [.photo: 40_000] }
        try add("lamp.png", to: asked)
        let record = try await asked.record(try await send(asked), at: "a", named: "lamp.png")
        #expect(record.code == "too-large", "\(record.message ?? "")")
    }

    @Test func `what a renderer calls a picture is believed no more than any file`() async throws {
        for lie in ["<svg/>", "GIF89a", ""] {
            let renderer = ScriptedRenderer { output throws(PixelFailure) in
                _ = Data(lie.utf8).withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
                return (PixelResult(format: .jpeg, width: 1, height: 1, size: 6, quality: 85), "a liar")
            }
            let shop = try shop(renderer, rendition: "box=20x20")
            try add("harbour.jpg", to: shop)
            let batch = try await send(shop)
            #expect(try await shop.record(batch, at: "a", named: "harbour.jpg").state == .failed)
            #expect(shop["a"].contents.isEmpty)
        }
    }

    @Test func `a source that is edited while a rendition is made of it is not sent`() async throws {
        let path = Locked<String>("")
        let renderer = ScriptedRenderer { output throws(PixelFailure) in
            let source = path.withLock { $0 }
            let bytes = FileManager.default.contents(atPath: source) ?? Data()
            _ = bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
            try? (bytes.dropLast(9) + Data(repeating: 1, count: 9)).write(to: URL(fileURLWithPath: source))
            return (PixelResult(format: .jpeg, width: 1200, height: 800, size: 6, quality: 85), "a slow one")
        }
        let shop = try shop(renderer, rendition: "box=2000x2000 quality=90")
        try add("harbour.jpg", to: shop)
        path.withLock { $0 = shop.folder.string + "/photos/harbour.jpg" }
        let batch = try await send(shop)
        #expect(try await shop.record(batch, at: "a", named: "harbour.jpg").state != .done)
        #expect(shop["a"].contents.isEmpty)
    }

    @Test func `videos are left out where a rendition says so`() async throws {
        let shop = try shop(rendition: "strip=gps video=skip")
        try add("boat.mp4", "harbour.jpg", to: shop)
        let batch = try await send(shop)
        let film = try await shop.record(batch, at: "a", named: "boat.mp4")
        #expect(
            film.state == .done && film.receipt?.isOfSkipped == true
                && film.receipt?.note?.contains("no videos") == true)
        #expect(try await shop.record(batch, at: "a", named: "harbour.jpg").receipt?.isOfSkipped == false)
        #expect(Array(shop["a"].contents.keys) == ["harbour.jpg"])
    }

    // MARK: What is no photo of its own

    @Test func `of a film a picture is sent where a rendition says so, and the film where none does`() async throws {
        let shop = try shop(rendition: "strip=gps video=poster box=200x200") { $0.mimeTypes = ["image/jpeg"] }
        try add("boat.mov", to: shop)
        let batch = try await send(shop)
        #expect(try await shop.states(batch, at: "a") == [.done: 1])
        let copy = try #require(shop["a"].contents["boat.jpg"])
        #expect(copy.starts(with: [0xff, 0xd8]) && !holdsPlace(copy))
        let record = try await shop.record(batch, at: "a", named: "boat.mov")
        #expect(record.rendition?.engine.contains(#/^submit \d+, ffmpeg \S+, libvips /#) == true)
        #expect(record.isRendition)
    }

    @Test func `without what takes pictures out of films, such a rendition is refused when it is accepted`()
        async throws
    {
        let shop = try shop(rendition: "video=poster")
        var destination = try #require(shop.manager.destinations.first { $0.name == "a" })
        destination.posters = FFmpegPoster(program: "/nowhere/ffmpeg")
        shop.manager.add(destination)
        try add("boat.mov", to: shop)
        let record = try await shop.record(try await send(shop), at: "a", named: "boat.mov")
        #expect(record.code == "no-renderer" && record.tries == 0, "\(record)")
        #expect(record.message?.contains("install ffmpeg") == true, "\(record)")
    }

    /// A RAW as cameras write it: sensor data, and behind them a picture of the same size that says nothing of its own.
    private func raw(_ jpeg: [UInt8], width: UInt32, height: UInt32, orientation: UInt32) -> [UInt8] {
        func directory(_ entries: [(tag: UInt16, type: UInt16, count: UInt32, value: UInt32)], next: UInt32) -> [UInt8]
        {
            func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
                withUnsafeBytes(of: number.littleEndian) { Array($0) }
            }
            return bytes(UInt16(entries.count))
                + entries.flatMap { bytes($0.tag) + bytes($0.type) + bytes($0.count) + bytes($0.value) } + bytes(next)
        }
        let place: UInt32 = 400
        var file = Array("II*\0".utf8) + [8, 0, 0, 0]
        file += directory(
            [
                (0x00fe, 4, 1, 1), (0x0111, 4, 1, place), (0x0112, 3, 1, orientation),
                (0x0117, 4, 1, UInt32(jpeg.count)),
                (0x014a, 4, 1, 200), (0x0201, 4, 1, place), (0x0202, 4, 1, UInt32(jpeg.count)), (0x8825, 4, 1, 300),
                (0xc612, 1, 4, 0x0000_0401),
            ], next: 0)
        file += [UInt8](repeating: 0, count: 200 - file.count)
        file += directory(
            [(0x00fe, 4, 1, 0), (0x0100, 4, 1, width), (0x0101, 4, 1, height), (0x0106, 3, 1, 32803)], next: 0)
        file += [UInt8](repeating: 0, count: 300 - file.count)
        file += directory([(1, 2, 2, 0x4e), (5, 1, 1, 0)], next: 0)
        return file + [UInt8](repeating: 0, count: Int(place) - file.count) + jpeg
    }

    @Test func `of a RAW goes what its camera made of it, turned as the RAW says, and without its place`() async throws
    {
        let shop = try shop()
        let harbour = try Data(
            contentsOf: URL(fileURLWithPath: "\(#filePath)/../../Media/harbour.jpg", isDirectory: false)
                .standardizedFileURL)
        let size = try #require(jpegSize(Array(harbour)))
        let photos = shop.folder.appending("photos")
        for (name, factor) in [("whole.dng", 1), ("thumb.dng", 4)] {
            let bytes = raw(
                Array(harbour), width: UInt32(size.width * factor), height: UInt32(size.height * factor), orientation: 6
            )
            try Data(bytes).write(to: URL(fileURLWithPath: photos.appending(name).string))
        }
        let batch = try await send(shop, to: ["a", "b"])
        #expect(shop["b"].contents["whole.dng"]?.starts(with: Array("II*\0".utf8)) == true)
        let copy = try #require(shop["a"].contents["whole.jpg"])
        #expect(!holdsPlace(copy))
        // Orientation, as it is written here.
        #expect(Data(copy).range(of: Data([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6])) != nil)
        let failed = try await shop.record(batch, at: "a", named: "thumb.dng")
        #expect(failed.code == "no-rendition", "\(failed)")
        #expect(failed.message?.contains("\(size.width * 4)x\(size.height * 4)") == true, "\(failed)")
    }

    @Test func `a limit of bytes counts with the words that are written into a photo`() async throws {
        let shop = try shop(rendition: "max_bytes=40000 write=caption") { $0.captionLimit = nil }
        try add("harbour.jpg", to: shop)
        let caption = String(repeating: "Harbour & dusk <3 ", count: 400)
        let batch = try await shop.manager.accept(
            SubmitRequest(paths: [shop.folder.appending("photos")], destinations: ["a"], caption: caption)
        ).batch
        try await shop.run(batch)
        let record = try await shop.record(batch, at: "a", named: "harbour.jpg")
        let copy = try #require(shop["a"].contents["harbour.jpg"], "\(record)")
        #expect((25_000...40_000).contains(copy.count), "\(copy.count)")
        #expect(Data(copy).range(of: Data("Harbour &amp; dusk &lt;3 Harbour".utf8)) != nil)
    }

    @Test func `an animation loses none of its pictures: it stays whole, or is refused`() async throws {
        for (rendition, isSent) in [("strip=gps", true), ("strip=gps box=10x10", false)] {
            let shop = try shop(rendition: rendition)
            let path = shop.folder.appending("photos").appending("blink.png").string
            let script = """
                import sys
                from PIL import Image
                frames = [Image.new('RGB', (40, 40), c) for c in ('red', 'blue')]
                frames[0].save(sys.argv[1], save_all=True, append_images=frames[1:], duration=200)
                """
            try await ChildProcess.output(of: ["/usr/bin/python3", "-c", script, path])
            let record = try await shop.record(try await send(shop), at: "a", named: "blink.png")
            #expect((record.state == .done) == isSent, "\(record)")
            #expect(isSent || record.message?.contains("animation") == true, "\(record)")
        }
    }

    private func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        let frame =
            Data(bytes).range(of: Data([0xff, 0xc0, 0, 17, 8])) ?? Data(bytes).range(of: Data([0xff, 0xc2, 0, 17, 8]))
        return frame.map { range in
            let at = range.upperBound
            return (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]), Int(bytes[at]) << 8 | Int(bytes[at + 1]))
        }
    }
}
