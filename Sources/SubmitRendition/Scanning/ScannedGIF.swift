internal import Submit

/// A GIF file, block by block (Graphics Interchange Format, version 89a): pictures, their times, and how often they are shown.
struct ScannedGIF: ScannedFormat {
    private let source: ScannedBytes
    private(set) var found = FoundTraces()

    init(_ source: ScannedBytes, allowing _: AllowedMetadata) { self.source = source }

    mutating func walk() throws(SubmitFailure) {
        let signature = String(decoding: try source.bytes(in: 0..<min(6, source.size)), as: UTF8.self)
        guard source.size >= 14, ["GIF87a", "GIF89a"].contains(signature) else {
            return found.add("something that is no GIF", at: 0)
        }
        var offset = 13 + Self.tableSize(try source.byte(at: 10))
        var (hasPicture, hasLoop, hasControl) = (false, false, false)
        while !found.isFull {
            switch try source.byte(at: offset) {
            case 0x3b:
                if !hasPicture { found.add("no picture at all", at: offset) }
                if hasControl { found.add("a time of no picture", at: offset) }
                if offset + 1 < source.size { found.add("bytes after the picture's end", at: offset + 1) }
                return
            case 0x21:
                let head = try source.bytes(in: offset..<min(source.size, offset + 19))
                if head.count >= 8, head[1] == 0xf9, head[2] == 4, head[7] == 0, head[3] & 0xe0 == 0 {
                    if hasControl { found.add("a part that is there twice", at: offset) }
                    hasControl = true
                    offset += 8
                } else if head.count == 19, Array(head[1..<16]) == [0xff, 11] + Array("NETSCAPE2.0".utf8) + [3, 1],
                    head[18] == 0
                {
                    if hasLoop { found.add("a part that is there twice", at: offset) }
                    hasLoop = true
                    offset += 19
                } else {
                    return found.add("words beside its pictures", at: offset)
                }
            case 0x2c:
                guard let end = try picture(at: offset) else { return }
                (hasPicture, hasControl) = (true, false)
                offset = end
            default: return found.add("bytes that belong to nothing", at: offset)
            }
        }
    }

    private static func tableSize(_ flags: UInt8?) -> Int64 {
        guard let flags, flags & 0x80 != 0 else { return 0 }
        return 3 << (Int64(flags & 7) + 1)
    }

    /// - Returns: where it ends; `nil` where that cannot be told.
    private mutating func picture(at start: Int64) throws(SubmitFailure) -> Int64? {
        let head = try source.bytes(in: start..<min(source.size, start + 10))
        guard let width = head.number(at: 5, width: 2, isBigEndian: false), width > 0,
            let height = head.number(at: 7, width: 2, isBigEndian: false), height > 0, head.count == 10
        else {
            found.add("a picture that cannot be read", at: start)
            return nil
        }
        if head[9] & 0x18 != 0 { found.add("bits that mean nothing", at: start + 9) }
        let data = start + 10 + Self.tableSize(head[9])
        guard let bits = try source.byte(at: data), (1...11).contains(bits) else {
            found.add("a picture that cannot be read", at: data)
            return nil
        }
        var codes = LZWLengths(firstBits: Int(bits), pixels: Int64(width * height))
        var offset = data + 1
        while let count = try source.byte(at: offset) {
            if count == 0 { return offset + 1 }
            guard offset + 1 + Int64(count) <= source.size else { break }
            for byte in try source.bytes(in: offset + 1..<offset + 1 + Int64(count)) where !codes.take(byte) {
                found.add("bytes after the picture's last pixel", at: offset)
                return nil
            }
            offset += 1 + Int64(count)
        }
        found.add("a picture without its end", at: offset)
        return nil
    }
}

/// How many pixels the codes of a picture stand for (appendix F): it keeps no pixel, only how many each code means.
private struct LZWLengths {
    private let clear: Int
    private let pixels: Int64
    private var lengths: [Int32]
    private var width: Int
    private var (pending, bits) = (0, 0)
    private var last: Int?
    private var shown: Int64 = 0
    private var hasEnded = false

    init(firstBits: Int, pixels: Int64) {
        clear = 1 << firstBits
        self.pixels = pixels
        width = firstBits + 1
        lengths = [Int32](repeating: 1, count: clear + 2)
        lengths.reserveCapacity(4096)
    }

    /// - Returns: false for a byte that no code of the picture is in, or that breaks it.
    mutating func take(_ byte: UInt8) -> Bool {
        if hasEnded { return false }
        pending |= Int(byte) << bits
        bits += 8
        while bits >= width, !hasEnded {
            let code = pending & (1 << width - 1)
            pending >>= width
            bits -= width
            if !take(code: code) { return false }
        }
        // What is left of the last byte says nothing.
        return !hasEnded || pending == 0
    }

    private mutating func take(code: Int) -> Bool {
        if code == clear {
            lengths.removeLast(lengths.count - clear - 2)
            (width, last) = (clear.trailingZeroBitCount + 1, nil)
            return true
        }
        if code == clear + 1 {
            hasEnded = true
            return true
        }
        guard code < lengths.count || code == lengths.count && last != nil else { return false }
        let length = code < lengths.count ? lengths[code] : lengths[last ?? 0] + 1
        shown += Int64(length)
        if let last, lengths.count < 4096 {
            lengths.append(lengths[last] + 1)
            if lengths.count == 1 << width, width < 12 { width += 1 }
        }
        last = code
        return shown <= pixels
    }
}
