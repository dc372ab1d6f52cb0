internal import Foundation
internal import GRDB
package import Submit
internal import SubmitConcurrency
package import SystemPackage

/// A media item to accept, with what is owed of it to whom.
package struct NewItem: Sendable {
    package var item: MediaItem
    package var identity: SourceIdentity
    /// One for each destination.
    package var submissions: [NewSubmission]
    /// When the source is to be removed; `nil`: never.
    package var removal: SourceRemoval?
    /// An item with the same one is accepted once; `nil`: as often as it comes.
    package var idempotencyKey: String?

    package init(
        item: MediaItem, identity: SourceIdentity, submissions: [NewSubmission], removal: SourceRemoval? = nil,
        idempotencyKey: String? = nil
    ) {
        self.idempotencyKey = idempotencyKey
        self.item = item
        self.identity = identity
        self.submissions = submissions
        self.removal = removal
    }
}

/// What is owed of an item to one destination.
package struct NewSubmission: Sendable {
    package var destination: String
    package var album: String?
    package var onConflict: ConflictPolicy
    package var verification: Verification
    /// Why it is known beforehand that the destination will not take it. It is written down as failed.
    package var refusal: SubmitFailure?

    package init(
        destination: String, album: String? = nil, onConflict: ConflictPolicy = .rename,
        verification: Verification = .usual, refusal: SubmitFailure? = nil
    ) {
        self.destination = destination
        self.album = album
        self.onConflict = onConflict
        self.verification = verification
        self.refusal = refusal
    }
}

extension Journal {
    /// Begins a batch.
    package func begin() async throws(JournalFailure) -> BatchID {
        try await write { db in try Self.begin(db) }
    }

    private static func begin(_ db: Database) throws -> BatchID {
        try db.execute(sql: "INSERT INTO batch (created) VALUES (?)", arguments: [Timestamp.now.nanoseconds])
        return db.lastInsertedRowID
    }

    /// Writes down what is to be accepted, so that an acceptance which is cut off can be completed by anyone.
    ///
    /// - Parameters:
    ///   - request: what is asked for, in words of the caller's own.
    ///   - batch: `nil` for a new one. One that was complete is no longer.
    package func beginAcceptance(
        _ request: String, in batch: BatchID? = nil
    ) async throws(JournalFailure) -> OpenAcceptance {
        try await write { [self] db in
            let id = if let batch { batch } else { try Self.begin(db) }
            try db.execute(sql: "UPDATE batch SET sealed = 0 WHERE id = ?", arguments: [id])
            let last = try ItemID.fetchOne(db, sql: "SELECT max(id) FROM item") ?? 0
            try db.execute(
                sql: "INSERT INTO acceptance (batch, request, after, worker) VALUES (?, ?, ?, ?)",
                arguments: [id, request, last, try own.id(db)])
            let acceptance = db.lastInsertedRowID
            try take(acceptance, db)
            return OpenAcceptance(id: acceptance, batch: id, request: request, after: last)
        }
    }

    /// From now on this value is at an acceptance, unless the transaction fails.
    private func take(_ acceptance: AcceptanceID, _ db: Database) throws {
        try Self.beat(try own.id(db), db)
        accepting.withLock { _ = $0.insert(acceptance) }
        db.afterNextTransaction(
            onCommit: { _ in }, onRollback: { [accepting] _ in accepting.withLock { _ = $0.remove(acceptance) } })
    }

    /// What is asked for in a batch and is not accepted to its end, be it that somebody is at it.
    package func openAcceptances(of batch: BatchID) throws(JournalFailure) -> [OpenAcceptance] {
        try read { db in try OpenAcceptance.fetch(db, "batch = ?", [batch]) }
    }

    /// Takes on an acceptance that was cut off.
    ///
    /// - Returns: whether it is this value's now; false where somebody is at it, or it has come to its end.
    package func takeUp(_ acceptance: OpenAcceptance) async throws(JournalFailure) -> Bool {
        let id = acceptance.id
        return try await write { [self] db in
            if accepting.withLock({ $0.contains(id) }) { return false }
            let me = try own.id(db)
            try db.execute(
                sql: "UPDATE acceptance SET worker = ?1 WHERE id = ?2 AND (worker IS NULL OR worker = ?1)", arguments: [me, id])
            guard db.changesCount == 1 else { return false }
            try take(id, db)
            return true
        }
    }

    /// Leaves an acceptance that was not sealed for others to take up.
    package func release(_ acceptance: AcceptanceID) async throws(JournalFailure) {
        accepting.withLock { _ = $0.remove(acceptance) }
        try await write { db in
            try db.execute(sql: "UPDATE acceptance SET worker = NULL WHERE id = ?", arguments: [acceptance])
        }
    }

    /// The sources of the items that a batch has.
    ///
    /// - Parameter after: of those accepted after this one.
    package func sources(of batch: BatchID, after: ItemID = 0) throws(JournalFailure) -> Set<FilePath> {
        try read { db in
            let rows = try Data.fetchCursor(
                db, sql: "SELECT path FROM item WHERE batch = ? AND id > ?", arguments: [batch, after])
            var sources: Set<FilePath> = []
            while let path = try rows.next() { sources.insert(FilePath(bytes: path)) }
            return sources
        }
    }

    /// Writes down items and what is owed of them. On return they are accepted.
    ///
    /// - Parameter acceptance: what they are accepted for.
    /// - Returns: for each item the ids of its submissions, in the given order; `nil`, with nothing written, when somebody
    ///   cancelled the acceptance.
    package func accept(
        _ items: [NewItem], in batch: BatchID, for acceptance: AcceptanceID
    ) async throws(JournalFailure) -> [[SubmissionID]]? {
        try await write { [own] db in
            guard try Bool.fetchOne(db, sql: "SELECT 1 FROM acceptance WHERE id = ?", arguments: [acceptance]) != nil
            else { return nil }
            return try Self.accept(items, in: batch, own, db)
        }
    }

    /// The same for items that nobody wrote down to be accepted.
    package func accept(_ items: [NewItem], in batch: BatchID) async throws(JournalFailure) -> [[SubmissionID]] {
        try await write { [own] db in try Self.accept(items, in: batch, own, db) }
    }

    static func accept(
        _ items: [NewItem], in batch: BatchID, _ own: Worker, _ db: Database
    ) throws -> [[SubmissionID]] {
        if let me = own.registered { try Self.beat(me, db) }
        let now = Timestamp.now.nanoseconds
        let lastItem = try Self.insert(try items.map { try $0.row(in: batch) }, into: "item", NewItem.columns, db)
        var item = lastItem - Int64(items.count)
        var owed: [StatementArguments] = []
        var removals: [StatementArguments] = []
        for new in items {
            item += 1
            if let removal = new.removal { removals.append([item, batch, removal.copies, removal.manner.rawValue]) }
            owed += new.submissions.map { $0.row(of: item, in: batch, now) }
        }
        if !removals.isEmpty { _ = try Self.insert(removals, into: "removal", ["item", "batch", "copies", "manner"], db) }
        let lastOwed = try Self.insert(owed, into: "submission", NewSubmission.columns, db)
        var next = lastOwed - Int64(owed.count) + 1
        return items.map { new in
            defer { next += Int64(new.submissions.count) }
            return Array(next..<next + Int64(new.submissions.count))
        }
        }

    /// Inserts rows, several with one statement: one for each takes nearly twice the time.
    ///
    /// - Returns: the last row's id. Those before it have the numbers before: nobody else writes meanwhile.
    private static func insert(
        _ rows: [StatementArguments], into table: String, _ columns: [String], _ db: Database
    ) throws -> Int64 {
        func statement(rows count: Int) throws -> Statement {
            let row = "(\(repeatElement("?", count: columns.count).joined(separator: ",")))"
            return try db.cachedStatement(
                sql: """
                    INSERT INTO \(table) (\(columns.joined(separator: ",")))
                    VALUES \(repeatElement(row, count: count).joined(separator: ","))
                    """)
        }
        let (one, several) = (try statement(rows: 1), try statement(rows: 16))
        var rest = rows[...]
        while !rest.isEmpty {
            let (statement, count) = rest.count < 16 ? (one, 1) : (several, 16)
            try statement.execute(arguments: rest.prefix(count).reduce(into: StatementArguments()) { $0 += $1 })
            rest = rest.dropFirst(count)
        }
        return db.lastInsertedRowID
    }

    /// Notes that everything that was asked for has been accepted or refused. The batch is complete when nothing else of
    /// it is being accepted.
    ///
    /// - Parameter acceptance: what has come to its end; `nil` where nothing was written down of it.
    package func seal(_ batch: BatchID, _ acceptance: AcceptanceID? = nil) async throws(JournalFailure) {
        if let acceptance { accepting.withLock { _ = $0.remove(acceptance) } }
        try await write { db in
            try db.execute(sql: "DELETE FROM acceptance WHERE id = ?", arguments: [acceptance])
            try db.execute(
                sql: """
                    UPDATE batch SET sealed = 1
                    WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM acceptance WHERE batch = ?1)
                    """, arguments: [batch])
        }
    }
}

/// What was asked for in a batch and is not accepted to its end.
package struct OpenAcceptance: Sendable {
    package let id: AcceptanceID
    package let batch: BatchID
    /// In words of the caller's own.
    package let request: String
    /// The last item of the journal when it began: none of its own is as old.
    package let after: ItemID

    fileprivate static func fetch(
        _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [OpenAcceptance] {
        try Row.fetchAll(
            db, sql: "SELECT id, batch, request, after FROM acceptance WHERE \(condition) ORDER BY id", arguments: arguments
        ).map { OpenAcceptance(id: $0[0], batch: $0[1], request: $0[2], after: $0[3]) }
    }
}

extension NewItem {
    fileprivate static let columns = [
        "batch", "path", "name", "size", "modified", "inode", "device", "kind", "mime", "extension", "captured",
        "caption", "tags", "sha256", "sha1", "md5", "crc32c",
    ]

    /// The values of ``columns``.
    fileprivate func row(in batch: BatchID) throws -> StatementArguments {
        func digest(_ algorithm: DigestAlgorithm) -> Data? { item.digests[algorithm].map { Data($0) } }
        let tags = item.tags.isEmpty ? nil : String(decoding: try JSONEncoder().encode(item.tags), as: UTF8.self)
        return [
            batch, item.source.bytes, item.name, item.size, identity.modified.nanoseconds,
            Int64(bitPattern: identity.inode), Int64(bitPattern: identity.device),
            item.type.kind.rawValue, item.type.mime, item.type.filenameExtension,
            item.captured?.description, item.caption, tags,
            digest(.sha256), digest(.sha1), digest(.md5), digest(.crc32c),
        ]
    }
}

extension NewSubmission {
    fileprivate static let columns = [
        "batch", "item", "destination", "album", "conflict", "verify", "state", "settled", "code", "sentence",
    ]

    /// The values of ``columns``.
    fileprivate func row(of item: ItemID, in batch: BatchID, _ now: Int64) -> StatementArguments {
        let state = refusal == nil ? SubmissionState.queued : .failed
        return [
            batch, item, destination, album, onConflict.rawValue,
            verification == .usual ? nil : verification.rawValue, state.rawValue, refusal == nil ? nil : now,
            refusal?.code, refusal?.message,
        ]
    }
}
