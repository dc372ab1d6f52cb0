internal import CISAL
internal import Submit

/// A PNG file, chunk by chunk (W3C PNG, third edition): one picture or animation, and what showing it takes.
struct ScannedPNG: ScannedFormat {
    private typealias Chunk = (type: String, start: Int64, length: Int64)

    /// How long each chunk may be that is there at most once.
    private static let lengths: [String: ClosedRange<Int64>] = [
        "IHDR": 13...13, "PLTE": 3...768, "IEND": 0...0, "tRNS": 1...256, "cHRM": 32...32, "gAMA": 4...4, "sBIT": 1...4,
        "sRGB": 1...1, "cICP": 4...4, "mDCV": 24...24, "cLLI": 8...8, "pHYs": 9...9, "bKGD": 1...6, "acTL": 8...8,
        "tIME": 7...7, "eXIf": 8...65536, "iCCP": 3...4 << 20,
    ]
    private static let frames: [String: ClosedRange<Int64>] = [
        "IDAT": 0...0x7fff_ffff, "fcTL": 26...26, "fdAT": 4...0x7fff_ffff,
    ]
    private static let texts: Set<String> = ["tEXt", "zTXt", "iTXt"]

    private let source: ScannedBytes
    private let allowed: AllowedMetadata
    private(set) var found = FoundTraces()
    private var seen: Set<String> = []
    private var header = ScannedPNGHeader()
    /// What the frames so far unpack to, in bytes.
    private var unpacked: Int64 = 0
    private var frameSize: (width: Int64, height: Int64)?
    private var last = ""

    init(_ source: ScannedBytes, allowing allowed: AllowedMetadata) {
        self.source = source
        self.allowed = allowed
    }

    mutating func walk() throws(SubmitFailure) {
        guard try source.has([0x89] + Array("PNG\r\n\u{1a}\n".utf8), at: 0) else {
            return found.add("something that is no PNG", at: 0)
        }
        var offset: Int64 = 8
        while !found.isFull {
            guard offset < source.size else { return found.add("a picture without its end", at: offset) }
            guard let (type, start, length) = try Self.chunk(at: offset, in: source) else {
                return found.add("a part that cannot be read", at: offset)
            }
            if last.isEmpty, type != "IHDR" { return found.add("something that is no PNG", at: offset) }
            try check((type, start, length), at: offset)
            last = type
            let end = start + length
            guard try hasChecksum(from: offset + 4, to: end) else {
                return found.add("a part that is damaged", at: offset)
            }
            offset = end + 4
            if type == "IEND" { break }
        }
        if !seen.contains("IDAT") { found.add("no picture at all", at: offset) }
        if offset < source.size { found.add("bytes after the picture's end", at: offset) }
    }

    /// The chunk that begins here and ends within the file.
    private static func chunk(at offset: Int64, in source: ScannedBytes) throws(SubmitFailure) -> Chunk? {
        guard source.size - offset >= 12 else { return nil }
        let head = try source.bytes(in: offset..<offset + 8)
        let length = Int64(head.number(at: 0, width: 4, isBigEndian: true) ?? .max)
        guard length <= 0x7fff_ffff, length <= source.size - offset - 12 else { return nil }
        return (String(decoding: head[4...], as: UTF8.self), offset + 8, length)
    }

    private mutating func check(_ chunk: Chunk, at offset: Int64) throws(SubmitFailure) {
        let (type, start, length) = chunk
        if Self.texts.contains(type) { return try checkText(chunk, at: offset) }
        if let lengths = Self.frames[type] {
            seen.insert(type)
            guard lengths ~= length else { return found.add("a part that cannot be read (\(type))", at: offset) }
            try checkFrame(chunk, at: offset)
            return
        }
        guard let lengths = Self.lengths[type] else {
            return found.add("a part that is not known to tell nothing (\(Self.printable(type)))", at: offset)
        }
        guard lengths ~= length, seen.insert(type).inserted else {
            return found.add("a part that cannot be read or is there twice (\(type))", at: offset)
        }
        let payload = try source.bytes(in: start..<start + length)
        switch type {
        case "IHDR":
            if !header.read(payload) { found.add("a picture that cannot be read (IHDR)", at: offset) }
            frameSize = (header.width, header.height)
        case "eXIf": found.add(ScannedEXIF.traces(in: payload, at: start, allowing: allowed))
        case "iCCP": checkProfile(ScannedPNGProfile(payload), at: start)
        case "tIME":
            if !allowed.contains(.date) { found.add("a date", at: offset) }
            if !(1...12 ~= payload[2] && 1...31 ~= payload[3] && payload[4] < 24 && payload[5] < 60 && payload[6] <= 60)
            {
                found.add("a date that is none", at: offset)
            }
        case "PLTE", "tRNS", "bKGD", "sBIT":
            if !header.mayHave(type, of: Int(length)) {
                found.add("a part that the picture does not need (\(type))", at: offset)
            }
            found.add(TellingWords.tracesOfLongWords(in: payload, at: start))
        default: found.add(TellingWords.tracesOfLongWords(in: payload, at: start))
        }
    }

    /// XMP alone, as it is written there (XMP specification, part 3, 1.1.5).
    private mutating func checkText(_ chunk: Chunk, at offset: Int64) throws(SubmitFailure) {
        let head = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0]
        guard chunk.type == "iTXt", chunk.length <= 65536, seen.insert("iTXt").inserted,
            try source.has(head, at: chunk.start)
        else { return found.add("a text", at: offset) }
        let packet = try source.bytes(in: chunk.start + Int64(head.count)..<chunk.start + chunk.length)
        found.add(ScannedXMP.traces(in: packet, at: offset, telling: allowed.words))
    }

    private static func printable(_ type: String) -> String {
        type.utf8.allSatisfy { 0x41...0x5a ~= $0 || 0x61...0x7a ~= $0 } ? type : "no name"
    }

    private mutating func checkProfile(_ profile: ScannedPNGProfile?, at start: Int64) {
        guard let profile else { return found.add("a colour profile that cannot be read", at: start) }
        if !profile.isNameHarmless { found.add("a colour profile with a name that may tell something", at: start) }
        found.add(TellingWords.traces(in: profile.name, at: start))
        found.add(ScannedICC.traces(in: profile.bytes, at: start))
    }

    private mutating func checkFrame(_ chunk: Chunk, at offset: Int64) throws(SubmitFailure) {
        if chunk.type == "fcTL" {
            let payload = try source.bytes(in: chunk.start..<chunk.start + chunk.length)
            guard let width = payload.number(at: 4, width: 4, isBigEndian: true),
                let height = payload.number(at: 8, width: 4, isBigEndian: true), seen.contains("acTL"), header.isRead,
                1...header.width ~= Int64(width), 1...header.height ~= Int64(height), last != "fcTL",
                payload[24] <= 2, payload[25] <= 1
            else { return found.add("a part that cannot be read (fcTL)", at: offset) }
            frameSize = (Int64(width), Int64(height))
            return
        }
        if last == chunk.type { return }
        guard let size = frameSize, chunk.type == "IDAT" || last == "fcTL", header.isRead else {
            return found.add("a second picture (\(chunk.type))", at: offset)
        }
        frameSize = nil
        // Files with more pixels take longer to unpack than anybody waits.
        guard let expected = header.unpackedSize(size.width, size.height), expected <= (1 << 30) - unpacked else {
            return found.add("more pixels than can be checked", at: offset)
        }
        unpacked += expected
        var inflation = Inflation(
            ChunkedPixels(source: source, type: chunk.type, offset: offset), keeps: false, most: expected)
        switch try inflation.run() {
        case .complete where inflation.produced == expected: break
        case .bytesBehind: found.add("bytes after the picture's last pixel", at: offset)
        case .tooMuch: found.add("more pixels than the picture shows", at: offset)
        case .complete, .damaged: found.add("a picture that cannot be read", at: offset)
        }
    }

    /// The compressed bytes of one frame, in as many chunks as there are in a row.
    private struct ChunkedPixels: CompressedBytes {
        let source: ScannedBytes
        let type: String
        /// Of the chunk, or of the bytes that are left of it.
        var offset: Int64
        var left: Int64 = 0
        var isWithin = false

        mutating func next() throws(SubmitFailure) -> UnsafeRawBufferPointer {
            while left == 0 {
                if isWithin { offset += 4 }
                guard let chunk = try ScannedPNG.chunk(at: offset, in: source), chunk.type == type else {
                    return UnsafeRawBufferPointer(start: nil, count: 0)
                }
                isWithin = true
                // fdAT begins with its place in the order.
                let skipped: Int64 = type == "fdAT" ? min(4, chunk.length) : 0
                (offset, left) = (chunk.start + skipped, chunk.length - skipped)
            }
            let window = try source.window(at: offset)
            let count = Int(min(left, Int64(window.count)))
            offset += Int64(count)
            left -= Int64(count)
            return UnsafeRawBufferPointer(rebasing: window[..<count])
        }
    }

    private func hasChecksum(from start: Int64, to end: Int64) throws(SubmitFailure) -> Bool {
        var checksum: UInt32 = 0
        var offset = start
        while offset < end {
            let window = try source.window(at: offset)
            let count = Int(min(end - offset, Int64(window.count)))
            guard count > 0 else { return false }
            checksum = crc32_gzip_refl(
                checksum, window.assumingMemoryBound(to: UInt8.self).baseAddress, UInt64(count))
            offset += Int64(count)
        }
        let stored = try source.bytes(in: end..<end + 4)
        return stored.number(at: 0, width: 4, isBigEndian: true) == UInt64(checksum)
    }
}
