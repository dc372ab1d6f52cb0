internal import Submit

/// WebP (WebP Container Specification): the chunks that make the picture and its colours are copied.
struct CleanWebP {
    private struct Chunk {
        let name: String
        let content: Range<Int64>
    }

    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        let head = try source.whole(0..<min(12, source.size), of: "the file")
        guard head.count == 12, Array(head[..<4]) == Array("RIFF".utf8), Array(head[8...]) == Array("WEBP".utf8) else {
            throw .damaged("it does not begin as a WebP")
        }
        let end = 8 + Int64(head.littleEndian(at: 4, width: 4))
        guard end >= 12, end <= source.size else { throw .damaged("it ends in the midst of its picture") }
        let chunks = try chunks(of: source, 12..<end)
        var body = CopiedPieces()
        var exif: [UInt8]?
        var (hasProfile, hasPicture) = (false, false)
        for (index, chunk) in chunks.enumerated() {
            switch chunk.name {
            case "VP8 ", "VP8L", "ALPH":
                hasPicture = hasPicture || chunk.name != "ALPH"
                add(chunk, to: &body)
            case "ANIM" where index > 0: add(chunk, to: &body)
            case "ANMF" where index > 0:
                hasPicture = true
                try addFrame(chunk, of: source, to: &body)
            case "ICCP" where !hasProfile && !hasPicture:
                if let profile = CleanColorProfile.bytes(try source.whole(chunk.content, of: "the colour profile")) {
                    hasProfile = true
                    body.add(Self.chunk("ICCP", profile))
                }
            case "EXIF" where exif == nil: exif = try source.whole(chunk.content, of: "its metadata")
            default: break
            }
        }
        guard hasPicture else { throw .damaged("it has no picture") }
        var pieces = CopiedPieces()
        if let first = chunks.first, first.name == "VP8X" {
            var features = try source.whole(first.content, of: "its header")
            guard features.count >= 10 else { throw .damaged("its header is too short") }
            let metadata = kept.exif(besides: exif.map(Self.unsigned))
            // Of its flags alpha and animation stay.
            features =
                [features[0] & 0x12 | (hasProfile ? 0x20 : 0) | Self.flags(metadata, kept.xmp), 0, 0, 0]
                + features[4..<10]
            pieces.add(Self.chunk("VP8X", features))
            pieces.add(body)
            pieces.add(Self.chunks(metadata, kept.xmp))
        } else {
            // A simple file is one bitstream.
            guard let first = chunks.first, ["VP8 ", "VP8L"].contains(first.name) else {
                throw .damaged("it begins with another chunk than its header")
            }
            let metadata = kept.exif(besides: nil)
            let flags = Self.flags(metadata, kept.xmp)
            if flags != 0 { pieces.add(Self.chunk("VP8X", try features(of: first, in: source, flags))) }
            add(first, to: &pieces)
            pieces.add(Self.chunks(metadata, kept.xmp))
        }
        var file = Array("RIFF".utf8)
        file.append(littleEndian: Int(pieces.size) + 4, width: 4)
        var whole = CopiedPieces()
        whole.add(file + Array("WEBP".utf8))
        whole.add(pieces)
        return whole
    }

    /// What the header says of metadata.
    private static func flags(_ exif: [UInt8]?, _ xmp: [UInt8]?) -> UInt8 {
        (exif == nil ? 0 : 0x08) | (xmp == nil ? 0 : 0x04)
    }

    /// Metadata stands at the end.
    private static func chunks(_ exif: [UInt8]?, _ xmp: [UInt8]?) -> CopiedPieces {
        var pieces = CopiedPieces()
        if let exif { pieces.add(chunk("EXIF", exif)) }
        if let xmp { pieces.add(chunk("XMP ", xmp)) }
        return pieces
    }

    /// The TIFF structure of its EXIF.
    static func exif(of source: any MediaBytes) throws(ReadingProblem) -> [UInt8]? {
        for chunk in try chunks(of: source, 12..<max(12, source.size)) where chunk.name == "EXIF" {
            return unsigned(try source.whole(chunk.content, of: "its metadata"))
        }
        return nil
    }

    /// Without the signature of JPEG, which some write here, too.
    private static func unsigned(_ exif: [UInt8]) -> [UInt8] {
        let signature = Array("Exif\0\0".utf8)
        return exif.starts(with: signature) ? Array(exif[signature.count...]) : exif
    }

    /// The extended header of a picture that had none, with metadata (RFC 9649, 2.7; RFC 6386, 9.1; VP8L, 3).
    private static func features(
        of picture: Chunk, in source: any MediaBytes, _ flags: UInt8
    ) throws(ReadingProblem) -> [UInt8] {
        let start = picture.content.lowerBound
        let head = try source.whole(start..<min(start + 10, picture.content.upperBound), of: "the picture")
        guard head.count == 10 else { throw .damaged("its picture is too short") }
        let (width, height, hasAlpha): (Int, Int, Bool)
        if picture.name == "VP8L" {
            let bits = head.littleEndian(at: 1, width: 4)
            (width, height, hasAlpha) = (bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1, bits >> 28 & 1 == 1)
        } else {
            width = head.littleEndian(at: 6, width: 2) & 0x3fff
            height = head.littleEndian(at: 8, width: 2) & 0x3fff
            hasAlpha = false
        }
        guard width > 0, height > 0 else { throw .damaged("its picture has no size") }
        var features: [UInt8] = [flags | (hasAlpha ? 0x10 : 0), 0, 0, 0]
        features.append(littleEndian: width - 1, width: 3)
        features.append(littleEndian: height - 1, width: 3)
        return features
    }

    private static func chunks(of source: any MediaBytes, _ range: Range<Int64>) throws(ReadingProblem) -> [Chunk] {
        var chunks: [Chunk] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            let head = try source.whole(offset..<offset + 8, of: "a chunk")
            let length = Int64(head.littleEndian(at: 4, width: 4))
            let content = offset + 8..<offset + 8 + length
            guard content.upperBound <= range.upperBound else { throw .damaged("a chunk goes beyond its end") }
            chunks.append(Chunk(name: String(decoding: head[..<4], as: UTF8.self), content: content))
            guard chunks.count <= 100_000 else { throw .damaged("it has too many chunks") }
            offset = content.upperBound + length % 2
        }
        return chunks
    }

    private static func add(_ chunk: Chunk, to pieces: inout CopiedPieces) {
        let length = Int(chunk.content.upperBound - chunk.content.lowerBound)
        var head = Array(chunk.name.utf8)
        head.append(littleEndian: length, width: 4)
        pieces.add(head)
        pieces.add(chunk.content)
        if !length.isMultiple(of: 2) { pieces.add([0]) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var chunk = Array(name.utf8)
        chunk.append(littleEndian: content.count, width: 4)
        return chunk + content + (content.count.isMultiple(of: 2) ? [] : [0])
    }

    /// A frame of an animation, with nothing but its picture in it.
    private static func addFrame(
        _ frame: Chunk, of source: any MediaBytes, to pieces: inout CopiedPieces
    ) throws(ReadingProblem) {
        let start = frame.content.lowerBound
        let head = try source.whole(start..<start + 16, of: "a frame")
        guard start + 16 <= frame.content.upperBound else { throw .damaged("a frame is too short") }
        var content = CopiedPieces()
        content.add(head)
        for chunk in try chunks(of: source, start + 16..<frame.content.upperBound)
        where ["ALPH", "VP8 ", "VP8L"].contains(chunk.name) {
            add(chunk, to: &content)
        }
        var chunk = Array("ANMF".utf8)
        chunk.append(littleEndian: Int(content.size), width: 4)
        pieces.add(chunk)
        pieces.add(content)
    }
}
