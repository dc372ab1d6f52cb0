/// The parameters of HEVC (ITU-T H.265, 7.3.2, annexes E and F): known from their first bit to the one that ends them, so that
/// nothing else can be told in their place.
enum ScannedHEVCParameters {
    /// Of how layers belong together nothing more is known than that it is short (F.7.3.2.1.1).
    private static let mostOfLayers = 256

    /// - Parameter unit: with its head.
    static func areKnown(_ unit: some Collection<UInt8>) -> Bool {
        let head = Array(unit.prefix(2))
        guard head.count == 2 else { return false }
        let bits = ScannedBits(unit.dropFirst(2))
        let layer = Int(head[0] & 1) << 5 | Int(head[1] >> 3)
        return switch head[0] >> 1 & 0x3f {
        case 32: isVideo(bits)
        case 33: ScannedHEVCSequence.isKnown(bits, layer: layer)
        case 34: ScannedHEVCPicture.isKnown(bits)
        default: false
        }
    }

    private static func isVideo(_ whole: ScannedBits) -> Bool {
        var bits = whole
        bits.skip(6)
        bits.skip(6)
        let depth = bits.number(3)
        bits.skip(1)
        if bits.number(16) != 0xffff { return false }
        readProfile(&bits, depth)
        readOrder(&bits, depth)
        let layers = bits.number(6)
        let sets = bits.count(upTo: 15)
        bits.skip(sets * (layers + 1))
        if bits.flag() {
            bits.skip(64)
            if bits.flag() { bits.count(upTo: .max) }
            let count = bits.count(upTo: 16)
            for index in 0..<count where !bits.isWrong {
                bits.count(upTo: 1023)
                readBuffers(&bits, isCommon: index == 0 || bits.flag(), depth)
            }
        }
        if bits.flag() { return !bits.isWrong && bits.rest <= mostOfLayers }
        return bits.isAtEnd
    }

    /// 7.3.3.
    static func readProfile(_ bits: inout ScannedBits, _ depth: Int) {
        bits.skip(96)
        var parts: [(profile: Bool, level: Bool)] = []
        for _ in 0..<depth { parts.append((bits.flag(), bits.flag())) }
        if depth > 0 { for _ in depth..<8 where bits.number(2) != 0 { bits.refuse() } }
        for part in parts { bits.skip((part.profile ? 88 : 0) + (part.level ? 8 : 0)) }
    }

    /// How many pictures are kept, and how late they are shown.
    static func readOrder(_ bits: inout ScannedBits, _ depth: Int) {
        let all = bits.flag()
        for _ in 0...(all ? depth : 0) {
            for _ in 0..<2 { bits.count(upTo: 16) }
            bits.count(upTo: .max)
        }
    }

    /// E.2.2 and E.2.3.
    static func readBuffers(_ bits: inout ScannedBits, isCommon: Bool, _ depth: Int) {
        var (kinds, hasParts) = (0, false)
        if isCommon {
            kinds = (bits.flag() ? 1 : 0) + (bits.flag() ? 1 : 0)
            if kinds > 0 {
                hasParts = bits.flag()
                if hasParts { bits.skip(19) }
                bits.skip(8)
                if hasParts { bits.skip(4) }
                bits.skip(15)
            }
        }
        for _ in 0...depth where !bits.isWrong {
            let isFixed = bits.flag() || bits.flag()
            var (isLate, count) = (false, 0)
            if isFixed { bits.count(upTo: 2047) } else { isLate = bits.flag() }
            if !isLate { count = bits.count(upTo: 31) }
            for _ in 0..<kinds * (count + 1) {
                for _ in 0..<(hasParts ? 4 : 2) { bits.count(upTo: .max) }
                bits.skip(1)
            }
        }
    }

    /// 7.3.4.
    static func readLists(_ bits: inout ScannedBits) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) where !bits.isWrong {
                guard bits.flag() else {
                    bits.count(upTo: 5)
                    continue
                }
                if size > 1 { bits.signed(upTo: 255) }
                for _ in 0..<min(64, 1 << (4 + size * 2)) { bits.signed(upTo: 128) }
            }
        }
    }
}
