/// How a program ended, and what it printed.
public struct ProgramResult: Sendable {
    public enum Ending: Sendable, Hashable {
        case exited(Int)
        /// By this signal.
        case killed(Int)
        /// Its time was up, and it was ended.
        case late
    }

    public var status: Ending
    /// The beginning of its standard output, as long as was asked for.
    public var output: [UInt8]
    /// It printed more than that.
    public var isCut: Bool
    /// The end of its standard error, at most ``ProgramCall/longestComplaint`` bytes.
    public var complaint: [UInt8]
    /// It read all that it was given.
    public var readAll: Bool

    public init(status: Ending, output: [UInt8], isCut: Bool, complaint: [UInt8], readAll: Bool) {
        self.status = status
        self.output = output
        self.isCut = isCut
        self.complaint = complaint
        self.readAll = readAll
    }
}
