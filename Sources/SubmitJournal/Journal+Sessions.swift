internal import Foundation
internal import GRDB
package import Submit
package import SubmitStore

extension Journal {
    package func openSession(_ session: NewSession) async throws(SubmitFailure) -> OpenedSession {
        try await write { [clock] db in
            let now = clock()
            let invite = try Row.fetchOne(
                db, sql: "SELECT state, wrong, expires FROM invite WHERE id = ?", arguments: [session.invite.rawValue])
            guard let invite else { return .unknown }
            let state: InviteRecord.State = try invite.value(0)
            if try invite.value(1) >= session.mostWrongSecrets { return .locked }
            if state == .revoked { return .revoked }
            let former = try Int64.readOne(
                db,
                sql: """
                    SELECT id FROM receiving_session
                    WHERE invite = ? AND (token = ? OR attempt = ?) AND state IN (0, 1) ORDER BY id DESC LIMIT 1
                    """,
                arguments: [
                    session.invite.rawValue, Data(session.tokenDigest), session.attemptDigest.map { Data($0) },
                ])
            if let former {
                try db.execute(
                    sql: "UPDATE receiving_session SET token = ? WHERE id = ?",
                    arguments: [Data(session.tokenDigest), former])
                return try ReceivingSession.fetch(db, "id = ?", [former], now).first.map { .opened($0) } ?? .unknown
            }
            if state == .spent { return .spent }
            if state == .claimed { return .claimed }
            if try now.nanoseconds >= invite.value(2) { return .expired }
            try db.execute(
                sql: """
                    INSERT INTO receiving_session (invite, token, attempt, device, created, expires, state, words)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    session.invite.rawValue, Data(session.tokenDigest), session.attemptDigest.map { Data($0) },
                    session.device, now.nanoseconds, now.advanced(by: session.life).nanoseconds,
                    (session.words.isEmpty ? ReceivingSession.State.open : .unconfirmed).rawValue,
                    session.words.joined(separator: " "),
                ])
            let id = db.lastInsertedRowID
            if session.isOnce {
                try db.execute(
                    sql: "UPDATE invite SET state = ? WHERE id = ?",
                    arguments: [InviteRecord.State.claimed.rawValue, session.invite.rawValue])
            }
            return try ReceivingSession.fetch(db, "id = ?", [id], now).first.map { .opened($0) } ?? .unknown
        }
    }

    package func session(ofToken digest: [UInt8]) async throws(SubmitFailure) -> ReceivingSession? {
        try glance { db in try ReceivingSession.fetch(db, "token = ?", [Data(digest)], clock()).first }
    }

    package func sessions(of invite: InviteID) async throws(SubmitFailure) -> [ReceivingSession] {
        try await read { [clock] db in
            try ReceivingSession.fetch(db, "invite = ? ORDER BY id", [invite.rawValue], clock())
        }
    }

    package func move(
        _ session: SessionID, to state: ReceivingSession.State
    ) async throws(SubmitFailure) -> [IncomingFileID] {
        try await write { db in
            let from = state == .ended ? "state IN (0, 1)" : "state = 0"
            try db.execute(
                sql: "UPDATE receiving_session SET state = ? WHERE id = ? AND \(from)",
                arguments: [state.rawValue, session.rawValue])
            if state == .declined, db.changesCount > 0 {
                try db.execute(
                    sql: """
                        UPDATE invite SET state = 0
                        WHERE state = 1 AND id = (SELECT invite FROM receiving_session WHERE id = ?)
                        """, arguments: [session.rawValue])
            }
            if state == .open || state == .unconfirmed { return [] }
            return try IncomingFile.cancel(
                where: "session = (SELECT id FROM receiving_session WHERE id = ? AND state > 1)", [session.rawValue], db
            )
        }
    }
}

extension ReceivingSession {
    fileprivate static func fetch(
        _ db: Database, _ condition: String, _ arguments: StatementArguments, _ now: Timestamp
    ) throws -> [ReceivingSession] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT id, invite, device, created, expires, state, words, batch FROM receiving_session
                WHERE \(condition)
                """, arguments: arguments
        ).map { row in
            let expires = try Timestamp(nanoseconds: row.value(4))
            return try ReceivingSession(
                id: row.value(0), invite: InviteID(rawValue: row.value(1)), device: row.value(2),
                created: Timestamp(nanoseconds: row.value(3)), expires: expires, isExpired: !(now < expires),
                state: row.value(5),
                words: (row.value(6) as String).split(separator: " ").map(String.init), batch: row.value(7))
        }
    }
}
