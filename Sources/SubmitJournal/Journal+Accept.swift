public import Submit
internal import Foundation
internal import GRDB
public import SystemPackage

/// A media item to accept, with what is owed of it to whom.
public struct NewItem: Sendable {
    public var item: MediaItem
    public var identity: SourceIdentity
    /// One for each destination.
    public var submissions: [NewSubmission]
    /// When the source is to be removed; `nil`: never.
    public var removal: SourceRemoval?

    public init(
        item: MediaItem, identity: SourceIdentity, submissions: [NewSubmission], removal: SourceRemoval? = nil
    ) {
        self.item = item
        self.identity = identity
        self.submissions = submissions
        self.removal = removal
    }
}

/// What is owed of an item to one destination.
public struct NewSubmission: Sendable {
    public var destination: String
    public var album: String?
    public var onConflict: ConflictPolicy
    public var verification: Verification
    /// Why it is known beforehand that the destination will not take it. It is written down as failed.
    public var refusal: SubmitFailure?

    public init(
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
    /// Begins a batch that this process works on.
    ///
    /// - Parameter request: what was asked for, in words of the caller's own: from it an acceptance that is cut off can
    ///   be completed.
    public func begin(request: String? = nil) async throws(JournalFailure) -> BatchID {
        try await write { [self] db in
            try db.execute(
                sql: "INSERT INTO batch (created, runner, request) VALUES (?, ?, ?)",
                arguments: [Timestamp.now.nanoseconds, try worker(db), request])
            return db.lastInsertedRowID
        }
    }

    /// What was asked for in a batch whose acceptance was cut off; `nil` for one that is complete.
    public func openRequest(of batch: BatchID) throws(JournalFailure) -> String? {
        try read { db in
            try String.fetchOne(db, sql: "SELECT request FROM batch WHERE id = ? AND sealed = 0", arguments: [batch])
        }
    }

    /// The sources of the items that a batch has.
    public func sources(of batch: BatchID) throws(JournalFailure) -> Set<FilePath> {
        try read { db in
            let rows = try Data.fetchCursor(db, sql: "SELECT path FROM item WHERE batch = ?", arguments: [batch])
            var sources: Set<FilePath> = []
            while let path = try rows.next() { sources.insert(FilePath(bytes: path)) }
            return sources
        }
    }

    /// Writes down items and what is owed of them. On return they are accepted.
    ///
    /// - Returns: for each item the ids of its submissions, in the given order.
    public func accept(_ items: [NewItem], in batch: BatchID) async throws(JournalFailure) -> [[SubmissionID]] {
        try await write { db in
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

    /// Notes that everything the user asked for in this batch has been accepted or refused.
    public func seal(_ batch: BatchID) async throws(JournalFailure) {
        try await write { db in
            try db.execute(sql: "UPDATE batch SET sealed = 1, request = NULL WHERE id = ?", arguments: [batch])
        }
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
            refusal?.code, refusal?.sentence,
        ]
    }
}
