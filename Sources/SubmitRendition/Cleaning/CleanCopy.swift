public import Submit

/// A copy of a photo or a film, its pixels and its sound bit for bit, with none of its metadata but an allow-list.
///
/// What is not known to belong to the picture is left out, wherever it stands: what is embedded, what is appended, and what this
/// code has never heard of.
public enum CleanCopy {
    /// Whether files of this type can be copied so: JPEG, PNG, WebP, GIF, HEIF, AVIF, QuickTime and MP4.
    public static func isPossible(of type: MediaType) -> Bool { plan(of: type) != nil }

    /// Whether words can be written into files of this type.
    public static func canWrite(into type: MediaType) -> Bool {
        ["image/jpeg", "image/png", "image/webp"].contains(type.mime)
    }

    /// Copies it. Blocks its thread.
    ///
    /// - Parameters:
    ///   - bytes: read twice, in pieces.
    ///   - type: what it is, by its content.
    ///   - name: what sentences call it.
    ///   - facts: what stays of its metadata besides orientation and colour: written anew, from values that are what they
    ///     should be.
    ///   - original: the EXIF of the photo that this one's pixels were made of, by ``exif(of:type:)``, instead of its own.
    ///   - isUpright: these pixels are upright and in sRGB; false: what `original` says of that is true of them, too.
    ///   - words: what people say of it, written besides: into JPEG, PNG and WebP.
    ///   - write: gets the bytes of the copy in order, in pieces of at most a megabyte.
    /// - Throws: `photo-damaged`, to give up with, where a photo or a film is not whole, so that nobody can tell what is picture and what is
    ///   not: save it anew with another program; what reading and `write` throw.
    public static func make(
        of bytes: any MediaBytes, type: MediaType, name: String, keeping facts: Set<KeptFact>,
        original: [UInt8]? = nil, isUpright: Bool = true, writing words: PhotoWords = .none,
        write: (UnsafeRawBufferPointer) throws(SubmitFailure) -> Void
    ) throws(SubmitFailure) {
        try pieces(
            of: bytes, type: type, name: name,
            KeptMetadata(facts: facts, original: original, isUpright: isUpright, words: words)
        )
        .write(from: bytes, to: write)
    }

    /// Bytes that a copy has. Blocks its thread.
    ///
    /// - Throws: as ``make(of:type:name:keeping:original:isUpright:writing:write:)``.
    public static func size(
        of bytes: any MediaBytes, type: MediaType, name: String, keeping facts: Set<KeptFact>,
        writing words: PhotoWords = .none
    ) throws(SubmitFailure) -> Int64 {
        try pieces(of: bytes, type: type, name: name, KeptMetadata(facts: facts, words: words)).size
    }

    private static func pieces(
        of bytes: any MediaBytes, type: MediaType, name: String, _ kept: KeptMetadata
    ) throws(SubmitFailure) -> CopiedPieces {
        guard let plan = plan(of: type) else {
            throw DamagedPhoto("it is \(type.mime)").failure(name, isVideo: type.kind == .video)
        }
        do throws(ReadingProblem) {
            return try plan(bytes, kept)
        } catch {
            switch error {
            case .damaged(let photo): throw photo.failure(name, isVideo: type.kind == .video)
            case .failed(let failure): throw failure
            }
        }
    }

    /// The TIFF structure of a photo's EXIF; `nil` where it has none that is found.
    ///
    /// - Throws: what reading throws.
    public static func exif(of bytes: any MediaBytes, type: MediaType) throws(SubmitFailure) -> [UInt8]? {
        do throws(ReadingProblem) {
            switch type.mime {
            case "image/jpeg": return try CleanJPEG.exif(of: bytes)
            case "image/png": return try CleanPNG.exif(of: bytes)
            case "image/webp": return try CleanWebP.exif(of: bytes)
            case "image/heic", "image/heif", "image/avif": return try CleanHEIF.exif(of: bytes)
            case "image/tiff": return try bytes.whole(0..<min(bytes.size, mostTIFF), of: "its metadata")
            default: return nil
            }
        } catch {
            if case .failed(let failure) = error { throw failure }
            return nil
        }
    }

    /// As much of a TIFF as its tags are looked for in.
    private static let mostTIFF: Int64 = 16 << 20

    private typealias Plan = (any MediaBytes, KeptMetadata) throws(ReadingProblem) -> CopiedPieces

    private static func plan(of type: MediaType) -> Plan? {
        switch type.mime {
        case "image/jpeg": CleanJPEG.pieces
        case "image/png": CleanPNG.pieces
        case "image/webp": CleanWebP.pieces
        case "image/gif": CleanGIF.pieces
        case "image/heic", "image/heif", "image/avif": CleanHEIF.pieces
        case "video/quicktime", "video/mp4", "video/x-m4v", "video/3gpp", "video/3gpp2": CleanMovie.pieces
        default: nil
        }
    }
}

/// Why a photo cannot be told apart into what is picture and what is not.
struct DamagedPhoto: Sendable {
    let why: String

    init(_ why: String) { self.why = why }

    func failure(_ name: String, isVideo: Bool) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "photo-damaged",
            message:
                "“\(name)” was not sent: its metadata cannot be taken out, as it is damaged or of a kind that is not known (\(why)); "
                + "save it anew with another program, or ask for the original (rendition: original) if anybody may see all of it"
                + (isVideo ? ", or leave videos out (video: skip)." : "."))
    }
}

/// What ends the look at a photo.
enum ReadingProblem: Error {
    case damaged(DamagedPhoto)
    case failed(SubmitFailure)

    static func damaged(_ why: String) -> ReadingProblem { .damaged(DamagedPhoto(why)) }
}
