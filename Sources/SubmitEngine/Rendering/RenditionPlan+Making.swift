internal import Submit
internal import SubmitDigest
internal import SubmitMedia
internal import SubmitPixels
internal import SubmitPlatform
internal import SubmitRendition
internal import SystemPackage

extension RenditionPlan {
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
        let base = try base(of: source, scratch: scratch)
        guard let job, try !copyFits(base) else {
            if isBitForBit {
                try source.copy(to: write)
            } else {
                try CleanCopy.make(
                    of: base.bytes, type: base.type, name: item.name, keeping: policy.facts, writing: words,
                    write: write)
            }
            return Made(engine: base.maker, type: base.type)
        }
        let (pixels, made) = try file(scratch) { (output) throws(SubmitFailure) in
            do throws(SubmitFailure) {
                return try render(job, base, to: output)
            } catch {
                // libheif refuses some telephones' files, for what stands beside the picture: the clean copy has the picture alone.
                guard error.code == "photo-damaged", Self.heif.contains(base.type.mime),
                    let clean = try? clean(base, scratch)
                else { throw error }
                return try render(job, clean, to: output)
            }
        }
        try CleanCopy.make(
            of: pixels, type: made.type, name: item.name, keeping: policy.facts,
            original: try CleanCopy.exif(of: base.bytes, type: base.type) ?? [], writing: words, write: write)
        return made
    }

    private static let heif: Set<String> = ["image/heic", "image/heif", "image/avif"]

    /// A copy of it without anything but its picture.
    private func clean(
        _ base: RenditionBase, _ scratch: () throws(SubmitFailure) -> CInt
    ) throws(SubmitFailure) -> RenditionBase {
        let (file, _) = try file(scratch) { (output) throws(SubmitFailure) in
            try CleanCopy.make(of: base.bytes, type: base.type, name: item.name, keeping: []) {
                (bytes) throws(SubmitFailure) in
                do throws(Errno) {
                    try FileDescriptor(rawValue: output).append(bytes)
                } catch {
                    throw failure(.trouble(.unwritable, "\(error)"))
                }
            }
        }
        return RenditionBase(bytes: file, type: base.type, engine: base.engine)
    }

    private func copyFits(_ base: RenditionBase) throws(SubmitFailure) -> Bool {
        guard let copies else { return false }
        if copies.box != nil || copies.pixels != nil {
            guard let descriptor = base.bytes.fileDescriptor,
                let picture = MediaDimensions(of: descriptor, type: base.type),
                copies.box.map(picture.fits) ?? true, picture.width * picture.height <= copies.pixels ?? .max
            else { return false }
        }
        if isBitForBit { return base.bytes.size <= copies.size }
        return try CleanCopy.size(
            of: base.bytes, type: base.type, name: item.name, keeping: policy.facts, writing: words) <= copies.size
    }

    private func render(
        _ job: PixelJob, _ base: RenditionBase, to output: CInt
    ) throws(SubmitFailure) -> Made {
        guard let renderer, let input = base.bytes.fileDescriptor else {
            throw failure(.unavailable("nothing here can decode photos: install submit-media"))
        }
        if base.type.mime == "image/png", MediaDimensions.isAnimatedPNG(input) {
            throw failure(.trouble(.animated, "it is an animation"))
        }
        if MediaDimensions.hasOtherChannels(input, mime: base.type.mime) {
            throw failure(.trouble(.unsupported, "it has channels that are neither colour nor transparency"))
        }
        var job = job
        job.orientation = MediaDimensions.untoldOrientation(of: input, mime: base.type.mime)
        do throws(PixelFailure) {
            let (result, engine) = try renderer.render(job, from: input, to: output) { Task.isCancelled }
            return Made(
                engine: "\(base.maker), \(engine)",
                pixels: PixelBox(width: result.width, height: result.height),
                type: MediaType(
                    kind: .photo, mime: result.format.mime, filenameExtension: result.format.filenameExtension))
        } catch {
            throw failure(error)
        }
    }

    func failure(_ failure: PixelFailure) -> SubmitFailure {
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
        case .trouble(.memory, let why):
            return giveUp(
                "no-rendition",
                "no rendition is made of it, as \(why): make it smaller with another program, or ask for the original.")
        case .trouble(.unreadable, let why):
            return SubmitFailure(
                .retry(after: nil), code: "source-unreadable",
                message: "“\(item.name)” was not sent: it cannot be read (\(why)); check the disk it is on.")
        case .trouble(.animated, let why):
            return giveUp(
                "no-rendition",
                "no rendition is made of it, as \(why), of which one would be left: ask for the original, "
                    + "or for a rendition that leaves the pixels.")
        case .trouble(.unfit, let why):
            guard let mostBytes else { return giveUp("too-large", "\(why): make it smaller.") }
            return giveUp(
                "too-large",
                "\(destination) is to get at most \(mostBytes) bytes, and no rendition of so few is any good: take more of "
                    + "“max_bytes”, if the limit is yours, or a smaller “box”.")
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
        case .passing(let why):
            return SubmitFailure(
                .retry(after: nil), code: "renderer-unready",
                message:
                    "“\(item.name)” was not sent: what \(destination) is to get of it could not be made, as \(why); free "
                    + "memory or end other programs if this goes on.")
        case .unavailable(let why):
            return giveUp(
                "no-renderer", "what \(destination) is to get needs new pixels, and \(why), or ask for the original.")
        }
    }

    /// Throws unless it is proven, by other code than made it, that it tells no more than it should.
    func check(_ made: Made, in file: any MediaBytes) throws(SubmitFailure) {
        if isBitForBit, made.pixels == nil { return }
        // What is written into it came on top.
        if let mostBytes, made.pixels != nil, file.size > mostBytes {
            throw failure(.trouble(.unfit, "it is too large"))
        }
        let traces = try MetadataScan.traces(in: file, type: made.type, allowing: policy.facts, telling: words)
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

extension RenditionBase {
    /// What made it, with its version, as whatever comes of it says.
    fileprivate var maker: String { ([RenditionPolicy.engine, engine].compactMap(\.self)).joined(separator: ", ") }
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
