internal import GRDB
package import SystemPackage

extension Journal {
    /// Writes down anew what an acceptance is asked for, by words that can be read by whoever completes it.
    ///
    /// - Returns: false where it is not this value's, or was cancelled.
    package func amend(_ acceptance: OpenAcceptance, _ request: String) async throws(JournalFailure) -> Bool {
        try await write { [own] db in
            try db.execute(
                sql: "UPDATE acceptance SET request = ? WHERE id = ? AND worker = ?",
                arguments: [request, acceptance.id, try own.id(db)])
            return db.changesCount == 1
        }
    }

    /// Whether a file that nobody else has is of use yet: something is owed of it, or an acceptance names it, or somebody may
    /// ask again for what failed of it.
    ///
    /// - Parameter toRetry: false: nobody will.
    package func needs(_ source: FilePath, toRetry: Bool = true) async throws(JournalFailure) -> Bool {
        let name = source.lastComponent?.string ?? ""
        return try read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM acceptance WHERE instr(request, ?2) > 0)
                        OR EXISTS (
                            SELECT 1 FROM item JOIN submission ON submission.item = item.id
                            WHERE item.path = ?1 AND (state IN (0, 1) OR state = 3 AND ?3))
                    """, arguments: [source.bytes, name, toRetry]) ?? true
        }
    }
}
