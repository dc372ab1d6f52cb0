internal import SubmitPlatform

/// JPEG (ITU-T T.81, annex B).
enum JPEGFile {
    /// Whether no segment before the picture is for EXIF or XMP. False where `head` does not reach that far.
    static func hasNoMetadata(_ head: Span<UInt8>) -> Bool {
        var offset = 2
        while let marker = head.number(at: offset, width: 2) {
            // Start of scan: what follows is the picture.
            if marker == 0xffda { return true }
            guard marker >> 8 == 0xff, marker != 0xffff, let length = head.number(at: offset + 2, width: 2), length >= 2
            else {
                // A broken file: a reader that searches on would find no more than this.
                return !signatures.contains { head.contains($0) }
            }
            if marker == 0xffe1, signatures.contains(where: { head.has($0, at: offset + 4) }) { return false }
            offset += 2 + Int(length)
        }
        return false
    }

    /// What an APP1 segment begins with: Exif 2.32, 4.7.2; XMP part 3, 1.1.3.
    private static let signatures = ["Exif\0", "http://ns.adobe.com/"].map { Array($0.utf8) }
}

extension Span<UInt8> {
    fileprivate func contains(_ bytes: [UInt8]) -> Bool {
        withUnsafeBytes { all in
            var rest = all[...]
            // memchr passes over most of it at a word a step; memmem is not in Swift's Glibc module.
            while rest.count >= bytes.count, let start = all.baseAddress,
                let hit = memchr(start + rest.startIndex, CInt(bytes[0]), rest.count)
            {
                let index = start.distance(to: UnsafeRawPointer(hit))
                if all[index...].starts(with: bytes) { return true }
                rest = all[(index + 1)...]
            }
            return false
        }
    }
}
