internal import Submit

/// A WebP file, chunk by chunk (RFC 9649): one picture or animation, and what showing it takes.
struct ScannedWebP: ScannedFormat {
    private let source: ScannedBytes
    private let allowed: AllowedMetadata
    private(set) var found = FoundTraces()
    private var seen: Set<String> = []
    /// VP8X's flags of what else is there; `nil`: a file of one picture and nothing else.
    private var flags: UInt8?

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata) {
        self.source = source
        self.allowed = allowed
    }

    mutating func walk() throws(SubmitFailure) {
        guard source.size >= 20 else { return found.add("something that is no WebP", at: 0) }
        let head = try source.bytes(in: 0..<12)
        guard head.starts(with: "RIFF".utf8), head[8...].elementsEqual("WEBP".utf8) else {
            return found.add("something that is no WebP", at: 0)
        }
        let end = 8 + Int64(head.number(at: 4, width: 4, isBigEndian: false) ?? 0)
        guard end >= 20 else { return found.add("no picture at all", at: 12) }
        guard end <= source.size else { return found.add("a picture without its end", at: source.size) }
        if end < source.size { found.add("bytes after the picture's end", at: end) }
        guard try walkChunks(in: 12..<end, frame: false) else { return }
        checkFlags()
    }

    /// - Parameter frame: those of an animation's frame, not the file's.
    private mutating func walkChunks(in range: Range<Int64>, frame: Bool) throws(SubmitFailure) -> Bool {
        var offset = range.lowerBound
        var frameSeen: Set<String> = []
        while offset < range.upperBound, !found.isFull {
            guard range.upperBound - offset >= 8 else {
                found.add("bytes that belong to nothing", at: offset)
                return false
            }
            let head = try source.bytes(in: offset..<offset + 8)
            let type = String(decoding: head[..<4], as: UTF8.self)
            let length = Int64(head.number(at: 4, width: 4, isBigEndian: false) ?? 0)
            let start = offset + 8
            let end = start + length
            guard end + (length & 1) <= range.upperBound else {
                found.add("a part that cannot be read", at: offset)
                return false
            }
            if length & 1 == 1, try source.byte(at: end) != 0 { found.add("bytes that belong to nothing", at: end) }
            let isNew = frame ? frameSeen.insert(type).inserted : seen.insert(type).inserted
            if !isNew, type != "ANMF" { found.add("a part that is there twice", at: offset) }
            if frame {
                try checkFrameChunk(type, start..<end, at: offset)
            } else {
                try checkChunk(type, start..<end, at: offset)
            }
            offset = end + (length & 1)
        }
        if frame, !frameSeen.contains("VP8 "), !frameSeen.contains("VP8L") {
            found.add("a frame without a picture", at: range.lowerBound)
        }
        if frameSeen.contains("VP8L"), frameSeen.count > 1 { found.add("a second picture", at: range.lowerBound) }
        return true
    }

    private mutating func checkChunk(_ type: String, _ range: Range<Int64>, at offset: Int64) throws(SubmitFailure) {
        let length = range.upperBound - range.lowerBound
        if offset > 12, flags == nil {
            // Without VP8X, the file is over after its one picture.
            found.add("a part after the picture (\(Self.printable(type)))", at: offset)
        }
        switch type {
        case "VP8X":
            let payload = try source.bytes(in: range.lowerBound..<min(range.upperBound, range.lowerBound + 10))
            guard length == 10, offset == 12, payload[0] & 0b1100_0001 == 0, payload[1...3].allSatisfy({ $0 == 0 })
            else {
                return found.add("a part that cannot be read (VP8X)", at: offset)
            }
            flags = payload[0]
        case "ICCP":
            guard length <= 16 << 20 else { return found.add("a colour profile that cannot be read", at: offset) }
            found.add(ScannedICC.traces(in: try source.bytes(in: range), at: range.lowerBound))
        case "ANIM": if length != 6 { found.add("a part that cannot be read (ANIM)", at: offset) }
        case "ANMF":
            guard length >= 24, try source.bytes(in: range.lowerBound..<range.lowerBound + 16)[15] <= 3 else {
                return found.add("a part that cannot be read (ANMF)", at: offset)
            }
            _ = try walkChunks(in: range.lowerBound + 16..<range.upperBound, frame: true)
        case "EXIF":
            guard length <= 65536 else { return found.add("EXIF that cannot be read", at: offset) }
            let payload = try source.bytes(in: range)
            // Some programs write JPEG's beginning in front.
            let skipped = payload.starts(with: "Exif\0\0".utf8) ? 6 : 0
            found.add(
                ScannedEXIF.traces(
                    in: Array(payload.dropFirst(skipped)), at: range.lowerBound + Int64(skipped), allowing: allowed))
        case "XMP ":
            guard length <= 65536 else { return found.add("XMP", at: offset) }
            found.add(ScannedXMP.traces(in: try source.bytes(in: range), at: offset, telling: allowed.words))
        default: try checkFrameChunk(type, range, at: offset)
        }
    }

    /// What holds pixels.
    private mutating func checkFrameChunk(
        _ type: String, _ range: Range<Int64>, at offset: Int64
    ) throws(SubmitFailure) {
        guard ["VP8 ", "VP8L", "ALPH"].contains(type) else {
            return found.add("a part that is not known to tell nothing (\(Self.printable(type)))", at: offset)
        }
        let head = try source.bytes(in: range.lowerBound..<min(range.upperBound, range.lowerBound + 10))
        let isRight =
            switch type {
            case "VP8 ": Self.isKeyFrame(head, length: range.upperBound - range.lowerBound)
            // Its version is 0; the bit in front of it says whether there is alpha.
            case "VP8L": head.count > 5 && head[0] == 0x2f && head[4] >> 5 == 0
            // Reserved bits, preprocessing, filter, compression.
            default: head.count > 1 && head[0] >> 6 == 0 && head[0] & 3 <= 1
            }
        if !isRight { found.add("a picture that cannot be read (\(type))", at: offset) }
        found.add(try TellingWords.traces(amongPixelsOf: source, in: range))
    }

    /// RFC 6386, 9.1: a shown key frame, whose first partition ends within it.
    private static func isKeyFrame(_ head: [UInt8], length: Int64) -> Bool {
        guard head.count == 10, let tag = head.number(at: 0, width: 3, isBigEndian: false) else { return false }
        return tag & 1 == 0 && tag >> 1 & 7 <= 3 && tag >> 4 & 1 == 1 && 10 + Int64(tag >> 5) <= length
            && head[3...5].elementsEqual([0x9d, 0x01, 0x2a])
    }

    /// VP8X says what is there: what it does not speak of is there for somebody else.
    private mutating func checkFlags() {
        let hasPicture = seen.contains("VP8 ") || seen.contains("VP8L")
        guard let flags else {
            if !hasPicture { found.add("no picture at all", at: 12) }
            return
        }
        let isAnimated = flags & 2 != 0
        if hasPicture == isAnimated || isAnimated != seen.contains("ANMF") || isAnimated != seen.contains("ANIM")
            || seen.contains("VP8 ") && seen.contains("VP8L") || seen.contains("VP8L") && seen.contains("ALPH")
            || isAnimated && seen.contains("ALPH")
        {
            found.add("more than one picture, or none", at: 12)
        }
        if (flags & 0x20 != 0) != seen.contains("ICCP") || (flags & 8 != 0) != seen.contains("EXIF")
            || flags & 0x10 == 0 && seen.contains("ALPH") || (flags & 4 != 0) != seen.contains("XMP ")
        {
            found.add("a header that does not say what is there", at: 12)
        }
    }

    private static func printable(_ type: String) -> String {
        type.utf8.allSatisfy { 0x21...0x7e ~= $0 || $0 == 0x20 } ? type : "no name"
    }
}
