internal import CVips
internal import SubmitPixels
internal import SubmitPlatform

/// Makes of a photo what a recipe says.
struct PixelWork {
    private let job: PixelJob

    init(_ job: PixelJob) {
        self.job = job
    }

    /// Reads the photo from one descriptor and writes the result to the other.
    func run(from input: CInt, to output: CInt) throws(PixelFault) -> PixelResult {
        var facts = submit_picture_facts()
        do throws(PixelFault) {
            return try attempt(input, output, &facts)
        } catch {
            // Libraries call a photo damaged, and its colours unknown, for which they had no memory.
            let isDoubtful = error.kind == .damaged || error.kind == .unsupported
            throw isDoubtful && !Self.mayDecode(Int(facts.width) * Int(facts.height)) ? .noMemory : error
        }
    }

    private func attempt(
        _ input: CInt, _ output: CInt, _ facts: inout submit_picture_facts
    ) throws(PixelFault) -> PixelResult {
        guard let loader = Self.loaders[job.mime] else { throw PixelFault(kind: .unsupported, why: job.mime) }
        if job.mime == "image/jpeg", JPEGSegmentCount.isTooLarge(input) {
            throw PixelFault(
                kind: .damaged, why: "it has more than \(JPEGSegmentCount.most) segments beside its picture")
        }
        let source = try Picture(submit_picture_open(input, loader, CInt(job.orientation), &facts))
        guard Int(facts.width) * Int(facts.height) <= PixelRecipe.mostPixels else {
            throw PixelFault(kind: .huge, why: "it has \(facts.width) x \(facts.height) pixels")
        }
        // HEIF may hold several pictures of which one is the photo; in the others each is a frame or a page.
        guard facts.pages == 1 || loader == "VipsForeignLoadHeif" else {
            throw PixelFault(kind: .animated, why: "it holds \(facts.pages) pictures")
        }
        if job.isMap { return try map(source, facts, output) }
        let encoded = try encoded(source, facts)
        try encoded.write(to: output)
        return encoded.result
    }

    /// What HEIC takes, which of all formats takes the most.
    private static let bytesPerPixel = 17

    /// Whether there is memory to decode so many pixels, now that nothing is.
    private static func mayDecode(_ pixels: Int) -> Bool {
        let size = max(1, min(pixels, PixelRecipe.mostPixels)) * bytesPerPixel
        let room = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard room != MAP_FAILED else { return false }
        munmap(room, size)
        return true
    }

    /// libvips's readers, by what a photo is. What is not here is not read, whatever libvips could make of it.
    private static let loaders = [
        "image/jpeg": "VipsForeignLoadJpeg", "image/png": "VipsForeignLoadPng", "image/webp": "VipsForeignLoadWebp",
        "image/gif": "VipsForeignLoadNsgif", "image/tiff": "VipsForeignLoadTiff", "image/heic": "VipsForeignLoadHeif",
        "image/heif": "VipsForeignLoadHeif", "image/avif": "VipsForeignLoadHeif",
    ]

    private func encoded(_ source: Picture, _ facts: submit_picture_facts) throws(PixelFault) -> EncodedPicture {
        let recipe = job.recipe
        let format = recipe.format ?? .usual(for: job.mime)
        let (width, height) = room(for: facts)
        var picture = try Picture(submit_picture_fit(source.pointer, width, height, recipe.isSquare))
        let hasAlpha = picture.hasAlpha
        if hasAlpha, format == .jpeg { picture = try Picture(submit_picture_flatten(picture.pointer)) }
        if recipe.isEnhanced, !hasAlpha { picture = try enhanced(picture) }
        guard let most = recipe.maximumSize else {
            return try EncodedPicture(picture, format, recipe.quality ?? format.usualQuality)
        }
        picture = try Picture(submit_picture_decode(picture.pointer))
        if format == .png, let other = instead(hasAlpha) {
            let whole = try EncodedPicture(picture, .png, format.usualQuality)
            if whole.result.size <= most { return whole }
            return try SizeSearch(most: most, format: other, quality: other.usualQuality).best(of: picture)
        }
        return try SizeSearch(most: most, format: format, quality: recipe.quality ?? format.usualQuality)
            .best(of: picture)
    }

    /// Its pixels on white, of no format: ``PixelMap``.
    private func map(
        _ source: Picture, _ facts: submit_picture_facts, _ output: CInt
    ) throws(PixelFault) -> PixelResult {
        let (width, height) = room(for: facts)
        var picture = try Picture(submit_picture_fit(source.pointer, width, height, job.recipe.isSquare))
        if picture.hasAlpha { picture = try Picture(submit_picture_flatten(picture.pointer)) }
        var (bytes, size) = (UnsafeMutableRawPointer?.none, 0)
        guard submit_picture_pixels(picture.pointer, &bytes, &size) == 0, let bytes else { throw .library() }
        defer { submit_vips_free(bytes) }
        let head = Array(PixelMap.head(width: picture.width, height: picture.height).utf8)
        try EncodedPicture.write(head, to: output)
        try EncodedPicture.write(UnsafeRawBufferPointer(start: bytes, count: size), to: output)
        return PixelResult(
            format: .png, width: picture.width, height: picture.height, size: Int64(head.count + size), quality: 100)
    }

    /// What the picture is to fit into: what a square loses is none of its pixels.
    private func room(for facts: submit_picture_facts) -> (width: CInt, height: CInt) {
        let (shown, recipe) = ((width: Int(facts.shown_width), height: Int(facts.shown_height)), job.recipe)
        var (width, height) = (recipe.box?.width ?? 65535, recipe.box?.height ?? 65535)
        if recipe.isSquare {
            // No larger than the picture's shorter side.
            var side = min(width, height, shown.width, shown.height)
            if let most = recipe.maximumPixels { side = min(side, max(1, Int(Double(most).squareRoot()))) }
            return (CInt(side), CInt(side))
        }
        if let most = recipe.maximumPixels, shown.width * shown.height > most {
            let factor = (Double(most) / Double(shown.width * shown.height)).squareRoot()
            width = min(width, max(1, Int(Double(shown.width) * factor)))
            height = min(height, max(1, Int(Double(shown.height) * factor)))
        }
        return (CInt(width), CInt(height))
    }

    /// What a PNG becomes that has too many bytes; `nil`: a smaller one.
    private func instead(_ hasAlpha: Bool) -> PixelFormat? {
        let formats: [PixelFormat] = hasAlpha ? [.webp, .avif] : [.jpeg, .webp, .avif]
        return formats.first(where: job.instead.contains)
    }

    private func enhanced(_ picture: Picture) throws(PixelFault) -> Picture {
        let decoded = try Picture(submit_picture_decode(picture.pointer))
        let dark = submit_picture_brightness(decoded.pointer, 0.5)
        let bright = submit_picture_brightness(decoded.pointer, 99.5)
        guard let stretch = PixelRecipe.stretch(dark: Int(dark), bright: Int(bright)) else { return decoded }
        return try Picture(submit_picture_scale_brightness(decoded.pointer, stretch.factor, stretch.offset))
    }
}
