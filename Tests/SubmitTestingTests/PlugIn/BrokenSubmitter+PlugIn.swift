extension BrokenSubmitter {
    /// What becomes of a fault where a host stands between the submitter and who asks it.
    enum ThroughPlugIn: Hashable {
        /// It passes, and those promises catch it that catch it without a host.
        case passes
        /// The host takes nothing with this fault from a program, and says `submitter-misbehaved`: its promises fail by
        /// that, and so may others.
        case isRefused
        /// Nobody behind the host notices it.
        case isMended
    }

    var throughPlugIn: ThroughPlugIn {
        if Self.refused[fault] != nil { return .isRefused }
        return Self.mended[fault] == nil ? .passes : .isMended
    }

    /// Faults that a host refuses, with what it refuses.
    static let refused = [
        "has facts without facets": "a configuration whose facts and facets do not agree",
        "reads nothing back though it says so": "a receipt that is not `verified` where reading back was asked for",
        "leaks its secret in a receipt": "a URL with a user's name in it",
        "leaks its secret in a checkpoint": "a checkpoint that holds a secret it gave the program",
    ]

    /// Faults that are mended on the way, with what mends them.
    static let mended = [
        "leaks its secret in a description": "it is the host's submitter that is described, by its path",
        "leaks its secret in a failure": "the host writes `…` where a sentence holds a secret it gave the program",
        "fails without a sentence": "the host ends what it is told with a full stop",
        "reports progress backwards": "the plug-in's side tells no number that is not greater than the last",
        "ignores a cancellation": "the host gives no bytes to a submission that was cancelled, so that it cannot go on",
    ]
}
