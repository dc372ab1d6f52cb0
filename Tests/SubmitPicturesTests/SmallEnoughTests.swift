import SubmitPictures
import SubmitPixels
import Testing

/// What comes out where there is a most of bytes or pixels.
@Suite struct SmallEnoughTests {
    @Test func `becomes as small as is asked for by less quality, then by fewer pixels, and is never mush`()
        async throws
    {
        let photos = try await KnownPhotos()
        let whole = try photos.make("noise.jpg", "quality=95", in: .jpeg).get()
        for (share, isSmaller) in [(0.9, false), (0.7, false), (0.15, true)] {
            let most = Int64(Double(whole.size) * share)
            let result = try photos.make("noise.jpg", "quality=95 max_bytes=\(most)", in: .jpeg).get()
            #expect(result.size <= most && result.size > most / 3, "\(result)")
            #expect((result.width < 900) == isSmaller, "\(result)")
            #expect(result.quality >= PixelRecipe.lowestQuality)
        }
        #expect(photos.trouble("noise.jpg", "max_bytes=4000") == .unfit)
    }

    @Test(arguments: [1.02, 1.1, 1.2]) func `is not given up before it is as small as it may become`(
        share: Double
    ) async throws {
        let photos = try await KnownPhotos()
        let side = PixelRecipe.shortestSide
        let least = try photos.make(
            "noise.jpg", "box=\(side)x\(side) quality=\(PixelRecipe.lowestQuality)", in: .jpeg
        ).get()
        let most = Int64(Double(least.size) * share)
        let result = try photos.make("noise.jpg", "max_bytes=\(most)", in: .jpeg).get()
        #expect(result.size <= most && result.width >= side, "\(result)")
    }

    @Test func `of a square its own pixels count, and not those that were cut off`() async throws {
        let photos = try await KnownPhotos()
        for (most, side) in [(10_000, 100), (10_200, 100), (90_000, 300), (200_000, 300)] {
            let result = try photos.make("400x300.png", "square=centre max_pixels=\(most)", in: .png).get()
            #expect([result.width, result.height] == [side, side], "\(most)")
        }
        let turned = try photos.make("orientation6.jpg", "max_pixels=15000", in: .jpeg).get()
        #expect(turned.width > turned.height && (14_500...15_000).contains(turned.width * turned.height), "\(turned)")
    }

    @Test(arguments: [
        ("noise.png", "instead=jpeg,webp", PixelFormat.jpeg), ("faded.png", "instead=jpeg,webp", .webp),
        ("noise.png", "instead=webp", .webp), ("faded.png", "instead=jpeg", .png), ("noise.png", "", .png),
    ])
    func `a PNG with too many bytes becomes what loses no pixels, where it may be that and stay transparent`(
        name: String, instead: String, format: PixelFormat
    ) async throws {
        let photos = try await KnownPhotos()
        let whole = try photos.make(name, "format=png", in: .png).get()
        let fits = try photos.make(name, "format=png max_bytes=\(whole.size) \(instead)", in: .png).get()
        #expect(fits.format == .png && fits.width == whole.width)
        let most = whole.size * 3 / 4
        let result = try photos.make(name, "format=png max_bytes=\(most) \(instead)", in: format).get()
        #expect(result.format == format && result.size <= most, "\(result)")
        #expect((result.width == whole.width) == (format != .png), "\(result)")
        #expect(try await photos.found()["\(name).\(format.rawValue)"]?.size == [result.width, result.height])
    }
}
