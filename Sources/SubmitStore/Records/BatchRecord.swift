public import Submit

/// A batch, as people see it.
public struct BatchRecord: Sendable, Hashable {
    /// Its number, by which people name it.
    public let id: BatchID
    /// When it was begun.
    public let created: Timestamp
    /// Everything asked for was accepted or refused; false while that goes on, or when it was cut off.
    public let isComplete: Bool
    /// Somebody accepts, sends or watches it.
    public let isRunning: Bool

    package init(id: BatchID, created: Timestamp, isComplete: Bool, isRunning: Bool) {
        self.id = id
        self.created = created
        self.isComplete = isComplete
        self.isRunning = isRunning
    }
}
