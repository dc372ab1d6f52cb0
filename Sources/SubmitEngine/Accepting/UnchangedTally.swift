/// How much of what was named is not sent again, as it was accepted before and has not changed since.
public struct UnchangedTally: Sendable, Hashable {
    /// How much of one destination.
    public struct Line: Sendable, Hashable {
        /// The destination's name.
        public let destination: String
        /// Copies that were done and proven.
        public var done = 0
        /// Bytes of those.
        public var doneSize: Int64 = 0
        /// What is waiting in an earlier batch.
        public var waiting = 0
    }

    /// By destination, sorted.
    public private(set) var lines: [Line] = []
    /// Files of which nothing was written down, as all that was asked for was known.
    public private(set) var files = 0

    /// Nothing.
    public init() {}

    /// Submissions that wait in earlier batches.
    public var waiting: Int { lines.reduce(0) { $0 + $1.waiting } }

    mutating func add(_ copies: KnownCopies, size: Int64, isWhole: Bool) {
        if isWhole { files += 1 }
        for name in copies.done.keys {
            let line = line(name)
            lines[line].done += 1
            lines[line].doneSize += size
        }
        for name in copies.waiting { lines[line(name)].waiting += 1 }
    }

    private mutating func line(_ destination: String) -> Int {
        if let known = lines.firstIndex(where: { $0.destination == destination }) { return known }
        let place = lines.firstIndex { $0.destination > destination } ?? lines.endIndex
        lines.insert(Line(destination: destination), at: place)
        return place
    }

    /// The sum of two.
    public static func + (one: Self, more: Self) -> Self {
        var sum = one
        sum.files += more.files
        for line in more.lines {
            let place = sum.line(line.destination)
            sum.lines[place].done += line.done
            sum.lines[place].doneSize += line.doneSize
            sum.lines[place].waiting += line.waiting
        }
        return sum
    }
}
