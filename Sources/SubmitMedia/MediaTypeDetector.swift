public import Submit

/// Tells what a file is by its first bytes.
public enum MediaTypeDetector {
    /// How many bytes of a file's beginning are worth handing in. Fewer will do where the file is shorter.
    public static let headLength = 4096

    /// The type of the file that begins with `head`; `nil` if it is no photo or video known here, and no sound as cameras
    /// record it with them.
    ///
    /// - Parameters:
    ///   - head: the first bytes. May be anything: broken and hostile files are read within their bounds.
    ///   - fileExtension: without the dot. Decides only where formats share their beginning, or have none to speak of:
    ///     the raw formats built on TIFF, ISO base media files whose brand says no more than that, WMV whose streams are
    ///     described later, and bare JPEG XL, which two bytes begin.
    public static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        for (offset, bytes, type) in signatures where head.has(bytes, at: offset) {
            return type
        }
        if head.has(Array("RIFF".utf8), at: 0) {
            if head.has(Array("WEBP".utf8), at: 8) { return .photo("image/webp", "webp") }
            if head.has(Array("AVI ".utf8), at: 8) { return .video("video/x-msvideo", "avi") }
        }
        // What is longer than 4 GiB begins otherwise (EBU Tech 3306).
        if head.has(Array("RIFF".utf8), at: 0) || head.has(Array("RF64".utf8), at: 0) {
            guard head.has(Array("WAVE".utf8), at: 8) else { return nil }
            return MediaType(kind: .other, mime: "audio/wav", filenameExtension: "wav")
        }
        let fileExtension = fileExtension.lowercased()
        // A bare codestream (ISO/IEC 18181-1, section 5).
        if fileExtension == "jxl", head.has([0xff, 0x0a], at: 0) { return .photo("image/jxl", "jxl") }
        return TIFFFile.type(of: head, fileExtension: fileExtension)
            ?? ISOMediaFile.type(of: head, fileExtension: fileExtension)
            ?? MatroskaFile.type(of: head, fileExtension: fileExtension)
            ?? JPEG2000File.type(of: head) ?? BMPFile.type(of: head)
            ?? PortableAnymapFile.type(of: head) ?? ASFFile.type(of: head, fileExtension: fileExtension)
            ?? MPEGFile.type(of: head, fileExtension: fileExtension)
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
        (0, Array("II\u{1a}\0\0\0HEAPCCDR".utf8), .photo("image/x-canon-crw", "crw")),
        (0, Array("MM\0\0\0\u{1a}HEAPCCDR".utf8), .photo("image/x-canon-crw", "crw")),
        (0, Array("8BPS\0\u{1}\0\0\0\0\0\0".utf8), .photo("image/vnd.adobe.photoshop", "psd")),
        (0, Array("8BPS\0\u{2}\0\0\0\0\0\0".utf8), .photo("image/vnd.adobe.photoshop", "psb")),
        (0, [0, 0, 0, 12] + "JXL \r\n".utf8 + [0x87, 0x0a], .photo("image/jxl", "jxl")),
        (0, [0x76, 0x2f, 0x31, 0x01, 2], .photo("image/x-exr", "exr")),
        (0, Array("#?RADIANCE\n".utf8), .photo("image/vnd.radiance", "hdr")),
        (0, Array("#?RGBE\n".utf8), .photo("image/vnd.radiance", "hdr")),
        // A version, whether it has sound and video, and the length of that header (Adobe Flash Video File Format, annex E.2).
        (0, Array("FLV\u{1}\u{1}\0\0\0\u{9}".utf8), .video("video/x-flv", "flv")),
        (0, Array("FLV\u{1}\u{5}\0\0\0\u{9}".utf8), .video("video/x-flv", "flv")),
        // The key of a header's partition pack (SMPTE 377-1, section 7.1).
        (
            0, [0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01, 0x02],
            .video("application/mxf", "mxf")
        ),
        (4, Array("RED1".utf8), .video("video/x-red-r3d", "r3d")),
        (4, Array("RED2".utf8), .video("video/x-red-r3d", "r3d")),
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
