/// What all pictures of a sequence have in common (ITU-T H.265, 7.3.2.2, E.2.1 and F.7.3.2.2).
enum ScannedHEVCSequence {
    static func isKnown(_ whole: ScannedBits, layer: Int) -> Bool {
        var bits = whole
        bits.skip(4)
        var depth = bits.number(3)
        // A layer that goes by the one below it tells less.
        let isAbove = layer > 0 && depth == 7
        if isAbove {
            depth = 6
        } else {
            bits.skip(1)
            ScannedHEVCParameters.readProfile(&bits, depth)
        }
        bits.count(upTo: 15)
        if isAbove { if bits.flag() { bits.skip(8) } } else { readSizes(&bits) }
        let width = bits.count(upTo: 12) + 4
        if !isAbove { ScannedHEVCParameters.readOrder(&bits, depth) }
        for _ in 0..<6 { bits.count(upTo: 6) }
        if bits.flag() {
            if isAbove, bits.flag() { bits.skip(6) } else if bits.flag() { ScannedHEVCParameters.readLists(&bits) }
        }
        bits.skip(2)
        if bits.flag() {
            bits.skip(8)
            for _ in 0..<2 { bits.count(upTo: 3) }
            bits.skip(1)
        }
        readReferences(&bits)
        if bits.flag() { bits.skip(bits.count(upTo: 32) * (width + 1)) }
        bits.skip(2)
        if bits.flag() { readUse(&bits, depth) }
        if bits.flag() { readMore(&bits) }
        return bits.isAtEnd
    }

    private static func readSizes(_ bits: inout ScannedBits) {
        if bits.count(upTo: 3) == 3 { bits.skip(1) }
        for _ in 0..<2 { bits.count(upTo: 1 << 16) }
        if bits.flag() { for _ in 0..<4 { bits.count(upTo: 1 << 16) } }
        for _ in 0..<2 { bits.count(upTo: 8) }
    }

    /// Which pictures others go by (7.3.7 and 7.4.8): how many a set has is known only from where the pictures of the one
    /// stand that it is told by.
    private static func readReferences(_ bits: inout ScannedBits) {
        var sets: [(before: [Int], after: [Int])] = []
        let count = bits.count(upTo: 64)
        while sets.count < count, !bits.isWrong {
            guard let last = sets.last, bits.flag() else {
                let (before, after) = (bits.count(upTo: 16), bits.count(upTo: 16))
                func places(_ count: Int, _ sign: Int) -> [Int] {
                    var (places, place) = ([Int](), 0)
                    for _ in 0..<count {
                        place += bits.count(upTo: 1 << 15) + 1
                        bits.skip(1)
                        places.append(sign * place)
                    }
                    return places
                }
                sets.append((places(before, -1), places(after, 1)))
                continue
            }
            let sign = bits.flag() ? -1 : 1
            let step = sign * (bits.count(upTo: 1 << 15) + 1)
            let isUsed = (0...last.before.count + last.after.count).map { _ in bits.flag() || bits.flag() }
            // The last of them is the picture itself that the other set is of.
            let all = last.before + last.after + [0]
            let places = zip(all, isUsed).filter { $1 }.map { $0.0 + step }
            sets.append((places.filter { $0 < 0 }.sorted(by: >), places.filter { $0 > 0 }.sorted()))
            if places.count > 32 { bits.refuse() }
        }
    }

    /// How it is to be shown.
    private static func readUse(_ bits: inout ScannedBits, _ depth: Int) {
        if bits.flag(), bits.number(8) == 255 { bits.skip(32) }
        if bits.flag() { bits.skip(1) }
        if bits.flag() {
            bits.skip(4)
            if bits.flag() { bits.skip(24) }
        }
        if bits.flag() { for _ in 0..<2 { bits.count(upTo: 5) } }
        bits.skip(3)
        if bits.flag() { for _ in 0..<4 { bits.count(upTo: 1 << 16) } }
        if bits.flag() {
            bits.skip(64)
            if bits.flag() { bits.count(upTo: .max) }
            if bits.flag() { ScannedHEVCParameters.readBuffers(&bits, isCommon: true, depth) }
        }
        if bits.flag() {
            bits.skip(3)
            bits.count(upTo: 4095)
            for _ in 0..<4 { bits.count(upTo: 16) }
        }
    }

    /// Extensions for more colours, layers and screens; of depth (annex I) and what is yet to come nothing is known.
    private static func readMore(_ bits: inout ScannedBits) {
        let (colours, layers, depth, screens) = (bits.flag(), bits.flag(), bits.flag(), bits.flag())
        if depth || bits.number(4) != 0 { bits.refuse() }
        if colours { bits.skip(9) }
        if layers { bits.skip(1) }
        if screens {
            bits.skip(1)
            if bits.flag() {
                for _ in 0..<2 { bits.count(upTo: 128) }
                if bits.flag() { bits.refuse() }
            }
            bits.skip(3)
        }
    }
}
