package import Submit

/// What submitters remember of one destination, in a store.
///
/// A store that fails remembers nothing: what is noted can be found out again.
package struct StoredNotes: DestinationNotes {
    private let destination: String
    private let notes: @Sendable () -> (any NoteStore)?

    /// - Parameter notes: asked for when a note is read or written, and not before.
    package init(destination: String, in notes: @escaping @Sendable () -> (any NoteStore)?) {
        self.destination = destination
        self.notes = notes
    }

    package func read(_ topic: String) async -> [UInt8]? { try? await notes()?.note(topic, of: destination) }

    /// One that holds a secret is not kept: its server, or its submitter, gave that back.
    package func write(_ topic: String, _ note: [UInt8]?) async {
        if let note, !KnownSecrets.areAbsent(fromName: String(decoding: note, as: UTF8.self)) { return }
        try? await notes()?.setNote(topic, of: destination, to: note)
    }

    package var holdsCopies: Bool {
        get async { (try? await notes()?.holdsCopies(destination)) ?? false }
    }
}
