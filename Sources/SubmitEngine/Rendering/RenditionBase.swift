internal import Submit
internal import SubmitMedia
internal import SubmitPixels
internal import SubmitPlatform
internal import SubmitRendition
internal import SystemPackage

/// The photo that a rendition is made of.
struct RenditionBase: Sendable {
    /// Where it comes from.
    enum Origin: Sendable {
        /// It is the item itself.
        case item
        /// It is taken out of a film.
        case poster

        /// A camera put it beside its sensor data.
        case preview

        /// What it is.
        func type(of item: MediaItem) -> MediaType {
            switch self {
            case .item: item.type
            case .poster: MediaType(kind: .photo, mime: "image/png", filenameExtension: "png")
            case .preview: .jpeg
            }
        }
    }

    let bytes: GuardedFile
    let type: MediaType
    /// What made it, with its version; `nil`: a camera.
    var engine: String?

    /// With what the RAW says of itself, above all how it is turned: the JPEG in it may say nothing.
    static func write(
        _ preview: RAWPreview, of source: GuardedFile, _ item: MediaItem,
        to write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void
    ) throws(SubmitFailure) {
        let exif = source.fileDescriptor.flatMap { RAWPreview.exif(of: $0, type: item.type) }
        try CleanCopy.make(
            of: FilePart(of: source, preview.place), type: .jpeg, name: item.name, keeping: Set(KeptFact.allCases),
            original: exif, isUpright: false, write: write)
    }
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
        case .preview:
            let preview = try preview(of: source)
            let (file, _) = try file(scratch) { (output) throws(SubmitFailure) in
                try RenditionBase.write(preview, of: source, item) { (bytes) throws(SubmitFailure) in
                    if Task.isCancelled { throw .cancelled }
                    do throws(Errno) {
                        try FileDescriptor(rawValue: output).append(bytes)
                    } catch {
                        throw failure(.trouble(.unwritable, "\(error)"))
                    }
                }
            }
            return RenditionBase(bytes: file, type: base.type(of: item))
        }
    }

    /// What the camera made of its sensor data, where that is as large as what is asked for.
    private func preview(of source: GuardedFile) throws(SubmitFailure) -> RAWPreview {
        guard let preview = source.fileDescriptor.flatMap({ RAWPreview(of: $0, type: item.type) }) else {
            throw Self.failure(
                "no-rendition", item,
                "\(destination) is to get a rendition, and its camera put no JPEG into this RAW: develop it, or ask for the "
                    + "original.")
        }
        let side = max(preview.width, preview.height)
        let isEnough =
            preview.isFullSize || policy.pixels.box.map { max($0.width, $0.height) <= side } == true
            || preview.whole == nil && side >= Self.leastSide
        if isEnough { return preview }
        let whole = preview.whole.map { " of \($0.width)x\($0.height)" } ?? ""
        throw Self.failure(
            "no-rendition", item,
            "\(destination) is to get a rendition, and the JPEG that its camera put into this RAW has only "
                + "\(preview.width)x\(preview.height)\(whole) pixels: develop it, or ask for a “box” that is no larger, or for "
                + "the original.")
    }

    /// A JPEG is more than a thumbnail where nothing tells how large the picture is.
    private static let leastSide = 1600

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
            throw failure(error == .died ? .trouble(.damaged, "ffmpeg ended at it") : error)
        }
    }
}

/// Some bytes of a file.
private struct FilePart: MediaBytes {
    private let file: GuardedFile
    private let start: Int64
    let size: Int64

    init(of file: GuardedFile, _ place: Range<Int64>) {
        self.file = file
        start = place.lowerBound
        size = place.upperBound - place.lowerBound
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        guard offset < size else { return 0 }
        let count = Int(min(Int64(buffer.count), size - offset))
        return try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: start + offset)
    }

    func verifyUnchanged() throws(SubmitFailure) { try file.verifyUnchanged() }

    var fileDescriptor: CInt? { nil }
}

extension MediaType {
    fileprivate static let jpeg = MediaType(kind: .photo, mime: "image/jpeg", filenameExtension: "jpg")
}
