internal import CISAL
internal import Submit

/// PNG (Portable Network Graphics, third edition): the chunks that make the picture and its colours are copied.
enum CleanPNG {
    static let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

    /// Section 11.2 and 11.3, and of the animation ones.
    private static let keptChunks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "cICP", "mDCV", "cLLI", "sBIT", "bKGD",
        "pHYs",
        "acTL", "fcTL", "fdAT",
    ]

    static func pieces(_ source: any MediaBytes, _ kept: KeptMetadata) throws(ReadingProblem) -> CopiedPieces {
        guard try source.whole(0..<min(8, source.size), of: "the file") == signature else {
            throw .damaged("it does not begin as a PNG")
        }
        var (before, after) = (CopiedPieces(), CopiedPieces())
        before.add(signature)
        var exif: [UInt8]?
        var exifInText: [UInt8]?
        var names: Set<String> = []
        var offset: Int64 = 8
        while !names.contains("IEND") {
            let head = try source.whole(offset..<offset + 8, of: "a chunk")
            let length = Int64(head.bigEndian(at: 0, width: 4))
            let name = String(decoding: head[4...], as: UTF8.self)
            let chunk = offset..<offset + 12 + length
            guard chunk.upperBound <= source.size else { throw .damaged("it ends in the midst of a chunk") }
            if names.isEmpty, name != "IHDR" { throw .damaged("it begins with another chunk than its header") }
            let content = offset + 8..<offset + 8 + length
            if keptChunks.contains(name), try !isNeedless(name, after: names, in: source) {
                guard
                    try checksum(of: source, offset + 4..<content.upperBound)
                        == source.whole(
                            content.upperBound..<chunk.upperBound, of: "a chunk"
                        ).bigEndian(at: 0, width: 4)
                else { throw .damaged("a chunk has another checksum") }
                if names.contains("IDAT") || name == "IDAT" { after.add(chunk) } else { before.add(chunk) }
            } else if name == "iCCP", !names.contains("iCCP"), !names.contains("IDAT") {
                if let profile = profile(try source.whole(content, of: "the colour profile")) {
                    before.add(Self.chunk("iCCP", profile))
                }
            } else if name == "eXIf", exif == nil {
                exif = try source.whole(content, of: "its metadata")
            } else if exifInText == nil, let text = try Self.exifInText(source, name, content) {
                exifInText = text
            }
            names.insert(name)
            offset = chunk.upperBound
        }
        guard names.contains("IDAT") else { throw .damaged("it has no picture") }
        if let exif = kept.exif(besides: exif ?? exifInText) { before.add(chunk("eXIf", exif)) }
        if let xmp = kept.xmp {
            before.add(chunk("iTXt", Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0] + xmp))
        }
        before.add(after)
        return before
    }

    /// Whether decoders show the same picture without a chunk: a palette beside true colours only suggests some (section 11.2.2), and
    /// what refers to a palette means nothing before it.
    private static func isNeedless(
        _ name: String, after names: Set<String>, in source: any MediaBytes
    ) throws(ReadingProblem) -> Bool {
        guard ["PLTE", "tRNS", "bKGD"].contains(name) else { return false }
        let isIndexed = try source.whole(25..<26, of: "the header") == [3]
        return name == "PLTE" ? !isIndexed : isIndexed && !names.contains("PLTE")
    }

    /// The TIFF structure of its EXIF, which has a chunk of its own, or is in a text of older programs.
    static func exif(of source: any MediaBytes) throws(ReadingProblem) -> [UInt8]? {
        var offset: Int64 = 8
        var found: [UInt8]?
        while offset + 12 <= source.size {
            let head = try source.whole(offset..<offset + 8, of: "a chunk")
            let content = offset + 8..<offset + 8 + Int64(head.bigEndian(at: 0, width: 4))
            let name = String(decoding: head[4...], as: UTF8.self)
            if name == "eXIf" { return try source.whole(content, of: "its metadata") }
            if found == nil { found = try exifInText(source, name, content) }
            offset = content.upperBound + 4
        }
        return found
    }

    /// EXIF as ImageMagick writes it: behind the keyword a line of its name, one of its length, and lines of hexadecimal digits.
    private static func exifInText(
        _ source: any MediaBytes, _ name: String, _ content: Range<Int64>
    ) throws(ReadingProblem) -> [UInt8]? {
        guard name == "tEXt" || name == "zTXt", content.count <= mostText else { return nil }
        let bytes = try source.whole(content, of: "a text")
        guard let end = bytes.prefix(80).firstIndex(of: 0), profileKeywords.contains(Array(bytes[..<end])) else {
            return nil
        }
        var text = bytes[(end + 1)...]
        if name == "zTXt" {
            guard let unpacked = ZlibBytes.unpacked(text.dropFirst(), most: Int64(mostText), toTheEnd: false) else {
                return nil
            }
            text = unpacked[...]
        }
        let digits = text.split(separator: UInt8(ascii: "\n")).dropFirst(2).joined().compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        let exif = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return exif.starts(with: "Exif\0\0".utf8) ? Array(exif.dropFirst(6)) : exif
    }

    private static let mostText = 1 << 20
    private static let profileKeywords = ["exif", "APP1"].map { Array("Raw profile type \($0)".utf8) }

    /// Written anew, under a name that says nothing.
    private static func profile(_ content: [UInt8]) -> [UInt8]? {
        guard let end = content.prefix(80).firstIndex(of: 0), end + 2 < content.count, content[end + 1] == 0 else {
            return nil
        }
        return ZlibBytes.unpacked(content[(end + 2)...], most: CleanColorProfile.most, toTheEnd: false).flatMap(
            CleanColorProfile.bytes
        )
        .map { Array("icc\0\0".utf8) + ZlibBytes.stored($0) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.append(bigEndian: content.count, width: 4)
        var body = Array(name.utf8) + content
        let sum = body.withUnsafeMutableBytes { checksum(0, UnsafeRawBufferPointer($0)) }
        chunk += body
        chunk.append(bigEndian: Int(sum), width: 4)
        return chunk
    }

    /// CRC-32 as in annex D.
    private static func checksum(_ sum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        crc32_gzip_refl(sum, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(bytes.count))
    }

    private static func checksum(of source: any MediaBytes, _ range: Range<Int64>) throws(ReadingProblem) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var sum: UInt32 = 0
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            let count: Int
            do throws(SubmitFailure) {
                count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            } catch {
                throw .failed(error)
            }
            guard count > 0 else { throw .damaged("it ends in the midst of a chunk") }
            sum = checksum(sum, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return Int(sum)
    }
}
