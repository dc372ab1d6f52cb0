internal import Foundation
internal import GRDB
public import Submit

/// What submitters remember of one destination, in the journal.
public struct JournalNotes: DestinationNotes {
    private let destination: String
    private let journal: @Sendable () -> Journal?

    /// - Parameter journal: asked for when a note is read or written, and not before.
    public init(destination: String, journal: @escaping @Sendable () -> Journal?) {
        self.destination = destination
        self.journal = journal
    }

    public func read(_ topic: String) async -> [UInt8]? {
        try? journal()?.read { db in
            try Data.fetchOne(
                db, sql: "SELECT data FROM note WHERE destination = ? AND topic = ?", arguments: [destination, topic])
        }.map(Array.init)
    }

    public func write(_ topic: String, _ note: [UInt8]?) async {
        let destination = destination
        try? await journal()?.write { db in
            if let note {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO note (destination, topic, data) VALUES (?, ?, ?)",
                    arguments: [destination, topic, Data(note)])
            } else {
                try db.execute(
                    sql: "DELETE FROM note WHERE destination = ? AND topic = ?", arguments: [destination, topic])
            }
        }
    }

    public var holdsCopies: Bool {
        get async {
            let found = try? journal()?.read { db in
                try Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM tally WHERE destination = ? AND state = ? AND count > 0)",
                    arguments: [destination, SubmissionState.done.rawValue])
            }
            return (found ?? nil) ?? false
        }
    }
}
