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
    /// What is done with the pixels; `nil`: they stay.
    let job: PixelJob?
    /// What comes out, as far as that can be foreseen.
    let type: MediaType
    /// When a copy does, with its pixels as they are; `nil`: never.
    private let copies: CopyCondition?
    private let renderer: (any PixelRenderer)?
    private let capabilities: Capabilities

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
        if item.type.kind == .video, policy.video == .skip {
            throw Self.failure("no-video", item, "\(destination.name) takes no videos, as its rendition says.")
        }
        let (recipe, copies) = policy.recipe(for: item, limits ?? capabilities.limits(of: item.type.kind))
        self.copies = copies
        job = recipe.map { PixelJob(mime: item.type.mime, recipe: $0) }
        guard let recipe else {
            type = item.type
            guard policy.kept == nil || CleanCopy.isPossible(of: item.type) else {
                throw Self.failure("no-rendition", item, Self.noRendition(of: item, destination.name))
            }
            return
        }
        guard PixelJob.mimes.contains(item.type.mime) else {
            throw Self.failure("no-rendition", item, Self.noRendition(of: item, destination.name))
        }
        let format = recipe.format ?? .usual(for: item.type.mime)
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

    private static func noRendition(of item: MediaItem, _ destination: String) -> String {
        let cure = item.type.kind == .photo ? "convert it to JPEG" : "leave it out"
        return
            "\(destination) is to get a rendition, and none can be made of \(item.type.mime) here; \(cure), or ask for the "
            + "original if anybody may see all of it."
    }

    private static func failure(_ code: String, _ item: MediaItem, _ why: String) -> SubmitFailure {
        SubmitFailure(.giveUp, code: code, message: "“\(item.name)” was not sent: \(why)")
    }

    // MARK: Making

    /// What came of it.
    struct Made: Sendable {
        /// What made it.
        var engine = RenditionPolicy.engine
        /// Pixels of its sides, where they are new.
        var pixels: PixelBox?
        var type: MediaType
    }

    /// Writes it. Blocks its thread.
    ///
    /// - Parameters:
    ///   - scratch: makes an empty file that goes with its descriptor.
    ///   - write: gets its bytes in order.
    func make(
        of source: GuardedFile, scratch: () throws(SubmitFailure) -> CInt,
        write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void
    ) throws(SubmitFailure) -> Made {
        guard let job, try !copyFits(source) else {
            if let kept = policy.kept {
                try CleanCopy.make(of: source, type: item.type, name: item.name, keeping: kept, write: write)
            } else {
                try source.copy(to: write)
            }
            return Made(type: item.type)
        }
        let descriptor = try scratch()
        let made: Made
        do throws(SubmitFailure) {
            made = try render(job, source, to: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        let pixels = try GuardedFile(descriptor: descriptor, path: item.source)
        try CleanCopy.make(
            of: pixels, type: made.type, name: item.name, keeping: policy.facts,
            original: try CleanCopy.exif(of: source, type: item.type) ?? [], write: write)
        return made
    }

    private func copyFits(_ source: GuardedFile) throws(SubmitFailure) -> Bool {
        guard let copies else { return false }
        if copies.box != nil || copies.pixels != nil {
            guard let descriptor = source.fileDescriptor,
                let picture = MediaDimensions(of: descriptor, type: item.type),
                copies.box.map(picture.fits) ?? true, picture.width * picture.height <= copies.pixels ?? .max
            else { return false }
        }
        guard let kept = policy.kept else { return item.size <= copies.size }
        return try CleanCopy.size(of: source, type: item.type, name: item.name, keeping: kept) <= copies.size
    }

    private func render(
        _ job: PixelJob, _ source: GuardedFile, to output: CInt
    ) throws(SubmitFailure) -> Made {
        guard let renderer, let input = source.fileDescriptor else {
            throw failure(.unavailable("nothing here can decode photos: install submit-media"))
        }
        do throws(PixelFailure) {
            let (result, engine) = try renderer.render(job, from: input, to: output) { Task.isCancelled }
            return Made(
                engine: "\(RenditionPolicy.engine), \(engine)",
                pixels: PixelBox(width: result.width, height: result.height),
                type: MediaType(
                    kind: .photo, mime: result.format.mime, filenameExtension: result.format.filenameExtension))
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ failure: PixelFailure) -> SubmitFailure {
        func giveUp(_ code: String, _ why: String) -> SubmitFailure { Self.failure(code, item, why) }
        switch failure {
        case .cancelled: return .cancelled
        case .trouble(.damaged, let why):
            return giveUp(
                "photo-damaged",
                "no rendition can be made of it, as the file is damaged (\(why)); save it anew with "
                    + "another program, or ask for the original.")
        case .trouble(.huge, let why):
            return giveUp(
                "no-rendition", "no rendition is made of it, as \(why): make it smaller, or ask for the original.")
        case .trouble(.animated, let why):
            return giveUp(
                "no-rendition",
                "no rendition is made of it, as \(why), of which one would be left: ask for the original, "
                    + "or for a rendition that leaves the pixels.")
        case .trouble(.unfit, let why):
            return giveUp("too-large", "\(why), which is what \(destination) takes: make it smaller.")
        case .trouble(.unsupported, let why):
            return giveUp("no-rendition", "libvips here cannot make a rendition of it (\(why)): convert it to JPEG.")
        case .trouble(.unwritable, let why):
            return SubmitFailure(
                .wait(after: .seconds(60)), code: "rendition-space",
                message: "“\(item.name)” waits: there is no room for what \(destination) is to get of it (\(why)).")
        case .died:
            return giveUp(
                "renderer-died",
                "the program that makes renditions, submit-media, ended at this photo: it may be damaged; save "
                    + "it anew with another program, or ask for the original.")
        case .late:
            return giveUp(
                "renderer-late",
                "making what \(destination) is to get of it took longer than any photo needs: save it anew "
                    + "with another program, or ask for the original.")
        case .unavailable(let why):
            return giveUp(
                "no-renderer", "what \(destination) is to get needs new pixels, and \(why), or ask for the original.")
        }
    }

    /// Throws unless it is proven, by other code than made it, that it tells no more than it should.
    func check(_ made: Made, in file: any MediaBytes) throws(SubmitFailure) {
        guard policy.kept != nil || made.pixels != nil else { return }
        let traces = try MetadataScan.traces(in: file, type: made.type, allowing: policy.facts)
        guard let trace = traces.first else { return }
        throw SubmitFailure(
            .giveUp, code: "rendition-unclean",
            message:
                "“\(item.name)” was not sent: what \(destination) would get would still hold \(trace.what); "
                + "save it anew with another program, or ask for the original if anybody may see all of it.")
    }

    /// What is in the file, once it was made and checked.
    func rendition(_ made: Made, in file: any MediaBytes) throws(SubmitFailure) -> Rendition {
        Rendition(
            engine: made.engine, size: file.size, type: made.type,
            digests: try Digests.reading(capabilities.digests(ofSize: file.size), of: file))
    }
}

extension RenditionPolicy {
    /// What is done with the pixels of an item, what its destination takes considered; `nil`: they stay. They do, too, where a
    /// clean copy has no more bytes than the limit.
    fileprivate func recipe(
        for item: MediaItem, _ limits: ItemLimits
    ) -> (recipe: PixelRecipe?, copies: CopyCondition?) {
        guard item.type.kind == .photo else { return (nil, nil) }
        var recipe = pixels
        let mime = item.type.mime
        let isTaken = limits.mimeTypes?.contains(recipe.format?.mime ?? mime) ?? true
        let mayBeCopied = kept == nil || CleanCopy.isPossible(of: item.type) || !PixelJob.mimes.contains(mime)
        let mostBytes = [limits.maximumSize, recipe.maximumSize].compactMap(\.self).min()
        recipe.maximumPixels = [limits.maximumPixels, recipe.maximumPixels].compactMap(\.self).min()
        let isCopied = recipe.leaves(mime) && isTaken && mayBeCopied
        if isCopied, recipe.box == nil, recipe.maximumPixels == nil, item.size <= mostBytes ?? .max {
            return (nil, nil)
        }
        if recipe.format == nil {
            let usual = PixelFormat.usual(for: mime)
            let formats = [usual, .jpeg, .png, .webp, .avif]
            recipe.format = formats.first { limits.mimeTypes?.contains($0.mime) ?? true } ?? usual
        }
        if let most = mostBytes {
            // What is written into it besides the picture needs room, too.
            recipe.maximumSize = most - min(8 << 10, most / 10)
        }
        return (
            recipe,
            isCopied ? CopyCondition(box: recipe.box, pixels: recipe.maximumPixels, size: mostBytes ?? .max) : nil
        )
    }
}

/// What a photo must be within to be copied with its pixels as they are.
private struct CopyCondition: Sendable {
    var box: PixelBox?
    var pixels: Int?
    /// Bytes.
    var size: Int64
}

extension MediaDimensions {
    /// Upright, it is no larger.
    fileprivate func fits(_ box: PixelBox) -> Bool {
        let isTurned = orientation >= 5
        return (isTurned ? height : width) <= box.width && (isTurned ? width : height) <= box.height
    }
}

extension GuardedFile {
    fileprivate func copy(to write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void) throws(SubmitFailure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < size {
            let count = try read(into: buffer, at: offset)
            if count == 0 { break }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
    }
}
