internal import GRDB
internal import Submit

/// An item that was accepted before under the key it comes with.
public struct KnownItem: Sendable, Hashable {
    /// The key.
    public let idempotencyKey: String
    /// What it became a part of.
    public let batch: BatchID
    /// What was owed of it, in the order of acceptance.
    public let submissions: [SubmissionID]
}

/// What an acceptance made of an item.
package enum KeyedOutcome: Sendable {
    /// It is written down, with what is owed of it in the given order.
    case accepted([SubmissionID])
    /// It was before, and nothing is written down.
    case known(KnownItem)
}

extension Journal {
    /// Those of these keys that something was accepted under.
    package func known(keys: [String]) async throws(JournalFailure) -> [String: KnownItem] {
        try read { db in
            try keys.reduce(into: [:]) { known, key in known[key] = try Self.known(key, db) }
        }
    }

    /// Writes down items as ``accept(_:in:for:)`` does, but for those whose key is known.
    ///
    /// - Returns: what became of each; `nil`, with nothing written, when somebody cancelled the acceptance.
    package func acceptOnce(
        _ items: [NewItem], in batch: BatchID, for acceptance: AcceptanceID
    ) async throws(JournalFailure) -> [KeyedOutcome]? {
        guard items.contains(where: { $0.idempotencyKey != nil }) else {
            return try await accept(items, in: batch, for: acceptance)?.map { .accepted($0) }
        }
        return try await write { [own] db in
            guard try Bool.fetchOne(db, sql: "SELECT 1 FROM acceptance WHERE id = ?", arguments: [acceptance]) != nil
            else { return nil }
            return try items.map { new in
                if let key = new.idempotencyKey, let known = try Self.known(key, db) { return .known(known) }
                let ids = try Self.accept([new], in: batch, own, db)[0]
                try db.execute(
                    sql: "INSERT INTO idempotency SELECT ?, item FROM submission WHERE id = ? AND ?1 IS NOT NULL",
                    arguments: [new.idempotencyKey, ids.first])
                return .accepted(ids)
            }
        }
    }

    private static func known(_ key: String, _ db: Database) throws -> KnownItem? {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT submission.batch, submission.id FROM idempotency JOIN submission ON submission.item = idempotency.item
                WHERE key = ? ORDER BY submission.id
                """, arguments: [key])
        return rows.first.map { KnownItem(idempotencyKey: key, batch: $0[0], submissions: rows.map { $0[1] }) }
    }
}
