public import Submit
internal import SubmitConcurrency

/// Notes that end with the process and that a harness can look into, to give them as ``ContractPlace/notes``.
public final class RecordingNotes: DestinationNotes {
    private struct State {
        var notes: [String: [UInt8]] = [:]
        var written: [[UInt8]] = []
    }

    private let state = Locked(State())

    /// Begins without any note.
    public init() {}

    /// All notes that were ever written, topics too.
    public var written: [[UInt8]] { state.withLock { $0.written } }

    public func read(_ topic: String) async -> [UInt8]? { state.withLock { $0.notes[topic] } }

    public func write(_ topic: String, _ note: [UInt8]?) async {
        state.withLock {
            $0.notes[topic] = note
            $0.written += [Array(topic.utf8), note ?? []]
        }
    }
}
