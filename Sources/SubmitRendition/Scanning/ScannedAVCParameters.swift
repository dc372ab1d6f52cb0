/// The parameters of H.264 (ITU-T H.264, 7.3.2 and E.1): known from their first bit to the one that ends them, so that nothing
/// else can be told in their place.
enum ScannedAVCParameters {
    private static let high = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    /// - Parameter unit: with its head.
    static func areKnown(_ unit: some Collection<UInt8>) -> Bool {
        guard let head = unit.first else { return false }
        let bits = ScannedBits(unit.dropFirst())
        return switch head & 0x1f {
        case 7: isSequence(bits)
        // How many lists it has goes by the colours of a sequence.
        case 8: [2, 6].contains { isPicture(bits, lists: $0) }
        case 13: isAuxiliary(bits)
        default: false
        }
    }

    private static func isSequence(_ whole: ScannedBits) -> Bool {
        var bits = whole
        let profile = bits.number(8)
        bits.skip(16)
        bits.count(upTo: 31)
        if high.contains(profile) {
            let colours = bits.count(upTo: 3)
            if colours == 3 { bits.skip(1) }
            for _ in 0..<2 { bits.count(upTo: 6) }
            bits.skip(1)
            if bits.flag() { readLists(&bits, colours == 3 ? 12 : 8) }
        }
        bits.count(upTo: 12)
        switch bits.count(upTo: 2) {
        case 0: bits.count(upTo: 12)
        case 1:
            bits.skip(1)
            for _ in 0..<2 { bits.signed(upTo: 1 << 16) }
            for _ in 0..<bits.count(upTo: 255) { bits.signed(upTo: 1 << 16) }
        default: break
        }
        bits.count(upTo: 16)
        bits.skip(1)
        for _ in 0..<2 { bits.count(upTo: 4096) }
        if !bits.flag() { bits.skip(1) }
        bits.skip(1)
        if bits.flag() { for _ in 0..<4 { bits.count(upTo: 1 << 15) } }
        if bits.flag() { readUse(&bits) }
        return bits.isAtEnd
    }

    private static func readLists(_ bits: inout ScannedBits, _ count: Int) {
        for list in 0..<count where bits.flag() {
            var (last, next) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) where !bits.isWrong {
                if next != 0 { next = (last + bits.signed(upTo: 128) + 256) & 255 }
                last = next == 0 ? last : next
            }
        }
    }

    /// How it is to be shown (E.1.1).
    private static func readUse(_ bits: inout ScannedBits) {
        if bits.flag(), bits.number(8) == 255 { bits.skip(32) }
        if bits.flag() { bits.skip(1) }
        if bits.flag() {
            bits.skip(4)
            if bits.flag() { bits.skip(24) }
        }
        if bits.flag() { for _ in 0..<2 { bits.count(upTo: 5) } }
        if bits.flag() { bits.skip(65) }
        var isBuffered = false
        for _ in 0..<2 where bits.flag() {
            isBuffered = true
            let count = bits.count(upTo: 31)
            bits.skip(8)
            for _ in 0...count {
                for _ in 0..<2 { bits.count(upTo: .max) }
                bits.skip(1)
            }
            bits.skip(20)
        }
        if isBuffered { bits.skip(1) }
        bits.skip(1)
        if bits.flag() {
            bits.skip(1)
            for _ in 0..<6 { bits.count(upTo: 16) }
        }
    }

    private static func isPicture(_ whole: ScannedBits, lists: Int) -> Bool {
        var bits = whole
        bits.count(upTo: 255)
        bits.count(upTo: 31)
        bits.skip(2)
        let groups = bits.count(upTo: 7)
        if groups > 0 {
            switch bits.count(upTo: 5) {
            case 0: for _ in 0...groups { bits.count(upTo: 1 << 20) }
            case 1: break
            case 2: for _ in 0..<2 * groups { bits.count(upTo: 1 << 20) }
            default:
                bits.skip(1)
                bits.count(upTo: 1 << 20)
            }
        }
        for _ in 0..<2 { bits.count(upTo: 31) }
        bits.skip(3)
        for _ in 0..<2 { bits.signed(upTo: 62) }
        bits.signed(upTo: 12)
        bits.skip(3)
        if bits.hasMore {
            let isLarge = bits.flag()
            if bits.flag() { readLists(&bits, 6 + (isLarge ? lists : 0)) }
            bits.signed(upTo: 12)
        }
        return bits.isAtEnd
    }

    /// Of what is transparent.
    private static func isAuxiliary(_ whole: ScannedBits) -> Bool {
        var bits = whole
        bits.count(upTo: 31)
        if bits.count(upTo: 3) != 0 {
            let depth = bits.count(upTo: 4)
            bits.skip(1 + 2 * (depth + 9))
        }
        return !bits.flag() && bits.isAtEnd
    }
}
