internal import Foundation
internal import GRDB
package import Submit
package import SubmitStore

extension Journal {
    package func addInvite(_ invite: NewInvite) async throws(SubmitFailure) -> Bool {
        try await write { [clock] db in
            let now = clock()
            try db.execute(
                sql: "INSERT OR IGNORE INTO invite (id, secret, terms, created, expires) VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    invite.id.rawValue, Data(invite.secretDigest), invite.terms, now.nanoseconds,
                    now.advanced(by: invite.life).nanoseconds,
                ])
            // It may have been written down by the asking before this one.
            return try Data.readOne(db, sql: "SELECT secret FROM invite WHERE id = ?", arguments: [invite.id.rawValue])
                == Data(invite.secretDigest)
        }
    }

    package func invites(_ id: InviteID?) async throws(SubmitFailure) -> [InviteRecord] {
        try await read { [clock] db in
            let now = clock()
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT id, secret, terms, created, expires, state, wrong, files, bytes FROM invite
                    WHERE id = ifnull(?, id) ORDER BY created DESC, id
                    """, arguments: [id?.rawValue]
            ).map { try InviteRecord($0, now) }
        }
    }

    package func noteWrongSecret(for invite: InviteID) async throws(SubmitFailure) {
        try await write { db in
            try db.execute(sql: "UPDATE invite SET wrong = wrong + 1 WHERE id = ?", arguments: [invite.rawValue])
        }
    }

    package func revoke(_ invite: InviteID) async throws(SubmitFailure) -> [IncomingFileID] {
        try await write { db in
            try db.execute(
                sql: "UPDATE invite SET state = ? WHERE id = ?",
                arguments: [InviteRecord.State.revoked.rawValue, invite.rawValue])
            try db.execute(
                sql: "UPDATE receiving_session SET state = ? WHERE invite = ? AND state IN (0, 1)",
                arguments: [ReceivingSession.State.ended.rawValue, invite.rawValue])
            return try IncomingFile.cancel(
                where: "session IN (SELECT id FROM receiving_session WHERE invite = ?)", [invite.rawValue], db)
        }
    }

    package func forgetInvites(endedFor life: Duration) async throws(SubmitFailure) {
        try await write { [clock] db in
            let over = clock().advanced(by: .zero - life).nanoseconds
            let forgotten = try String.readAll(
                db,
                sql: """
                    SELECT id FROM invite WHERE expires <= ?1
                        AND NOT EXISTS (SELECT 1 FROM receiving_session AS session
                            WHERE session.invite = invite.id AND session.expires > ?1)
                        AND NOT EXISTS (SELECT 1 FROM incoming_file AS file WHERE file.invite = invite.id AND file.state <= 2)
                    """, arguments: [over])
            for table in ["incoming_file", "receiving_session"] {
                let statement = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE invite = ?")
                for id in forgotten { try statement.execute(arguments: [id]) }
            }
            for id in forgotten { try db.execute(sql: "DELETE FROM invite WHERE id = ?", arguments: [id]) }
        }
    }

    package func spend(_ invite: InviteID) async throws(SubmitFailure) {
        try await write { db in
            try db.execute(
                sql: "UPDATE invite SET state = ? WHERE id = ? AND state IN (0, 1)",
                arguments: [InviteRecord.State.spent.rawValue, invite.rawValue])
        }
    }
}

extension InviteRecord {
    fileprivate init(_ row: Row, _ now: Timestamp) throws {
        let expires = try Timestamp(nanoseconds: row.value(4))
        try self.init(
            id: InviteID(rawValue: row.value(0)), secretDigest: Array(row.value(1) as Data), terms: row.value(2),
            created: Timestamp(nanoseconds: row.value(3)), expires: expires, isExpired: !(now < expires),
            state: row.value(5), wrongSecrets: row.amount(6), files: row.amount(7),
            bytes: row.amount(8))
    }
}
