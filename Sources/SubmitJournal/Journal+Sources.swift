internal import Foundation
internal import GRDB
public import Submit
internal import SystemPackage

extension Journal {
    package func known(sources: [SourceQuery]) async throws(SubmitFailure) -> [KnownSource] {
        try await read { db in
            let byMarks = try db.cachedStatement(
                sql: KnownSource.select(
                    "size = ? AND modified = ? AND changed = ? AND inode = ? AND device = ?"))
            let byBytes = try db.cachedStatement(sql: KnownSource.select("sha256 = ?"))
            let byPath = try db.cachedStatement(sql: "SELECT 1 FROM item WHERE path = ? LIMIT 1")
            return try sources.map { source in
                let path = source.path.bytes
                let submissions: [KnownSource.Submission]
                switch source.likeness {
                case .marks(let marks):
                    submissions = try KnownSource.submissions(
                        byMarks,
                        [
                            path, marks.size, marks.modified.nanoseconds, marks.changed?.nanoseconds,
                            Int64(bitPattern: marks.inode), Int64(bitPattern: marks.device),
                        ])
                case .bytes(let digest):
                    submissions = try KnownSource.submissions(byBytes, [path, Data(digest)])
                }
                if !submissions.isEmpty { return KnownSource(isKnownPath: true, submissions: submissions) }
                return KnownSource(
                    isKnownPath: try Bool.fetchOne(byPath, arguments: [path]) ?? false, submissions: [])
            }
        }
    }
}

extension Journal {
    /// The note's topic; submitters have others.
    private static let place = "place of the copies"

    package func since(_ place: [UInt8], at destination: String) async throws(SubmitFailure) -> SubmissionID {
        // Eight bytes of a number, and the place.
        @Sendable func known(_ note: [UInt8]?) -> SubmissionID? {
            guard let note, note.dropFirst(8).elementsEqual(place) else { return nil }
            return SubmissionID(rawValue: note.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
        }
        if let since = known(try await note(Self.place, of: destination)) { return since }
        return try await write { db in
            let note = try Data.fetchOne(
                db, sql: "SELECT data FROM note WHERE destination = ? AND topic = ?",
                arguments: [destination, Self.place])
            if let since = known(note.map(Array.init)) { return since }
            let last = try Int64.fetchOne(db, sql: "SELECT max(id) FROM submission") ?? 0
            let bytes = withUnsafeBytes(of: last.bigEndian, Array.init) + place
            try db.execute(
                sql: "INSERT OR REPLACE INTO note (destination, topic, data) VALUES (?, ?, ?)",
                arguments: [destination, Self.place, Data(bytes)])
            return SubmissionID(rawValue: last)
        }
    }
}

extension Journal {
    public func states(
        of submissions: [SubmissionID]
    ) async throws(SubmitFailure) -> [SubmissionState: Int] {
        if submissions.isEmpty { return [:] }
        return try await read { db in
            let query = try db.cachedStatement(sql: "SELECT state FROM submission WHERE id = ?")
            return try submissions.reduce(into: [:]) { counts, id in
                guard let state = try Int.fetchOne(query, arguments: [id.rawValue]).flatMap(SubmissionState.init)
                else { return }
                counts[state, default: 0] += 1
            }
        }
    }
}

extension KnownSource {
    fileprivate static func select(_ likeness: String) -> String {
        """
        SELECT submission.item, destination, album, state, evidence,
            state = 2 AND was_there = 1 AND evidence = 'unknown' AND note IS NOT NULL, caption, tags, submission.id, submission.batch
        FROM item JOIN submission ON submission.item = item.id
        WHERE item.path = ? AND \(likeness) ORDER BY item.id DESC, submission.id DESC LIMIT 64
        """
    }

    fileprivate static func submissions(_ query: Statement, _ arguments: StatementArguments) throws -> [Submission] {
        let rows = try Row.fetchCursor(query, arguments: arguments)
        var found: [Submission] = []
        while let row = try rows.next() {
            let evidence: String? = row[4]
            let tags: String? = row[7]
            found.append(
                Submission(
                    id: row[8], batch: row[9], item: row[0], destination: row[1], album: row[2],
                    state: SubmissionState(rawValue: row[3]) ?? .failed, evidence: evidence.flatMap(Evidence.init),
                    isSkipped: row[5], caption: row[6],
                    tags: try tags.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []))
        }
        return found
    }
}
