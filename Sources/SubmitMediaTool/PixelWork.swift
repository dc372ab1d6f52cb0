internal import CVips
internal import SubmitPixels
internal import SubmitPlatform

/// Makes of a photo what a recipe says.
struct PixelWork {
    private let job: PixelJob
    private let format: PixelFormat

    /// Why nothing comes of it.
    struct Trouble: Error {
        let kind: PixelTrouble
        let why: String
    }

    init(_ job: PixelJob) {
        self.job = job
        format = job.recipe.format ?? .usual(for: job.mime)
    }

    /// Reads the photo from one descriptor and writes the result to the other.
    func run(from input: CInt, to output: CInt) throws(Trouble) -> PixelResult {
        guard let loader = Self.loaders[job.mime] else { throw Trouble(kind: .unsupported, why: job.mime) }
        var facts = submit_picture_facts()
        let source = try Picture(submit_picture_open(input, loader, &facts))
        guard Int(facts.width) * Int(facts.height) <= PixelRecipe.mostPixels else {
            throw Trouble(kind: .huge, why: "it has \(facts.width) x \(facts.height) pixels")
        }
        // HEIF may hold several pictures of which one is the photo; in the others each is a frame or a page.
        guard facts.pages == 1 || loader == "VipsForeignLoadHeif" else {
            throw Trouble(kind: .animated, why: "it holds \(facts.pages) pictures")
        }
        let encoded = try encoded(source, facts)
        defer { submit_vips_free(encoded.bytes) }
        try Self.write(UnsafeRawBufferPointer(start: encoded.bytes, count: encoded.size), to: output)
        return encoded.result
    }

    /// libvips's readers, by what a photo is. What is not here is not read, whatever libvips could make of it.
    private static let loaders = [
        "image/jpeg": "VipsForeignLoadJpeg", "image/png": "VipsForeignLoadPng", "image/webp": "VipsForeignLoadWebp",
        "image/gif": "VipsForeignLoadNsgif", "image/tiff": "VipsForeignLoadTiff", "image/heic": "VipsForeignLoadHeif",
        "image/heif": "VipsForeignLoadHeif", "image/avif": "VipsForeignLoadHeif",
    ]

    private struct Encoded {
        let bytes: UnsafeMutableRawPointer?
        let size: Int
        let result: PixelResult
    }

    private func encoded(_ source: Picture, _ facts: submit_picture_facts) throws(Trouble) -> Encoded {
        let recipe = job.recipe
        var (width, height) = (recipe.box?.width ?? 65535, recipe.box?.height ?? 65535)
        let pixels = Int(facts.shown_width) * Int(facts.shown_height)
        if let most = recipe.maximumPixels, pixels > most {
            let factor = (Double(most) / Double(pixels)).squareRoot()
            width = min(width, max(1, Int(Double(facts.shown_width) * factor)))
            height = min(height, max(1, Int(Double(facts.shown_height) * factor)))
        }
        // A square is no larger than the picture's shorter side.
        let side = min(CInt(min(width, height)), facts.width, facts.height)
        var picture = try Picture(
            recipe.isSquare
                ? submit_picture_fit(source.pointer, side, side, true)
                : submit_picture_fit(source.pointer, CInt(width), CInt(height), false))
        if facts.has_alpha, format == .jpeg { picture = try Picture(submit_picture_flatten(picture.pointer)) }
        if recipe.isEnhanced, !facts.has_alpha {
            picture = try Picture(submit_picture_decode(picture.pointer))
            let dark = submit_picture_brightness(picture.pointer, 0.5)
            let bright = submit_picture_brightness(picture.pointer, 99.5)
            if let stretch = PixelRecipe.stretch(dark: Int(dark), bright: Int(bright)) {
                picture = try Picture(
                    submit_picture_scale_brightness(picture.pointer, stretch.factor, stretch.offset))
            }
        }
        let quality = recipe.quality ?? format.usualQuality
        guard let most = recipe.maximumSize else { return try encode(picture, quality) }
        return try fitting(most, try Picture(submit_picture_decode(picture.pointer)), quality)
    }

    /// The best of a few tries that has no more than so many bytes: first with less quality, then with fewer pixels.
    private func fitting(_ most: Int64, _ whole: Picture, _ quality: Int) throws(Trouble) -> Encoded {
        var factor = 1.0
        for _ in 0..<Self.mostSizes {
            var picture = whole
            if factor < 1 {
                picture = try Picture(submit_picture_shrink(whole.pointer, factor))
                picture = try Picture(submit_picture_decode(picture.pointer))
            }
            let encoded = try least(most, picture, quality)
            if encoded.result.size <= most { return encoded }
            submit_vips_free(encoded.bytes)
            // Bytes go about as pixels do; a little less makes up for what does not.
            let next = factor * max(0.5, min(0.9, (Double(most) / Double(encoded.result.size)).squareRoot() * 0.97))
            let side = Double(max(submit_picture_width(whole.pointer), submit_picture_height(whole.pointer)))
            guard side * next >= Double(PixelRecipe.shortestSide) else { break }
            factor = next
        }
        throw Trouble(kind: .unfit, why: "it does not become smaller than \(most) bytes without becoming bad")
    }

    private static let mostSizes = 10

    /// The highest of a few qualities with which it has no more than so many bytes; else what the lowest one makes.
    private func least(_ most: Int64, _ picture: Picture, _ quality: Int) throws(Trouble) -> Encoded {
        var best = try encode(picture, quality)
        guard best.result.size > most, format != .png, quality > PixelRecipe.lowestQuality else { return best }
        submit_vips_free(best.bytes)
        best = try encode(picture, PixelRecipe.lowestQuality)
        guard best.result.size <= most else { return best }
        var (good, bad) = (PixelRecipe.lowestQuality, quality)
        while bad - good > 4 {
            let next = try encode(picture, (good + bad) / 2)
            if next.result.size <= most {
                submit_vips_free(best.bytes)
                (best, good) = (next, next.result.quality)
            } else {
                submit_vips_free(next.bytes)
                bad = next.result.quality
            }
        }
        return best
    }

    private func encode(_ picture: Picture, _ quality: Int) throws(Trouble) -> Encoded {
        var bytes: UnsafeMutableRawPointer?
        var size = 0
        let kind: submit_picture_format =
            switch format {
            case .jpeg: submit_jpeg
            case .webp: submit_webp
            case .png: submit_png
            case .avif: submit_avif
            }
        guard submit_picture_encode(picture.pointer, kind, CInt(quality), &bytes, &size) == 0, size > 0 else {
            throw .library()
        }
        return Encoded(
            bytes: bytes, size: size,
            result: PixelResult(
                format: format, width: Int(submit_picture_width(picture.pointer)),
                height: Int(submit_picture_height(picture.pointer)),
                size: Int64(size), quality: quality))
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to output: CInt) throws(Trouble) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Trouble(kind: .unwritable, why: String(cString: strerror(errno)))
            }
        }
    }
}

/// A picture of libvips, which goes with this value.
private final class Picture {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer?) throws(PixelWork.Trouble) {
        guard let pointer else { throw .library() }
        self.pointer = pointer
    }

    deinit { submit_picture_close(pointer) }
}

extension PixelWork.Trouble {
    /// What the library has just failed with.
    fileprivate static func library() -> PixelWork.Trouble {
        let text = String(cString: submit_vips_trouble())
        if text.contains("out of memory") {
            return PixelWork.Trouble(kind: .huge, why: "it takes more memory than it may to decode it")
        }
        let isForeign = text.contains("not a known") || text.contains("is blocked") || text.contains("nsupported")
        return PixelWork.Trouble(
            kind: isForeign ? .unsupported : .damaged,
            why: text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "libvips cannot read it")
    }
}
