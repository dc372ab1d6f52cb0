internal import Submit
internal import SubmitDigest
internal import SubmitMedia
internal import SubmitPixels
internal import SubmitPlatform
internal import SubmitRendition

/// How what a destination gets of an item comes to be: copied bit for bit, copied clean, or from new pixels.
struct RenditionPlan: Sendable {
    let policy: RenditionPolicy
    let item: MediaItem
    /// The destination, for sentences.
    let destination: String
    /// What its picture comes from.
    let base: RenditionBase.Origin
    /// What is done with the pixels; `nil`: they stay.
    let job: PixelJob?
    /// What comes out, as far as that can be foreseen.
    let type: MediaType
    /// When a copy does, with its pixels as they are; `nil`: never.
    let copies: CopyCondition?
    /// Bytes that it may have.
    let mostBytes: Int64?
    /// What is written into it.
    let words: PhotoWords
    let renderer: (any PixelRenderer)?
    let posters: (any PosterMaker)?
    let capabilities: Capabilities

    /// - Throws: `no-rendition`, `no-video` and `no-renderer`, to give up with, where nothing can be made of it here.
    /// - Parameter limits: what the destination says that it takes; `nil`: what is known of it.
    init(
        _ policy: RenditionPolicy, _ item: MediaItem, at destination: Destination, limits: ItemLimits? = nil
    ) throws(SubmitFailure) {
        self.policy = policy
        self.item = item
        self.destination = destination.name
        renderer = destination.pixels
        capabilities = destination.submitter.capabilities
        posters = destination.posters
        let isFilm = item.type.kind == .video
        if policy.skips(item) {
            throw Self.failure("no-video", item, Self.noVideos(destination.name))
        }
        words = isFilm && policy.video != .poster ? .none : PhotoWords(of: item, by: destination.credit, policy)
        if policy.kind(of: item) == .photo { try Self.check(words, policy, item, at: destination) }
        let limits = limits ?? capabilities.limits(of: policy.kind(of: item))
        mostBytes = [limits.maximumSize, policy.pixels.maximumSize].compactMap(\.self).min()
        base = policy.base(of: item, words, limits)
        if base == .poster, let why = Self.missing(posters, item.type) {
            throw Self.failure(
                "no-renderer", item,
                "\(destination.name) is to get a picture of it, and \(why), or ask for the original.")
        }
        let photo = base.type(of: item)
        (job, copies) = policy.job(for: photo, size: base == .item ? item.size : .max, base, words, limits)
        guard let recipe = job?.recipe else {
            type = photo
            guard base != .item || policy.kept == nil && words.isEmpty || CleanCopy.isPossible(of: photo) else {
                throw Self.failure("no-rendition", item, Self.noRendition(of: item, destination.name))
            }
            return
        }
        guard PixelJob.mimes.contains(photo.mime) else {
            throw Self.failure("no-rendition", item, Self.noRendition(of: item, destination.name))
        }
        let format = recipe.format ?? .usual(for: photo.mime)
        type = MediaType(kind: .photo, mime: format.mime, filenameExtension: format.filenameExtension)
        // What is in its way is found out when it is made.
        if let copies, copies.box == nil { return }
        let missing = renderer.map(\.unavailable) ?? "nothing here can decode photos: install submit-media"
        if let missing {
            throw Self.failure(
                "no-renderer", item,
                "what \(destination.name) is to get needs new pixels (\(recipe)), and \(missing), or ask for the original."
            )
        }
    }

    private static func missing(_ posters: (any PosterMaker)?, _ type: MediaType) -> String? {
        guard let posters else { return "nothing here can take one out of a film: install ffmpeg" }
        return posters.unavailable
            ?? (posters.mimes.contains(type.mime)
                ? nil : "none can be taken out of \(type.mime) here: convert it to MP4")
    }

    /// Where its pixels stay all of it does.
    var isBitForBit: Bool { base == .item && policy.kept == nil && words.isEmpty }

    private static func check(
        _ words: PhotoWords, _ policy: RenditionPolicy, _ item: MediaItem, at destination: Destination
    ) throws(SubmitFailure) {
        if words.size > PhotoWords.most {
            throw failure(
                "words-too-long", item,
                "its words have \(words.size) bytes, and at most \(PhotoWords.most) are written into a photo; say it in "
                    + "fewer, or leave them out of “write” of the rendition of \(destination.name).")
        }
        guard let missing = destination.credit.missing(of: policy.written)?.rawValue else { return }
        throw failure(
            "no-\(missing)", item,
            "the rendition of \(destination.name) is to have the \(missing) written into it, and nobody says who that is: "
                + "write “\(missing): …” into the configuration.")
    }

    static func noVideos(_ destination: String) -> String { "\(destination) takes no videos, as its rendition says." }

    private static func noRendition(of item: MediaItem, _ destination: String) -> String {
        let cure: String
        switch item.type.kind {
        case .photo: cure = "convert it to JPEG"
        case .video: cure = "send a picture of it (“video: poster”) or nothing of it (“video: skip”)"
        case .other:
            return "\(destination) gets only photos and videos, without their location. Send this file to a private "
                + "destination instead, or ask for the original if anybody may see all of it."
        }
        return
            "\(destination) is to get a rendition, and none can be made of \(item.type.mime) here; \(cure), or ask for the "
            + "original if anybody may see all of it."
    }

    static func failure(_ code: String, _ item: MediaItem, _ why: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: code, message: "“\(item.name)” was not sent: \(why)")
    }
}

extension RenditionPolicy {
    /// What is sent of an item.
    func kind(of item: MediaItem) -> MediaKind {
        item.type.kind == .video && video == .poster ? .photo : item.type.kind
    }

    /// What a rendition of an item is made of.
    fileprivate func base(of item: MediaItem, _ words: PhotoWords, _ limits: ItemLimits) -> RenditionBase.Origin {
        if item.type.kind == .video { return video == .poster ? .poster : .item }
        guard !isOriginal, RAWPreview.isPossible(of: item.type) else { return .item }
        // What may stay as it is needs no picture of its own.
        let isLeft = job(for: item.type, size: item.size, .item, words, limits).job == nil
        return isLeft && kept == nil && words.isEmpty ? .item : .preview
    }

    /// What is done with the pixels of an item, what its destination takes considered; `nil`: they stay. They do, too, where a
    /// clean copy has no more bytes than the limit.
    fileprivate func job(
        for photo: MediaType, size: Int64, _ base: RenditionBase.Origin, _ words: PhotoWords, _ limits: ItemLimits
    ) -> (job: PixelJob?, copies: CopyCondition?) {
        guard photo.kind == .photo, !isOriginal else { return (nil, nil) }
        var recipe = pixels
        let mime = photo.mime
        let isTaken = limits.mimeTypes?.contains(recipe.format?.mime ?? mime) ?? true
        let mayBeCopied =
            !PixelJob.mimes.contains(mime)
            || (kept == nil || CleanCopy.isPossible(of: photo)) && (words.isEmpty || CleanCopy.canWrite(into: photo))
        let mostBytes = [limits.maximumSize, recipe.maximumSize].compactMap(\.self).min()
        recipe.maximumPixels = [limits.maximumPixels, recipe.maximumPixels].compactMap(\.self).min()
        let isCopied = base != .poster && recipe.leaves(mime) && isTaken && mayBeCopied
        if isCopied, recipe.box == nil, recipe.maximumPixels == nil, size <= mostBytes ?? .max {
            return (nil, nil)
        }
        var instead: [PixelFormat] = []
        if recipe.format == nil {
            let usual = base == .item ? PixelFormat.usual(for: mime) : .jpeg
            let formats = [usual, .jpeg, .png, .webp, .avif].filter { limits.mimeTypes?.contains($0.mime) ?? true }
            recipe.format = formats.first ?? usual
            // Nobody asked for a PNG: what is too large as one may be another that is seen everywhere.
            if recipe.format == .png, mostBytes != nil { instead = [.jpeg, .webp].filter(formats.contains) }
        }
        if let most = mostBytes {
            // What is written into it besides the picture needs room, too.
            let wordsSize = words.isEmpty ? 0 : Int64((1 << 10) + 2 * words.size)
            recipe.maximumSize = max(1, most - min(8 << 10, most / 10) - wordsSize)
        }
        return (
            PixelJob(mime: mime, recipe: recipe, instead: instead),
            isCopied ? CopyCondition(box: recipe.box, pixels: recipe.maximumPixels, size: mostBytes ?? .max) : nil
        )
    }
}

/// What a photo must be within to be copied with its pixels as they are.
struct CopyCondition: Sendable {
    var box: PixelBox?
    var pixels: Int?
    /// Bytes.
    var size: Int64
}
