internal import Foundation
internal import GRDB
package import Submit
package import SubmitStore

extension Journal {
    package func rendition(of submission: SubmissionID) async throws(SubmitFailure) -> Rendition? {
        try await read { db in
            let query = try db.cachedStatement(
                sql: "SELECT \(Rendition.columns) FROM rendition WHERE submission = ?")
            return try Row.fetchOne(query, arguments: [submission.rawValue]).flatMap { try Rendition($0, from: 0) }
        }
    }

    package func keep(
        _ rendition: Rendition, by recipe: String, for claim: ClaimedSubmission
    ) async throws(SubmitFailure) -> Bool {
        let (id, fence) = (claim.id, claim.fence)
        return try await write { db in
            guard
                try Bool.readOne(
                    db, sql: "SELECT 1 FROM submission WHERE id = ? AND fence = ? AND state = 1",
                    arguments: [id.rawValue, fence]) != nil
            else { return false }
            let query = try db.cachedStatement(
                sql: "SELECT \(Rendition.columns) FROM rendition WHERE submission = ?")
            let last = try Row.fetchOne(query, arguments: [id.rawValue]).flatMap { try Rendition($0, from: 0) }
            if let last, last.digests[.sha256] != rendition.digests[.sha256] {
                // Parts of the one and of the other are no whole.
                try db.execute(sql: "DELETE FROM checkpoint WHERE submission = ?", arguments: [id.rawValue])
                try db.execute(sql: "UPDATE submission SET landed = 0 WHERE id = ?", arguments: [id.rawValue])
            }
            if claim.recipe != recipe {
                try db.execute(
                    sql: "UPDATE submission SET recipe = ? WHERE id = ?", arguments: [recipe, id.rawValue])
            }
            let digests = [DigestAlgorithm.sha256, .sha1, .md5, .crc32c].map { rendition.digests[$0].map { Data($0) } }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO rendition (submission, \(Rendition.names.joined(separator: ", ")))
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    id.rawValue, rendition.engine, rendition.size, rendition.type.kind.rawValue, rendition.type.mime,
                    rendition.type.filenameExtension, digests[0], digests[1], digests[2], digests[3],
                ])
            return true
        }
    }
}

extension Rendition {
    fileprivate static let names = [
        "engine", "size", "kind", "mime", "extension", "sha256", "sha1", "md5", "crc32c",
    ]
    static let columns = names.map { "rendition.\($0)" }.joined(separator: ", ")

    /// Reads ``columns``, of which the first stands at `start`; `nil` where there is no such row.
    init?(_ row: some ColumnValues, from start: Int) throws {
        guard let engine = try row.text(start), let sha256 = try row.bytes(start + 5) else { return nil }
        var digests = Digests()
        digests[.sha256] = sha256
        for (column, algorithm) in [(6, DigestAlgorithm.sha1), (7, .md5), (8, .crc32c)] {
            digests[algorithm] = try row.bytes(start + column)
        }
        try self.init(
            engine: engine, size: row.amount(start + 1),
            type: MediaType(
                kind: row.given(row.name(start + 2)), mime: row.given(row.text(start + 3)),
                filenameExtension: row.given(row.text(start + 4))),
            digests: digests)
    }
}
