/// Bytes in, lines out. It never holds more than the longest line allowed.
struct LineSplitter: Sendable {
    struct TooLong: Error {}

    private let limit: Int
    private var begun: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether a line was begun and not ended.
    var isWithinLine: Bool { !begun.isEmpty }

    /// Takes bytes and hands out the lines that end in them, without their ends.
    ///
    /// - Throws: when a line is longer than allowed, as soon as that is sure. Nothing can be read after that.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ line: ([UInt8]) -> Void) throws(TooLong) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            guard begun.count + (end - rest.startIndex) <= limit else { throw TooLong() }
            begun += rest[..<end]
            rest = rest[(end + 1)...]
            let whole = begun
            begun = []
            line(whole)
        }
        guard begun.count + rest.count <= limit else { throw TooLong() }
        begun += rest
    }
}
