public import Submit

/// What a photo still tells that it should not.
public struct Trace: Sendable, Hashable {
    /// What it is, for a sentence: “a.jpg” was not sent to x: it would still hold *a place in EXIF (GPS)*.
    public var what: String
    /// Where in the file it begins.
    public var offset: Int64

    /// - Parameters:
    ///   - what: the end of a sentence that begins with “it would still hold”; nothing of the photo's own words.
    ///   - offset: from the beginning of the file.
    public init(what: String, offset: Int64) {
        self.what = what
        self.offset = offset
    }
}

/// The check of what goes out, by other code than made it: only what is known to tell nothing is clean.
///
/// It knows every part that a clean photo may have, and takes each part apart to its last byte. Whatever it does not
/// know, cannot read or finds twice is a trace, and so is every format but JPEG, PNG, WebP, GIF, HEIC, AVIF, QuickTime
/// and MP4 (with 3GPP and M4V).
///
/// Pixels, palettes and the measures of colour profiles are not looked at. Of what holds pixels, PNG's and GIF's is proven to end
/// where the picture does. JPEG's and WebP's is not decoded: it is searched for words that no picture has, and for text
/// at its end. HEVC's, H.264's and AV1's is known to be nothing but pictures from unit to unit, each of which is searched for
/// words, and for text at its beginning and end; the settings of H.264 and HEVC are read to their last bit, but for 256 bytes on
/// layers. Sound is searched for words: it is not decoded, so that the name of the program that made it may stand in AAC's
/// fill, and whoever hides something in coded pictures or sound on purpose is not found.
///
/// Sources: ITU-T T.81 and T.871, Adobe TN 5116, ICC.1:2022, CIPA DC-008 (EXIF 2.32), W3C PNG (third edition), RFC 9649
/// (WebP), RFC 6386 (VP8), RFC 1950 and 1951, GIF 89a, ISO/IEC
/// 14496-12, -14 and -15, 23008-12 (HEIF), AVIF 1.1, QuickTime File Format, ITU-T H.264 and H.265, AV1 Bitstream.
public enum MetadataScan {
    /// What is wrong with a photo that is to have no metadata but an allow-list; empty: it is provably clean.
    ///
    /// - Parameters:
    ///   - type: what the photo is sent as; anything else in the file is a trace.
    ///   - facts: what may be there; orientation and colour always may.
    ///   - words: what was written into it; the same words by chance are none of them.
    /// - Returns: the traces by their place in the file, and not all where there are very many.
    /// - Throws: what reading `bytes` throws: pass it on as it is. A file that cannot be understood is a trace.
    public static func traces(
        in bytes: any MediaBytes, type: MediaType, allowing facts: Set<KeptFact>, telling words: PhotoWords = .none
    ) throws(SubmitFailure) -> [Trace] {
        let source = ScannedBytes(bytes)
        let allowed = AllowedMetadata(facts: facts, words: words)
        let found =
            switch type.mime {
            case "image/jpeg": try ScannedJPEG.traces(in: source, allowing: allowed)
            case "image/png": try ScannedPNG.traces(in: source, allowing: allowed)
            case "image/webp": try ScannedWebP.traces(in: source, allowing: allowed)
            case "image/gif": try ScannedGIF.traces(in: source, allowing: allowed)
            case "image/heic", "image/heif", "image/avif": try ScannedHEIF.traces(in: source, allowing: allowed)
            case "video/quicktime", "video/mp4", "video/x-m4v", "video/3gpp", "video/3gpp2":
                try ScannedMovie.traces(in: source, allowing: allowed)
            default: FoundTraces([Trace(what: "data that cannot be checked (\(type.mime))", offset: 0)])
            }
        return found.list.sorted { $0.offset < $1.offset }
    }
}

/// The traces found so far.
struct FoundTraces {
    private(set) var list: [Trace]

    init(_ list: [Trace] = []) { self.list = list }

    /// One trace is enough to keep a photo back: nobody reads a thousand.
    var isFull: Bool { list.count >= 64 }

    mutating func add(_ what: String, at offset: Int64) {
        let trace = Trace(what: what, offset: offset)
        if !isFull, !list.contains(trace) { list.append(trace) }
    }

    mutating func add(_ others: FoundTraces) {
        for trace in others.list { add(trace.what, at: trace.offset) }
    }
}
