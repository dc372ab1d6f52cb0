public import Submit

/// One try of a submission.
public struct AttemptRecord: Sendable, Hashable {
    /// From 1, in the order of their beginnings.
    public let number: Int
    /// When it began: when the submission was claimed.
    public let started: Timestamp
    /// When it ended, or was found to have been broken off.
    public let ended: Timestamp
    /// `done`, `failed`, `waiting` (it is tried again), `cancelled`, `interrupted` (broken off from outside); of a copy
    /// that an audit found lost, `vanished` or `changed`.
    public let outcome: String
    /// The failure's code, a stable word; `nil` where nothing went wrong.
    public let code: String?
    /// The failure's sentence; `nil` where nothing went wrong.
    public let message: String?

    package init(
        number: Int, started: Timestamp, ended: Timestamp, outcome: String, code: String?, message: String?
    ) {
        self.number = number
        self.started = started
        self.ended = ended
        self.outcome = outcome
        self.code = code
        self.message = message
    }
}
