/// Numbers that are not made of whole bytes, as parameters of video have them (ITU-T H.264, 7.2 and 9.1; H.265, 7.2 and 9.2).
struct ScannedBits {
    private let bytes: [UInt8]
    /// The bit that ends all: the last one that is set.
    private let end: Int
    private var place = 0
    /// A number was more than it may be, or was not there.
    private(set) var isWrong = false

    /// - Parameter unit: what follows a unit's head, with the 3 that follows two zeros where else a unit would begin.
    init(_ unit: some Collection<UInt8>) {
        var (bytes, zeros) = ([UInt8](), 0)
        bytes.reserveCapacity(unit.count)
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        let last = bytes.lastIndex { $0 != 0 }
        self.bytes = bytes
        end = last.map { $0 * 8 + 7 - bytes[$0].trailingZeroBitCount } ?? 0
    }

    /// Whether something stands before the bit that ends all.
    var hasMore: Bool { place < end }
    /// Bytes before it that were not read, the last one perhaps not whole.
    var rest: Int { max(0, end - place + 7) / 8 }
    /// Whether all was read, and all was right; zeros may follow.
    var isAtEnd: Bool { !isWrong && place == end && !bytes.isEmpty }

    mutating func flag() -> Bool { number(1) == 1 }

    mutating func number(_ width: Int) -> Int {
        guard width <= end - place, (0...32).contains(width) else {
            isWrong = true
            return 0
        }
        var number = 0
        for bit in place..<place + width { number = number << 1 | Int(bytes[bit >> 3] >> (7 - UInt8(bit & 7)) & 1) }
        place += width
        return number
    }

    /// As many zeros as digits follow the first one that is set.
    @discardableResult
    mutating func count(upTo most: Int) -> Int {
        var zeros = 0
        while !isWrong, !flag() {
            zeros += 1
            if zeros > 31 { isWrong = true }
        }
        let count = isWrong ? 0 : 1 << zeros - 1 + number(zeros)
        if count > most { isWrong = true }
        return isWrong ? 0 : count
    }

    /// Numbers with a sign, which are counted 0, 1, -1, 2, -2.
    @discardableResult
    mutating func signed(upTo most: Int) -> Int {
        let count = count(upTo: 2 * most)
        return count.isMultiple(of: 2) ? -count / 2 : (count + 1) / 2
    }

    mutating func skip(_ width: Int) {
        for _ in 0..<width / 32 { _ = number(32) }
        _ = number(width % 32)
    }

    mutating func refuse() { isWrong = true }
}
