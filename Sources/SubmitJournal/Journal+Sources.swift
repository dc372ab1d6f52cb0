internal import Foundation
internal import GRDB
public import Submit
internal import SystemPackage

extension Journal {
    package func known(sources: [SourceQuery]) async throws(SubmitFailure) -> [KnownSource] {
        try await read { db in try sources.map { try KnownSource($0, db) } }
    }

    package func forgetPlaces(at destination: String) async throws(SubmitFailure) {
        try await write { db in
            try db.execute(
                sql: "UPDATE submission SET place = NULL WHERE destination = ? AND place IS NOT NULL",
                arguments: [destination])
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
                guard let state = try SubmissionState.readOne(query, arguments: [id.rawValue])
                else { return }
                counts[state, default: 0] += 1
            }
        }
    }
}

extension KnownSource {
    init(_ source: SourceQuery, _ db: Database) throws {
        // Of most files nothing is known, which their paths alone tell.
        let byPath = try DirectStatement("SELECT 1 FROM item WHERE path = ? LIMIT 1", db)
        byPath.bind(source.path)
        guard try byPath.first() != nil else {
            self.init(isKnownPath: false, submissions: [])
            return
        }
        let path = source.path.bytes
        let found: [Submission]
        switch source.likeness {
        case .marks(let marks):
            // By the path: there are file systems on which all files have one inode.
            found = try Self.submissions(
                try db.cachedStatement(
                    sql: Self.select("size = ? AND modified = ? AND changed = ? AND +inode = ? AND +device = ?")),
                [
                    path, marks.size, marks.modified.nanoseconds, marks.changed?.nanoseconds,
                    Int64(bitPattern: marks.inode), Int64(bitPattern: marks.device),
                ])
        case .bytes(let digest):
            found = try Self.submissions(try db.cachedStatement(sql: Self.select("sha256 = ?")), [path, Data(digest)])
        }
        self.init(isKnownPath: true, submissions: found)
    }

    private static func select(_ likeness: String) -> String {
        """
        SELECT submission.id, submission.batch, submission.item, destination, album, state, evidence,
            \(OldHistory.skipped("submission")), place, caption, tags, recipe
        FROM item JOIN submission ON submission.item = item.id
        WHERE item.path = ? AND \(likeness)
            AND NOT (state = 2 AND EXISTS (
                SELECT 1 FROM item AS next JOIN submission AS other ON other.item = next.id
                WHERE next.path = item.path AND next.id > item.id AND next.sha256 <> item.sha256 AND other.state = 2
                    AND other.destination = submission.destination AND other.remote_id = submission.remote_id))
        ORDER BY item.id DESC, submission.id DESC LIMIT 64
        """
    }

    private static func submissions(_ query: Statement, _ arguments: StatementArguments) throws -> [Submission] {
        let rows = try Row.fetchCursor(query, arguments: arguments)
        var found: [Submission] = []
        while let row = try rows.next() {
            let tags: String? = try row.value(10)
            found.append(
                try Submission(
                    id: row.value(0), batch: row.value(1), item: row.value(2), destination: row.value(3),
                    album: row.value(4),
                    state: row.value(5),
                    evidence: row.value(6),
                    isSkipped: row.value(7) ?? false, place: row.value(8), recipe: row.value(11), caption: row.value(9),
                    tags: try tags.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) } ?? []))
        }
        return found
    }
}
