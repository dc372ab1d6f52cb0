internal import Submit

/// JPEG 2000 (ISO/IEC 15444-1, annexes A and I).
enum JPEG2000File {
    static func type(of head: Span<UInt8>) -> MediaType? {
        // A start of a codestream, and its size, which has to come next.
        if head.has([0xff, 0x4f, 0xff, 0x51], at: 0) { return .photo("image/j2c", "j2k") }
        guard head.has([0, 0, 0, 12] + "jP  \r\n".utf8 + [0x87, 0x0a], at: 0),
            head.has(Array("ftyp".utf8), at: 16)
        else { return nil }
        if head.has(Array("mjp2".utf8), at: 20) { return .video("video/mj2", "mj2") }
        if head.has(Array("jpm ".utf8), at: 20) { return .photo("image/jpm", "jpm") }
        if head.has(Array("jpx ".utf8), at: 20) { return .photo("image/jpx", "jpx") }
        return .photo("image/jp2", "jp2")
    }
}
