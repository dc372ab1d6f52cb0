internal import SubmitPlatform

/// The segments of a JPEG that libjpeg keeps in a list.
///
/// It walks that list to its end for each of them: 200,000, which fit into 2 MB, take minutes.
struct JPEGSegmentCount {
    /// More than any camera writes: a colour profile has at most 255 of them, and 10 MB of extended XMP some 160.
    static let most = 4096

    private let descriptor: CInt
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    /// Of the file, what the buffer holds.
    private var window = Range<Int64>(uncheckedBounds: (0, 0))

    /// Whether a file has more of them than are read. It is read once; what is wrong with it otherwise is for others to say.
    static func isTooLarge(_ descriptor: CInt) -> Bool {
        var file = JPEGSegmentCount(descriptor: descriptor)
        defer { file.buffer.deallocate() }
        return file.count() > most
    }

    private init(descriptor: CInt) { self.descriptor = descriptor }

    private mutating func count() -> Int {
        var (count, offset) = (0, Int64(0))
        while count <= Self.most, let place = next(0xff, from: offset) {
            offset = place + 1
            while byte(offset) == 0xff { offset += 1 }
            guard let marker = byte(offset) else { break }
            offset += 1
            switch marker {
            // The end of the picture. libjpeg reads no further.
            case 0xd9: return count
            // Coded bytes, and markers without content (ITU-T T.81, table B.1).
            case 0x00, 0x01, 0xd0...0xd8: continue
            default:
                guard let high = byte(offset), let low = byte(offset + 1) else { return count }
                offset += max(2, Int64(high) << 8 | Int64(low))
                if 0xe0...0xef ~= marker || marker == 0xfe { count += 1 }
            }
        }
        return count
    }

    /// Where a byte stands next; `nil` if it does not come again.
    private mutating func next(_ byte: UInt8, from start: Int64) -> Int64? {
        var offset = start
        while fill(offset) {
            let first = Int(offset - window.lowerBound)
            let rest = UnsafeRawBufferPointer(rebasing: buffer[first..<Int(window.upperBound - window.lowerBound)])
            if let base = rest.baseAddress, let found = memchr(base, CInt(byte), rest.count) {
                return offset + Int64(base.distance(to: found))
            }
            offset = window.upperBound
        }
        return nil
    }

    private mutating func byte(_ offset: Int64) -> UInt8? {
        fill(offset) ? buffer[Int(offset - window.lowerBound)] : nil
    }

    /// Makes the buffer hold what stands at an offset.
    ///
    /// - Returns: false where the file ends before.
    private mutating func fill(_ offset: Int64) -> Bool {
        if window.contains(offset) { return true }
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        window = offset..<offset + Int64(max(0, count))
        return count > 0
    }
}
