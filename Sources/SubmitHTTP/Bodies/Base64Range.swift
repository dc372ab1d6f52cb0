internal import Submit

/// A range of a media item as its base64 text, to be read at any place.
struct Base64Range {
    private let media: any MediaBytes
    private let range: Range<Int64>

    /// Bytes of the item read at a time: whole groups of three.
    private static let step = 48 << 10

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    init(_ media: any MediaBytes, _ range: Range<Int64>) {
        self.media = media
        self.range = range
    }

    /// Bytes of the text.
    static func length(of range: Range<Int64>) -> Int64 {
        (range.upperBound - range.lowerBound + 2) / 3 * 4
    }

    /// Reads from the text; fewer bytes than asked for mean its end, or that the item ended early.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SubmitFailure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let place = offset + Int64(filled)
            let skipped = Int(place % 4)
            let start = range.lowerBound + place / 4 * 3
            let groups = (buffer.count - filled + skipped + 3) / 4
            let count = min(groups * 3, Self.step, Int(clamping: range.upperBound - start))
            guard count > 0 else { break }
            let raw = try media.bytes(at: start, count: count)
            guard raw.count == count else { break }
            let text = Self.encoded(raw)
            let taken = min(text.count - skipped, buffer.count - filled)
            text.withUnsafeBytes { text in
                UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    .copyMemory(from: .init(rebasing: text[skipped..<(skipped + taken)]))
            }
            filled += taken
        }
        return filled
    }

    private static func encoded(_ raw: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (raw.count + 2) / 3 * 4) { text, count in
            raw.withUnsafeBufferPointer { raw in
                digits.withUnsafeBufferPointer { digits in
                    for start in stride(from: 0, to: raw.count, by: 3) {
                        let rest = raw.count - start
                        let bits =
                            Int(raw[start]) << 16 | (rest > 1 ? Int(raw[start + 1]) << 8 : 0)
                            | (rest > 2 ? Int(raw[start + 2]) : 0)
                        text[count] = digits[bits >> 18]
                        text[count + 1] = digits[bits >> 12 & 63]
                        text[count + 2] = rest > 1 ? digits[bits >> 6 & 63] : UInt8(ascii: "=")
                        text[count + 3] = rest > 2 ? digits[bits & 63] : UInt8(ascii: "=")
                        count += 4
                    }
                }
            }
        }
    }
}
