internal import Submit
internal import SubmitPixels
internal import SubmitPlatform
internal import SubmitRendition

/// The photo that a rendition is made of.
struct RenditionBase: Sendable {
    /// Where it comes from.
    enum Origin: Sendable {
        /// It is the item itself.
        case item
        /// It is taken out of a film.
        case poster

        /// For an item whose policy is this.
        static func of(
            _ item: MediaItem, _ policy: RenditionPolicy, _ words: PhotoWords, _ limits: ItemLimits
        ) -> Origin {
            item.type.kind == .video && policy.video == .poster ? .poster : .item
        }

        /// What it is.
        func type(of item: MediaItem) -> MediaType {
            switch self {
            case .item: item.type
            case .poster: MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
            }
        }
    }

    let bytes: GuardedFile
    let type: MediaType
    /// What made it, with its version; `nil`: a camera.
    var engine: String?
}

extension RenditionPlan {
    /// The photo that it is made of. Blocks its thread.
    ///
    /// - Parameter scratch: makes an empty file that goes with its descriptor.
    func base(
        of source: GuardedFile, scratch: () throws(SubmitFailure) -> CInt
    ) throws(SubmitFailure) -> RenditionBase {
        switch base {
        case .item: return RenditionBase(bytes: source, type: item.type)
        case .poster:
            let (file, engine) = try file(scratch) { (output) throws(SubmitFailure) in
                try poster(of: source, to: output)
            }
            return RenditionBase(bytes: file, type: base.type(of: item), engine: engine)
        }
    }

    /// A file that is written, and what whoever does it says.
    func file<Told>(
        _ scratch: () throws(SubmitFailure) -> CInt, _ write: (CInt) throws(SubmitFailure) -> Told
    ) throws(SubmitFailure) -> (GuardedFile, Told) {
        let descriptor = try scratch()
        let told: Told
        do throws(SubmitFailure) {
            told = try write(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        return (try GuardedFile(descriptor: descriptor, path: item.source), told)
    }

    private func poster(of source: GuardedFile, to output: CInt) throws(SubmitFailure) -> String {
        guard let posters, let input = source.fileDescriptor else {
            throw failure(.unavailable("nothing here can take a picture out of a film: install ffmpeg"))
        }
        do throws(PixelFailure) {
            return try posters.poster(of: item.type.mime, from: input, to: output) { Task.isCancelled }
        } catch {
            throw failure(error)
        }
    }
}
