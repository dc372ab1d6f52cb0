import Submit
import SubmitConcurrency

/// What was found out of a server holds for all of its kind, in any folder: trying names at each takes longer than what is
/// tested there.
struct NotesOfNeighbours: DestinationNotes {
    private static let all = Locked<[String: TransientNotes]>([:])

    private let shared: TransientNotes
    /// Probes that were broken off lie in one folder.
    private let own = TransientNotes()

    init(kind: String) {
        shared = Self.all.withLock { all in
            let notes = all[kind] ?? TransientNotes()
            all[kind] = notes
            return notes
        }
    }

    private static func isOfServer(_ topic: String) -> Bool { topic.hasPrefix("server ") }

    func read(_ topic: String) async -> [UInt8]? {
        Self.isOfServer(topic) ? await shared.read("server") : await own.read(topic)
    }

    func write(_ topic: String, _ note: [UInt8]?) async {
        if Self.isOfServer(topic) { await shared.write("server", note) } else { await own.write(topic, note) }
    }
}
