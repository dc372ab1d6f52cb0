/// Which of what waits goes first.
public enum SendingPriority: String, Sendable, Hashable, Codable, CaseIterable {
    /// Before what else is waiting, in every process.
    case high
    /// As it was accepted.
    case normal
    /// When nothing else is due at its destination.
    case low
}
