/// The order of names in which numbers count by their value: `IMG_9.jpg` before `IMG_10.jpg`.
enum NaturalOrder {
    /// - Parameters:
    ///   - left: the bytes of a name.
    ///   - right: the bytes of another name.
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        var (a, b) = (0, 0)
        while a < left.count, b < right.count {
            guard isDigit(left[a]), isDigit(right[b]) else {
                if left[a] != right[b] { return left[a] < right[b] }
                (a, b) = (a + 1, b + 1)
                continue
            }
            let (ends, starts) = ((number(left, a), number(right, b)), (significant(left, a), significant(right, b)))
            // Of two numbers without zeros in front the longer one is the greater one.
            let (mine, other) = (left[starts.0..<ends.0], right[starts.1..<ends.1])
            if mine.count != other.count { return mine.count < other.count }
            if let index = mine.indices.first(where: { left[$0] != right[$0 - starts.0 + starts.1] }) {
                return left[index] < right[index - starts.0 + starts.1]
            }
            (a, b) = ends
        }
        if a < left.count || b < right.count { return b < right.count }
        // They differ by zeros alone.
        return left.lexicographicallyPrecedes(right)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Where the number that begins at `start` ends.
    private static func number(_ name: [UInt8], _ start: Int) -> Int {
        name[start...].firstIndex { !isDigit($0) } ?? name.count
    }

    /// Where the number that begins at `start` begins without its zeros.
    private static func significant(_ name: [UInt8], _ start: Int) -> Int {
        name[start...].firstIndex { $0 != UInt8(ascii: "0") } ?? name.count
    }
}
