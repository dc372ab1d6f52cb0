internal import Submit

/// The parts of a file that hold coded pictures and sounds, read once from front to back.
///
/// What no picture and no sound claims must be zero, and all is searched for words on the way.
struct ScannedCodedData {
    /// No more than this can be asked for at once, so that nothing is read twice: it stays in the window.
    private static let longest = TellingWords.longest - 1

    let source: ScannedBytes
    var found = FoundTraces()
    private let ranges: [Range<Int64>]
    private var index = 0
    /// Up to where all bytes are known, and are searched.
    private var (cursor, searched): (Int64, Int64) = (0, 0)

    init(_ source: ScannedBytes, in ranges: [Range<Int64>]) {
        self.source = source
        self.ranges = ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
        enter()
    }

    private mutating func enter() {
        guard index < ranges.count else { return }
        (cursor, searched) = (ranges[index].lowerBound, ranges[index].lowerBound)
    }

    /// Steps forward to the next picture or sound and over it; `false` where there is none that could be read.
    mutating func claim(_ part: Range<Int64>) throws(SubmitFailure) -> Bool {
        while index < ranges.count, part.lowerBound >= ranges[index].upperBound { try leave() }
        guard index < ranges.count, ranges[index].lowerBound <= part.lowerBound,
            part.upperBound <= ranges[index].upperBound
        else {
            found.add("a picture or sound that is elsewhere", at: part.lowerBound)
            return false
        }
        guard part.lowerBound >= cursor else {
            found.add("pictures or sounds that overlap", at: part.lowerBound)
            return false
        }
        try checkGap(to: part.lowerBound)
        cursor = part.upperBound
        return true
    }

    /// Steps to the end of all.
    mutating func finish() throws(SubmitFailure) {
        while index < ranges.count, !found.isFull { try leave() }
    }

    private mutating func leave() throws(SubmitFailure) {
        try checkGap(to: ranges[index].upperBound)
        try search(upTo: ranges[index].upperBound)
        index += 1
        enter()
    }

    private mutating func checkGap(to end: Int64) throws(SubmitFailure) {
        // A word may end in zeros, but none begins there: that saves searching them.
        try search(upTo: min(end, cursor + Int64(Self.longest)))
        if try source.firstNonZero(in: cursor..<end) != nil {
            found.add("bytes that belong to no picture and no sound", at: cursor)
        }
        (cursor, searched) = (end, max(end, searched))
    }

    /// Whether each byte is this one.
    mutating func isAll(_ byte: UInt8, in range: Range<Int64>) throws(SubmitFailure) -> Bool {
        var place = range.lowerBound
        while place < range.upperBound {
            let piece = try piece(at: place, upTo: range.upperBound)
            if piece.isEmpty || !piece.isAllOf(byte) { return false }
            place += Int64(piece.count)
        }
        return true
    }

    /// What stands from `place` on, as far as it is at hand: at least `atLeast` bytes or all that there are.
    mutating func piece(
        at place: Int64, upTo end: Int64, atLeast: Int = 1
    ) throws(SubmitFailure) -> UnsafeRawBufferPointer {
        try search(upTo: min(end, place + Int64(atLeast)))
        let window = try source.window(at: place, atLeast: Int(min(Int64(atLeast), end - place)))
        return UnsafeRawBufferPointer(rebasing: window.prefix(Int(min(Int64(window.count), end - place))))
    }

    mutating func bytes(in range: Range<Int64>) throws(SubmitFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var place = range.lowerBound
        while place < range.upperBound {
            let piece = try piece(at: place, upTo: range.upperBound)
            guard !piece.isEmpty else { break }
            bytes.append(contentsOf: piece)
            place += Int64(piece.count)
        }
        return bytes
    }

    private mutating func search(upTo end: Int64) throws(SubmitFailure) {
        let range = ranges[index]
        while searched < end {
            // A word may stand across the end of what was searched.
            let from = max(range.lowerBound, searched - Int64(Self.longest))
            let window = try source.window(at: from, atLeast: TellingWords.longest)
            let piece = UnsafeRawBufferPointer(
                rebasing: window.prefix(Int(min(Int64(window.count), range.upperBound - from))))
            found.add(TellingWords.tracesOfLongWords(in: piece, at: from))
            searched = from + Int64(piece.count)
        }
    }
}
