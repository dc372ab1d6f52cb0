public import Submit

/// One try of a submission.
public struct AttemptRecord: Sendable, Hashable {
    public let number: Int
    public let started: Timestamp
    public let ended: Timestamp
    public let outcome: String
    public let code: String?
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
