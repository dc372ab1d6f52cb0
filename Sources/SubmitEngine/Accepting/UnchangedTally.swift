public import SubmitStore

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

    /// What waits in earlier batches, and is not accepted a second time.
    public private(set) var waitingSubmissions: [SubmissionID] = []
    /// Those batches: who runs them too has all sent that was named.
    public private(set) var waitingBatches: Set<BatchID> = []

    /// Nothing.
    public init() {}

    mutating func add(_ copies: KnownCopies, size: Int64, isWhole: Bool) {
        if isWhole { files += 1 }
        for name in copies.done.keys {
            let line = line(name)
            lines[line].done += 1
            lines[line].doneSize += size
        }
        for (name, submission) in copies.waiting {
            lines[line(name)].waiting += 1
            waitingSubmissions.append(submission.id)
            waitingBatches.insert(submission.batch)
        }
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
        sum.waitingSubmissions += more.waitingSubmissions
        sum.waitingBatches.formUnion(more.waitingBatches)
        for line in more.lines {
            let place = sum.line(line.destination)
            sum.lines[place].done += line.done
            sum.lines[place].doneSize += line.doneSize
            sum.lines[place].waiting += line.waiting
        }
        return sum
    }
}
