/// JPEG (ITU-T T.81, annex B).
enum JPEGFile {
    /// Whether the picture begins within `head` and no segment before it is for EXIF or XMP. False where that cannot be
    /// told.
    static func hasNoMetadata(_ head: Span<UInt8>) -> Bool {
        var offset = 2
        while let marker = head.number(at: offset, width: 2), marker >> 8 == 0xff, marker != 0xffff {
            // Start of scan: what follows is the picture.
            if marker == 0xffda { return true }
            let content = offset + 4
            let isKnown = ["Exif\0", "http://ns.adobe.com/"].contains { head.has(Array($0.utf8), at: content) }
            if marker == 0xffe1, isKnown { return false }
            guard let length = head.number(at: offset + 2, width: 2), length >= 2 else { return false }
            offset += 2 + Int(length)
        }
        return false
    }
}
