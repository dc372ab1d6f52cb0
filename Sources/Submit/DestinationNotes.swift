internal import SubmitConcurrency

/// What a submitter found out about its server and wants to know again in the next process.
///
/// Notes are a memory, not a truth: a submitter works without them, and finds out anew.
public protocol DestinationNotes: Sendable {
    /// What was written last on a topic; `nil` for nothing, or when it cannot be read.
    func read(_ topic: String) async -> [UInt8]?

    /// Writes a note on a topic, or removes it with `nil`. It must hold no secret. What cannot be written is lost.
    func write(_ topic: String, _ note: [UInt8]?) async

    /// Lets `body` read and change the note on a topic while nobody else does, in this process or in another one of this
    /// computer's that shares the notes.
    ///
    /// It waits for its turn, reads the note, calls `body` once and writes what `body` made of the note. `body` may take as
    /// long as requests do. Don't call this inside itself, for any topic. Notes that can't lock keep only the tasks of this
    /// process apart.
    ///
    /// - Parameter body: changes the note; `nil` for none.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, and then the note stays as it was; ``SubmitFailure/cancelled`` when the task is
    ///   cancelled before its turn has come.
    func exclusively<Result: Sendable>(
        _ topic: String, _ body: @Sendable (inout [UInt8]?) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result

    /// Whether anything is known to have arrived at this destination, which may have been before it wrote any note.
    var holdsCopies: Bool { get async }
}

extension DestinationNotes {
    public var holdsCopies: Bool { get async { false } }

    public func exclusively<Result: Sendable>(
        _ topic: String, _ body: @Sendable (inout [UInt8]?) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        guard await noteTurns.acquire(topic) else { throw .cancelled }
        defer { noteTurns.release(topic) }
        return try await changing(topic, body)
    }

    /// Reads a note, lets `body` change it and writes it, without any lock.
    package func changing<Result: Sendable>(
        _ topic: String, _ body: @Sendable (inout [UInt8]?) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        let old = await read(topic)
        var new = old
        let result = try await body(&new)
        if new != old { await write(topic, new) }
        return result
    }
}

/// Whose turn it is in this process, by topic: notes of different destinations may wait for each other needlessly.
private let noteTurns = KeyedLock()

/// Notes that end with the process.
public final class TransientNotes: DestinationNotes {
    private let notes = Locked<[String: [UInt8]]>([:])

    /// Begins without any note.
    public init() {}

    public func read(_ topic: String) async -> [UInt8]? { notes.withLock { $0[topic] } }

    public func write(_ topic: String, _ note: [UInt8]?) async { notes.withLock { $0[topic] = note } }
}
