/// The settings of AAC (ISO/IEC 14496-3, 1.6.2.1), without the comment that a list of channels ends in (4.4.1.1).
enum CleanSoundSettings {
    /// - Parameter type: of the coding; others have no comment.
    static func withoutComment(_ bytes: [UInt8], _ type: UInt8) -> [UInt8] {
        guard type == 0x40, let comment = comment(of: bytes) else { return bytes }
        return bytes[..<comment.lowerBound] + [0] + bytes[comment.upperBound...]
    }

    /// Where it stands, with its length.
    private static func comment(of bytes: [UInt8]) -> Range<Int>? {
        var (place, isShort) = (0, false)
        func next(_ width: Int) -> Int {
            guard place + width <= bytes.count * 8 else {
                isShort = true
                return 0
            }
            defer { place += width }
            return (place..<place + width).reduce(0) { $0 << 1 | Int(bytes[$1 / 8] >> (7 - UInt8($1 % 8)) & 1) }
        }
        var object = next(5)
        if next(4) == 15 { place += 24 }
        guard next(4) == 0 else { return nil }
        if object == 5 || object == 29 {
            if next(4) == 15 { place += 24 }
            object = next(5)
        }
        guard (1...4).contains(object), next(3) == 0 else { return nil }
        place += 10
        let (front, side, back, low, data, coupled) = (next(4), next(4), next(4), next(2), next(3), next(4))
        for width in [4, 4, 3] where next(1) == 1 { place += width }
        place += 5 * (front + side + back + coupled) + 4 * (low + data)
        place = (place + 7) / 8 * 8
        let count = next(8)
        guard !isShort, place / 8 + count <= bytes.count else { return nil }
        return place / 8 - 1..<place / 8 + count
    }
}
