/// Why something did not happen, and what to do about it.
///
/// The engine switches on ``remedy`` and never on words or codes. People read ``message``.
public struct SubmitFailure: Error, Sendable, Hashable {
    /// What the engine does next.
    public var remedy: Remedy
    /// A short stable word for programs, such as `source-changed`: lower case, `-` between words.
    public var code: String
    /// One sentence: what happened and what to do. Names the file or the destination's part in it, holds no secret.
    public var message: String

    /// - Parameters:
    ///   - code: a stable word, lower case, `-` between words.
    ///   - message: one sentence: what happened and what to do; without secrets.
    public init(_ remedy: Remedy, code: String, message: String) {
        self.remedy = remedy
        self.code = code
        self.message = message
    }

    /// The code of every failure whose remedy is ``Remedy/outcomeUnknown``, once the engine has written it down.
    public static let outcomeUnknownCode = "outcome-unknown"

    /// The task was cancelled.
    public static let cancelled = SubmitFailure(.cancelled, code: "cancelled", message: "It was cancelled.")
}

extension SubmitFailure: CustomStringConvertible {
    public var description: String { message }
}

/// What the engine does after a failure.
public enum Remedy: Sendable, Hashable {
    /// Try this submission again, not before `after` where the destination said so. Counts as an attempt.
    case retry(after: Duration?)
    /// Nothing came through, and nobody can tell whether for this submission or for any: the connection broke or stalled,
    /// or the server stumbled. Another one is tried first, not before `after` where the destination said so.
    /// Where others get through and this one fails so again, that counts as an attempt; where none does, all wait as for a
    /// destination that cannot be reached.
    case tryAnother(after: Duration?)
    /// Nothing went wrong, and it is not done yet: what was sent is still being processed. Try this submission again
    /// `after` that time, from its checkpoint. Counts as no attempt; it is the submitter's to end it some day.
    case wait(after: Duration)
    /// The destination refuses our credentials: its submissions wait until someone renews them.
    case renewCredentials
    /// Nothing can be sent to this destination for now: its submissions wait. The engine looks again, not before
    /// `after` where the destination said so. Counts as no attempt.
    case hold(HoldReason, after: Duration?)
    /// This submission will never succeed as it is.
    case giveUp
    /// The source is no longer what was accepted, so that no destination can have this item any more.
    case sourceLost
    /// Someone cancelled it.
    case cancelled
    /// The reply was lost after a step that must not be repeated blindly: someone has to look.
    case outcomeUnknown
}

/// What a destination on hold waits for.
public enum HoldReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// It cannot be reached.
    case unreachable
    /// It has no room left.
    case full
    /// It asked us to slow down.
    case throttled
    /// It answers, and cannot be used as configured.
    case misconfigured
}
