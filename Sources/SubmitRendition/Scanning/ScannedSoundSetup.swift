/// How AAC is decoded (ISO/IEC 14496-3, 1.6.2.1 and 4.4.1), where a list tells the channels, and may end in a comment.
struct ScannedSoundSetup {
    private let bytes: [UInt8]
    private var place = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func number(_ width: Int) -> Int {
        var number = 0
        for bit in place..<place + width {
            let byte = bit / 8 < bytes.count ? bytes[bit / 8] : 0
            number = number << 1 | Int(byte >> (7 - UInt8(bit % 8)) & 1)
        }
        place += width
        return number
    }

    /// What is wrong with it.
    static func trouble(in bytes: some Collection<UInt8>) -> String? {
        let unreadable = "a part that cannot be read (esds)"
        guard 2...64 ~= bytes.count else { return unreadable }
        var setup = ScannedSoundSetup(Array(bytes))
        var kind = setup.number(5)
        if setup.number(4) == 15 { _ = setup.number(24) }
        if setup.number(4) != 0 { return kind == 31 ? unreadable : nil }
        if kind == 5 || kind == 29 {
            if setup.number(4) == 15 { _ = setup.number(24) }
            kind = setup.number(5)
        }
        guard [1, 2, 3, 4].contains(kind), setup.number(3) == 0 else { return unreadable }
        _ = setup.number(10)
        let pairs = setup.number(4) + setup.number(4) + setup.number(4)
        let (low, data, coupled) = (setup.number(2), setup.number(3), setup.number(4))
        for width in [4, 4, 3] where setup.number(1) == 1 { _ = setup.number(width) }
        setup.place += 5 * pairs + 4 * (low + data) + 5 * coupled
        setup.place = (setup.place + 7) / 8 * 8
        guard setup.place + 8 <= bytes.count * 8 else { return unreadable }
        if setup.number(8) != 0 { return "a comment in the sound" }
        // Of what makes the sound wider no more follows.
        return bytes.count - setup.place / 8 <= 8 ? nil : unreadable
    }
}
