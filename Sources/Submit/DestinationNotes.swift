internal import SubmitConcurrency

/// What a submitter found out about its server and wants to know again in the next process.
///
/// Notes are a memory, not a truth: a submitter works without them, and finds out anew.
public protocol DestinationNotes: Sendable {
    /// What was written last on a topic; `nil` for nothing, or when it cannot be read.
    func read(_ topic: String) async -> [UInt8]?

    /// Writes a note on a topic, or removes it with `nil`. It must hold no secret. What cannot be written is lost.
    func write(_ topic: String, _ note: [UInt8]?) async

    /// Whether anything is known to have arrived at this destination, which may have been before it wrote any note.
    var holdsCopies: Bool { get async }
}

extension DestinationNotes {
    public var holdsCopies: Bool { get async { false } }
}

/// Notes that end with the process.
public final class TransientNotes: DestinationNotes {
    private let notes = Locked<[String: [UInt8]]>([:])

    /// Begins without any note.
    public init() {}

    public func read(_ topic: String) async -> [UInt8]? { notes.withLock { $0[topic] } }

    public func write(_ topic: String, _ note: [UInt8]?) async { notes.withLock { $0[topic] = note } }
}
