package import Submit
internal import SubmitConcurrency
internal import SystemPackage

/// What submitters remember of one destination, in a store.
///
/// A store that fails remembers nothing: what is noted can be found out again.
package struct StoredNotes: DestinationNotes {
    private let destination: String
    private let notes: @Sendable () -> (any Store)?

    /// - Parameter notes: asked for when a note is read or written, and not before.
    package init(destination: String, in notes: @escaping @Sendable () -> (any Store)?) {
        self.destination = destination
        self.notes = notes
    }

    package func read(_ topic: String) async -> [UInt8]? { try? await notes()?.note(topic, of: destination) }

    /// One that holds a secret is not kept: its server, or its submitter, gave that back.
    package func write(_ topic: String, _ note: [UInt8]?) async {
        if let note, !KnownSecrets.areAbsent(fromName: String(decoding: note, as: UTF8.self)) { return }
        try? await notes()?.setNote(topic, of: destination, to: note)
    }

    /// Other processes that use the same store wait, if its folder can hold locks.
    package func exclusively<Result: Sendable>(
        _ topic: String, _ body: @Sendable (inout [UInt8]?) async throws(SubmitFailure) -> Result
    ) async throws(SubmitFailure) -> Result {
        let name = "\(destination) \(topic)"
        guard await Self.turns.acquire(name) else { throw .cancelled }
        defer { Self.turns.release(name) }
        var lock: FileLock?
        if let folder = notes()?.locks {
            do throws(SubmitFailure) {
                lock = try await FileLock.waiting(folder.appending("note-\(Self.stripe(of: name))"))
            } catch {
                // A file system without locks is no reason to send nothing.
                if error == .cancelled { throw error }
            }
        }
        defer { withExtendedLifetime(lock) {} }
        return try await changing(topic, body)
    }

    private static let turns = KeyedLock()

    /// One of 64, so that there are as many files at most (FNV-1a).
    private static func stripe(of name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 } >> 58
    }

    package var holdsCopies: Bool {
        get async { (try? await notes()?.holdsCopies(destination)) ?? false }
    }
}
