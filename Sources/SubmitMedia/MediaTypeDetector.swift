public import Submit

/// Tells what a file is by its first bytes.
public enum MediaTypeDetector {
    /// How many bytes of a file's beginning are worth handing in. Fewer will do where the file is shorter.
    public static let headLength = 4096

    /// The type of the file that begins with `head`; `nil` if it is no photo or video known here.
    ///
    /// - Parameters:
    ///   - head: the first bytes. May be anything: broken and hostile files are read within their bounds.
    ///   - fileExtension: without the dot. Decides only where formats share their beginning: the raw formats built
    ///     on TIFF, and ISO base media files whose brand says no more than that.
    public static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        for (offset, bytes, type) in signatures where head.has(bytes, at: offset) {
            return type
        }
        if head.has(Array("RIFF".utf8), at: 0) {
            if head.has(Array("WEBP".utf8), at: 8) { return .photo("image/webp", "webp") }
            if head.has(Array("AVI ".utf8), at: 8) { return .video("video/x-msvideo", "avi") }
            return nil
        }
        let fileExtension = fileExtension.lowercased()
        return TIFFFile.type(of: head, fileExtension: fileExtension)
            ?? ISOMediaFile.type(of: head, fileExtension: fileExtension)
            ?? MatroskaFile.type(of: head, fileExtension: fileExtension)
    }

    /// Formats that a few fixed bytes tell apart.
    private static let signatures: [(offset: Int, bytes: [UInt8], type: MediaType)] = [
        (0, [0xff, 0xd8, 0xff], .photo("image/jpeg", "jpg")),
        (0, [0x89] + "PNG\r\n\u{1a}\n".utf8, .photo("image/png", "png")),
        (0, Array("GIF87a".utf8), .photo("image/gif", "gif")),
        (0, Array("GIF89a".utf8), .photo("image/gif", "gif")),
        (0, Array("FUJIFILMCCD-RAW".utf8), .photo("image/x-fuji-raf", "raf")),
        (0, Array("FOVb".utf8), .photo("image/x-sigma-x3f", "x3f")),
        (0, Array("\0MRM".utf8), .photo("image/x-minolta-mrw", "mrw")),
        (0, Array("IIRO".utf8), .photo("image/x-olympus-orf", "orf")),
        (0, Array("IIRS".utf8), .photo("image/x-olympus-orf", "orf")),
        (0, Array("MMOR".utf8), .photo("image/x-olympus-orf", "orf")),
    ]
}

extension MediaType {
    static func photo(_ mime: String, _ fileExtension: String) -> MediaType {
        MediaType(kind: .photo, mime: mime, filenameExtension: fileExtension)
    }

    static func video(_ mime: String, _ fileExtension: String) -> MediaType {
        MediaType(kind: .video, mime: mime, filenameExtension: fileExtension)
    }
}

extension Span<UInt8> {
    /// Whether `bytes` stand at `offset`; false where the span ends before.
    func has(_ bytes: [UInt8], at offset: Int) -> Bool {
        guard offset >= 0, bytes.count <= count, offset <= count - bytes.count else { return false }
        for index in bytes.indices where self[offset + index] != bytes[index] {
            return false
        }
        return true
    }

    /// The unsigned number of `width` bytes (at most 8) at `offset`; `nil` where the span ends before.
    func number(at offset: Int, width: Int, bigEndian: Bool = true) -> UInt64? {
        guard offset >= 0, width <= count, offset <= count - width else { return nil }
        var value: UInt64 = 0
        for index in 0..<width {
            value = value << 8 | UInt64(self[offset + (bigEndian ? index : width - 1 - index)])
        }
        return value
    }
}
