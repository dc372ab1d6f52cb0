internal import Logging
internal import Submit
internal import SubmitPluginProtocol

/// A request that has not ended yet.
struct OpenRequest: Sendable {
    /// What came of it; no outcome where the submitter does not know such requests.
    typealias End = Result<RequestOutcome?, SubmitFailure>

    let request: HostRequest
    /// What stands behind `submit` and `discard`.
    let attempt: HostedAttempt?
    /// Knows what it was asked for.
    let logger: Logger
    /// When it has to have ended, whatever is heard of it.
    let deadline: Duration?
    /// How long it may show no sign of life.
    let silence: Duration
    /// When it was last heard of, or answered.
    var lastSign: Duration
    /// Questions of its that wait for us.
    var unanswered = 0
    /// When it has to have ended after it was cancelled.
    var cancelDeadline: Duration?
    let finish: @Sendable (End) -> Void

    /// When it is too late, by what is known now; `nil`: not before we have answered.
    var due: Duration? {
        [deadline, cancelDeadline, unanswered == 0 ? lastSign + silence : nil].compactMap(\.self).min()
    }

    /// What the program is to be ended for, if it is too late.
    func verdict(at now: Duration) -> ConversationEnd? {
        guard let due, due <= now else { return nil }
        if let cancelDeadline, cancelDeadline <= now { return .ignoredCancel }
        return .hung(seconds: Int(silence.components.seconds))
    }
}
