/// When a run ends.
public enum RunEnd: Sendable, Hashable {
    /// When nothing more can go out: all is done or failed, or waits for someone, or for a time longer than `patience` after
    /// the last thing that happened.
    case idle(patience: Duration = .seconds(30))
    /// When the task is cancelled, and not before.
    case cancelled

    /// `nil`: without an end.
    var patience: Duration? {
        switch self {
        case .idle(let patience): patience
        case .cancelled: nil
        }
    }
}
