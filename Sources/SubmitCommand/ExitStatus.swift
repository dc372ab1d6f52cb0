/// What the process's exit code says. Documented in the README.
enum ExitStatus: CInt, Error {
    /// Everything that was asked for is done.
    case done = 0
    /// Some submissions failed, or some files were refused.
    case failed = 1
    /// Nothing could be begun: the arguments, the configuration or the journal.
    case usage = 2
    /// Some submissions still wait, for a destination or for a time.
    case waiting = 3
    /// Some submissions were cancelled.
    case cancelled = 4
    /// All that was taken is done, and some of what was named was left behind.
    case leftBehind = 5
    /// All was done, and not all of it could be printed: `EX_IOERR` of sysexits.h.
    case unwritten = 74
    /// Broken off by a signal.
    case interrupted = 130

    /// What two runs together end with: the one that says more of what is lost.
    func worse(_ other: ExitStatus) -> ExitStatus {
        if self == .done || other == .done { return self == .done ? other : self }
        return rawValue < other.rawValue ? self : other
    }
}
