/// Lines that are yet to be written, in order.
struct OutgoingLines: Sendable {
    private var lines: [(bytes: [UInt8], question: Int?)] = []
    private var first = 0
    private var written = 0

    var isEmpty: Bool { first == lines.count }

    /// - Parameter question: what the line replies to.
    mutating func append(_ line: [UInt8], replyingTo question: Int? = nil) {
        lines.append((line + [UInt8(ascii: "\n")], question))
    }

    /// What is to be written next, as far as it is in one piece.
    var next: ArraySlice<UInt8> { isEmpty ? [] : lines[first].bytes[written...] }

    /// So much of ``next`` has been written.
    ///
    /// - Returns: the question that has its whole reply now.
    mutating func advance(_ count: Int) -> Int? {
        written += count
        guard written == lines[first].bytes.count else { return nil }
        let question = lines[first].question
        lines[first].bytes = []
        first += 1
        written = 0
        if first == lines.count {
            lines.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 64 {
            lines.removeFirst(first)
            first = 0
        }
        return question
    }

    mutating func removeAll() { self = OutgoingLines() }
}
