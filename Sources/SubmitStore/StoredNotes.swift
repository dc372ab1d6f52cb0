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

    package func write(_ topic: String, _ note: [UInt8]?) async {
        try? await notes()?.setNote(topic, of: destination, to: note)
    }

    package var holdsCopies: Bool {
        get async { (try? await notes()?.holdsCopies(destination)) ?? false }
    }
}
