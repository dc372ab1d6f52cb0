internal import Submit

/// Matroska (RFC 9559) and WebM: which of the two, its EBML header (RFC 8794, section 11.2) says.
enum MatroskaFile {
    static func type(of head: Span<UInt8>, fileExtension: String) -> MediaType? {
        guard head.has([0x1a, 0x45, 0xdf, 0xa3], at: 0), let header = length(in: head, at: 4) else { return nil }
        var offset = header.content
        let end = min(head.count, offset + min(header.value, head.count))
        while offset < end {
            guard let idWidth = width(in: head, at: offset), let id = head.number(at: offset, width: idWidth),
                let element = length(in: head, at: offset + idWidth)
            else { return nil }
            if id == 0x4282 {
                if head.has(Array("webm".utf8), at: element.content) { return .video("video/webm", "webm") }
                let isVideo = head.has(Array("matroska".utf8), at: element.content) && fileExtension != "mka"
                return isVideo ? .video("video/x-matroska", "mkv") : nil
            }
            guard element.value <= end - element.content else { return nil }
            offset = element.content + element.value
        }
        return nil
    }

    /// An element's length, and where its content begins.
    static func length(in head: Span<UInt8>, at offset: Int) -> (value: Int, content: Int)? {
        guard let width = width(in: head, at: offset), let number = head.number(at: offset, width: width) else {
            return nil
        }
        let value = number & ((1 << UInt64(7 * width)) - 1)
        return (Int(value), offset + width)
    }

    /// How many bytes a variable-size integer has.
    static func width(in head: Span<UInt8>, at offset: Int) -> Int? {
        guard let first = head.number(at: offset, width: 1), first != 0 else { return nil }
        return UInt8(first).leadingZeroBitCount + 1
    }
}
