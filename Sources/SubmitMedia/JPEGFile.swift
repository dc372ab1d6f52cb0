internal import Submit
internal import SubmitPlatform

/// JPEG (ITU-T T.81, annex B).
enum JPEGFile {
    /// By the segments before the picture, as far as the head reaches.
    static func captureFinding(_ source: MediaSource) -> CaptureFinding {
        let segments = source.head.withMemoryRebound(to: UInt8.self) { Segments($0.span) }
        if let exif = segments.exif {
            return EXIFDates.finding(
                in: TIFFStructure(source, exif), hasOther: segments.hasXMP || !segments.reachesPicture)
        }
        return segments.hasXMP || !segments.reachesPicture ? .undecided : .told(nil)
    }

    /// Where metadata stands.
    private struct Segments {
        /// The one that is EXIF, without its signature.
        private(set) var exif: Range<Int>?
        private(set) var hasXMP = false
        /// There are no others.
        private(set) var reachesPicture = false

        init(_ head: Span<UInt8>) {
            var offset = 2
            while let marker = head.number(at: offset, width: 2) {
                // Start of scan: what follows is the picture.
                if marker == 0xffda {
                    reachesPicture = true
                    return
                }
                guard marker >> 8 == 0xff, marker != 0xffff, let length = head.number(at: offset + 2, width: 2),
                    length >= 2
                else {
                    // A broken file: a reader that searches on would find no more than this.
                    reachesPicture = exif == nil && !JPEGFile.signatures.contains { head.contains($0) }
                    return
                }
                let end = offset + 2 + Int(length)
                if marker == 0xffe1, head.has(JPEGFile.signatures[0], at: offset + 4) {
                    // Which of two counts is for others to say.
                    guard exif == nil, length >= 8, head.has([0], at: offset + 9) else {
                        exif = nil
                        return
                    }
                    exif = offset + 10..<end
                }
                if marker == 0xffe1, head.has(JPEGFile.signatures[1], at: offset + 4) { hasXMP = true }
                offset = end
            }
        }
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
