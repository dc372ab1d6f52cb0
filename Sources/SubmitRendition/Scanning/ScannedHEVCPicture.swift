/// What pictures have in common, each of several kinds (ITU-T H.265, 7.3.2.3 and F.7.3.2.3).
enum ScannedHEVCPicture {
    static func isKnown(_ whole: ScannedBits) -> Bool {
        var bits = whole
        bits.count(upTo: 63)
        bits.count(upTo: 15)
        bits.skip(7)
        for _ in 0..<2 { bits.count(upTo: 15) }
        bits.signed(upTo: 90)
        bits.skip(1)
        let canSkip = bits.flag()
        if bits.flag() { bits.count(upTo: 6) }
        for _ in 0..<2 { bits.signed(upTo: 12) }
        bits.skip(4)
        let hasTiles = bits.flag()
        bits.skip(1)
        if hasTiles {
            let (columns, rows) = (bits.count(upTo: 255), bits.count(upTo: 255))
            if !bits.flag() { for _ in 0..<columns + rows { bits.count(upTo: 1 << 16) } }
            bits.skip(1)
        }
        bits.skip(1)
        if bits.flag() {
            bits.skip(1)
            if !bits.flag() { for _ in 0..<2 { bits.signed(upTo: 6) } }
        }
        if bits.flag() { ScannedHEVCParameters.readLists(&bits) }
        bits.skip(1)
        bits.count(upTo: 4)
        bits.skip(1)
        if bits.flag() { readMore(&bits, canSkip) }
        return bits.isAtEnd
    }

    /// Extensions for more colours, layers and screens; of depth (annex I) and what is yet to come nothing is known.
    private static func readMore(_ bits: inout ScannedBits, _ canSkip: Bool) {
        let (colours, layers, depth, screens) = (bits.flag(), bits.flag(), bits.flag(), bits.flag())
        if depth || bits.number(4) != 0 { bits.refuse() }
        if colours {
            if canSkip { bits.count(upTo: 3) }
            bits.skip(1)
            if bits.flag() {
                bits.count(upTo: 3)
                for _ in 0...bits.count(upTo: 5) { for _ in 0..<2 { bits.signed(upTo: 12) } }
            }
            for _ in 0..<2 { bits.count(upTo: 8) }
        }
        if layers { readLayers(&bits) }
        if screens {
            bits.skip(1)
            if bits.flag() {
                bits.skip(1)
                for _ in 0..<3 { bits.signed(upTo: 19) }
            }
            if bits.flag(), bits.count(upTo: 128) > 0 { bits.refuse() }
        }
    }

    private static func readLayers(_ bits: inout ScannedBits) {
        bits.skip(1)
        if bits.flag() { bits.skip(6) }
        for _ in 0..<bits.count(upTo: 62) where !bits.isWrong {
            bits.skip(6)
            for _ in 0..<2 where bits.flag() { for _ in 0..<4 { bits.signed(upTo: 1 << 14) } }
            if bits.flag() { for _ in 0..<4 { bits.count(upTo: 63) } }
        }
        // A table of colours is one of numbers by the thousand.
        if bits.flag() { bits.refuse() }
    }
}
