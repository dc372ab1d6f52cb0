internal import Foundation
internal import GRDB
package import Submit
package import SubmitStore
package import SystemPackage

extension Journal {
    package func begin(_ file: NewIncomingFile) async throws(SubmitFailure) -> BegunFile {
        try await write { [clock] db in
            if let before = try IncomingFile.fetch(db, "id = ?", [file.id.rawValue]).first { return .begun(before) }
            let now = clock()
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT invite.id, invite.state, session.state, session.expires, files, bytes,
                            (SELECT count(*) FROM incoming_file WHERE session = session.id AND state < 2)
                        FROM receiving_session AS session JOIN invite ON invite.id = session.invite WHERE session.id = ?
                        """), arguments: [file.session.rawValue])
            guard let row, try row.value(1) as InviteRecord.State != .revoked,
                try row.value(2) as ReceivingSession.State == .open, try now.nanoseconds < row.value(3)
            else { return .closed }
            let (files, bytes, open): (Int, Int64, Int) = (
                try row.amount(4), try row.amount(5), try row.amount(6)
            )
            if let most = file.mostFiles, files >= most { return .tooManyFiles }
            if let most = file.mostBytes, bytes + (file.length ?? 1) > most {
                return .tooManyBytes(left: max(0, most - bytes))
            }
            if open >= file.mostOpen { return .tooManyOpen }
            try db.cachedStatement(
                sql: """
                    INSERT INTO incoming_file
                        (id, session, invite, name, folder, length, type, modified, promised, expires, sha256, state, offset)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                file.id.rawValue, file.session.rawValue, try row.value(0) as String, file.name, file.folder,
                file.length,
                file.toldType, file.modified?.nanoseconds, file.promised.map { Data($0) },
                now.advanced(by: file.life).nanoseconds, file.whole.map { Data($0) },
                (file.whole == nil ? IncomingFile.State.receiving : .whole).rawValue,
                file.whole == nil ? 0 : file.length,
            ])
            return try IncomingFile.fetch(db, "id = ?", [file.id.rawValue]).first.map { .begun($0) } ?? .closed
        }
    }

    package func incomingFile(_ id: IncomingFileID) async throws(SubmitFailure) -> IncomingFile? {
        try glance { db in try IncomingFile.fetch(db, "id = ?", [id.rawValue]).first }
    }

    package func incomingFiles(of session: SessionID) async throws(SubmitFailure) -> [IncomingFile] {
        try await read { db in try IncomingFile.fetch(db, "session = ? ORDER BY number", [session.rawValue]) }
    }

    package func openIncomingFiles() async throws(SubmitFailure) -> [IncomingFile] {
        try await read { db in try IncomingFile.fetch(db, "state < 2 ORDER BY number", []) }
    }

    package func advance(
        _ file: IncomingFileID, to offset: Int64, life: Duration
    ) async throws(SubmitFailure) -> Bool {
        try await write { [clock] db in
            try db.cachedStatement(
                sql: "UPDATE incoming_file SET offset = ?, expires = max(expires, ?) WHERE id = ? AND state = 0"
            ).execute(arguments: [offset, clock().advanced(by: life).nanoseconds, file.rawValue])
            return db.changesCount == 1
        }
    }

    package func completeFile(
        _ file: IncomingFileID, length: Int64, digest: [UInt8], kept: FilePath?, mostBytes: Int64?
    ) async throws(SubmitFailure) -> Bool {
        try await write { db in
            try db.cachedStatement(
                sql: """
                    UPDATE incoming_file SET state = 1, length = ?1, offset = ?1, sha256 = ?2, kept = ?3
                    WHERE id = ?4 AND state < 2 AND (length IS NOT NULL OR ?5 IS NULL
                        OR (SELECT bytes FROM invite WHERE invite.id = incoming_file.invite) + ?1 <= ?5)
                    """
            ).execute(arguments: [length, Data(digest), kept?.bytes, file.rawValue, mostBytes])
            return db.changesCount == 1
        }
    }

    package func arrive(_ files: [IncomingFile], in batch: BatchID) async throws(SubmitFailure) {
        try await write { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE incoming_file SET state = 2, batch = ?1, length = ?2, offset = ?2, sha256 = ?3, code = NULL,
                        sentence = NULL
                    WHERE id = ?4 AND state <> 2
                    """)
            for file in files {
                try statement.execute(
                    arguments: [
                        batch.rawValue, file.length ?? file.offset, file.digest.map { Data($0) }, file.id.rawValue,
                    ])
            }
            let sessions = Set(files.map(\.session.rawValue))
            for session in sessions {
                try db.cachedStatement(sql: "UPDATE receiving_session SET batch = ifnull(batch, ?) WHERE id = ?")
                    .execute(arguments: [batch.rawValue, session])
            }
        }
    }

    package func end(
        _ file: IncomingFileID, as state: IncomingFile.State, _ refusal: (code: String, sentence: String)?
    ) async throws(SubmitFailure) -> IncomingFile? {
        try await write { db in
            try db.cachedStatement(
                sql: "UPDATE incoming_file SET state = ?, code = ?, sentence = ? WHERE id = ? AND state < 2"
            ).execute(arguments: [state.rawValue, refusal?.code, refusal?.sentence, file.rawValue])
            return try IncomingFile.fetch(db, "id = ?", [file.rawValue]).first
        }
    }

    package func expireIncomingFiles() async throws(SubmitFailure) -> [IncomingFileID] {
        try await write { [clock] db in
            // One that is whole is being accepted, and comes to an end by that.
            try String.readAll(
                db,
                sql: """
                    UPDATE incoming_file SET state = ?1
                    WHERE state < 2 AND state = 0 AND (expires <= ?2
                        OR session IN (SELECT id FROM receiving_session WHERE expires <= ?2))
                    RETURNING id
                    """, arguments: [IncomingFile.State.expired.rawValue, clock().nanoseconds]
            ).map(IncomingFileID.init(rawValue:))
        }
    }

    package func proven(
        _ digests: [[UInt8]], at places: [String: Int64]
    ) async throws(SubmitFailure) -> Set<[UInt8]> {
        if digests.isEmpty || places.isEmpty { return [] }
        try await indexDigests()
        return try await read { db in
            let skipped = OldHistory.skipped("submission")
            let statement = try db.cachedStatement(
                sql: """
                    SELECT DISTINCT destination, place FROM item CROSS JOIN submission ON submission.item = item.id
                    WHERE substr(sha256, 1, 6) = ? AND sha256 = ? AND +submission.state = 2 AND NOT \(skipped)
                        AND disproved IS NULL AND evidence = 'verified' AND ifnull(recipe, 'original') = 'original'
                    """)
            return try Set(
                digests.filter { digest in
                    let rows = try Row.fetchAll(statement, arguments: [Data(digest.prefix(6)), Data(digest)])
                    return try places.allSatisfy { name, place in
                        try rows.contains { try $0.value(0) == name && ($0.value(1) as Int64?) == place }
                    }
                })
        }
    }
}

// MARK: What of the spool is needed

extension Journal {
    enum ReceivedFile {
        /// Bytes of it are missing, or it is being accepted.
        case unfinished
        case arrived
    }

    /// Whether a file of the spool is one that somebody sent in; `nil` for all others, and for one that was not taken.
    static func isReceived(_ name: String, _ db: Database) throws -> ReceivedFile? {
        let state = try IncomingFile.State.readOne(
            db, sql: "SELECT state FROM incoming_file WHERE id = ?", arguments: [name])
        switch state {
        case .receiving?, .whole?: return .unfinished
        case .arrived?: return .arrived
        default: return nil
        }
    }

    /// Of an item that was sent in: something of it is done, and there is a copy that nobody has proven yet, or no copy of
    /// the original at all. Its sender may have no other by now.
    static let lacksProof = """
        EXISTS (SELECT 1 FROM submission WHERE submission.item = item.id AND state = 2
                AND ifnull(recipe, 'original') = 'original' AND evidence <> 'verified')
        OR EXISTS (SELECT 1 FROM submission WHERE submission.item = item.id AND state = 2)
        AND NOT EXISTS (SELECT 1 FROM submission WHERE submission.item = item.id AND state = 2
                AND ifnull(recipe, 'original') = 'original' AND evidence = 'verified')
        """
}

extension IncomingFile {
    static func fetch(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [IncomingFile] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, session, invite, name, folder, length, offset, type, modified, promised, expires, state,
                        batch, kept, sha256, code, sentence
                    FROM incoming_file WHERE \(condition)
                    """), arguments: arguments
        ).map { row in
            try IncomingFile(
                id: IncomingFileID(rawValue: row.value(0)), session: row.value(1),
                invite: InviteID(rawValue: row.value(2)),
                name: row.value(3), folder: row.value(4), length: (row.value(5) as Int64?).map(Amount.checked),
                offset: row.amount(6),
                toldType: row.value(7),
                modified: (row.value(8) as Int64?).map(Timestamp.init(nanoseconds:)),
                promised: (row.value(9) as Data?).map { Array($0) }, expires: Timestamp(nanoseconds: row.value(10)),
                state: row.value(11), batch: row.value(12),
                kept: (row.value(13) as Data?).map(FilePath.init(bytes:)),
                digest: (row.value(14) as Data?).map { Array($0) },
                code: row.value(15), sentence: row.value(16))
        }
    }

    /// Cancels those that are open.
    static func cancel(
        where condition: String, _ arguments: StatementArguments, _ db: Database
    ) throws -> [IncomingFileID] {
        try String.readAll(
            db,
            sql: """
                UPDATE incoming_file SET state = \(State.cancelled.rawValue) WHERE state < 2 AND \(condition) RETURNING id
                """, arguments: arguments
        ).map(IncomingFileID.init(rawValue:))
    }
}
