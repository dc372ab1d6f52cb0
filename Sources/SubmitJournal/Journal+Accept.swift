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

    public init(item: MediaItem, identity: SourceIdentity, submissions: [NewSubmission]) {
        self.item = item
        self.identity = identity
        self.submissions = submissions
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
                arguments: [Timestamp.now.nanoseconds, try process(db), request])
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
            let insertItem = try db.cachedStatement(
                sql: """
                    INSERT INTO item (batch, path, name, size, modified, inode, device, kind, mime, extension, captured,
                        caption, tags, sha256, sha1, md5, crc32c)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            let insertSubmission = try db.cachedStatement(
                sql: """
                    INSERT INTO submission (batch, item, destination, album, conflict, verify, state, settled, code,
                        sentence)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            let now = Timestamp.now.nanoseconds
            return try items.map { new in
                let item = new.item
                func digest(_ algorithm: DigestAlgorithm) -> Data? { item.digests[algorithm].map { Data($0) } }
                let tags = item.tags.isEmpty ? nil : String(decoding: try JSONEncoder().encode(item.tags), as: UTF8.self)
                try insertItem.execute(arguments: [
                    batch, item.source.bytes, item.name, item.size, new.identity.modified.nanoseconds,
                    Int64(bitPattern: new.identity.inode), Int64(bitPattern: new.identity.device),
                    item.type.kind.rawValue, item.type.mime, item.type.filenameExtension,
                    item.captured?.description, item.caption, tags,
                    digest(.sha256), digest(.sha1), digest(.md5), digest(.crc32c),
                ])
                let itemID = db.lastInsertedRowID
                return try new.submissions.map { submission in
                    let state = submission.refusal == nil ? SubmissionState.queued : .failed
                    try insertSubmission.execute(arguments: [
                        batch, itemID, submission.destination, submission.album, submission.onConflict.rawValue,
                        submission.verification == .usual ? nil : submission.verification.rawValue, state.rawValue, submission.refusal == nil ? nil : now,
                        submission.refusal?.code, submission.refusal?.sentence,
                    ])
                    return db.lastInsertedRowID
                }
            }
        }
    }

    /// Notes that everything the user asked for in this batch has been accepted or refused.
    public func seal(_ batch: BatchID) async throws(JournalFailure) {
        try await write { db in
            try db.execute(sql: "UPDATE batch SET sealed = 1, request = NULL WHERE id = ?", arguments: [batch])
        }
    }
}
