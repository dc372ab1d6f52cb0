/// Where a submission stands. Every submission ends as done, failed or cancelled.
public enum SubmissionState: Int, Sendable, Hashable, CaseIterable {
    /// Waiting: it waits for its turn, for a time, or for its destination.
    case waiting = 0
    /// A living process works on it.
    case running = 1
    /// It arrived; there is a receipt.
    case done = 2
    /// It will not be tried again unless someone asks for it.
    case failed = 3
    /// Somebody cancelled it: it is never tried again.
    case cancelled = 4

    /// The word people and programs see.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .done: "done"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }
}
