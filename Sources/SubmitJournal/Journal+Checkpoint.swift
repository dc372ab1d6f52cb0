internal import Foundation
internal import GRDB
public import Submit

extension Journal {
    package func keep(_ checkpoint: Checkpoint?, for claim: ClaimedSubmission) async throws(SubmitFailure) -> Bool {
        let id = claim.id
        let fence = claim.fence
        return try await write { db in
            guard
                try Bool.readOne(
                    db, sql: "SELECT 1 FROM submission WHERE id = ? AND fence = ? AND state = 1",
                    arguments: [id.rawValue, fence])
                    != nil
            else { return false }
            if let checkpoint {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO checkpoint (submission, data) VALUES (?, ?)",
                    arguments: [id.rawValue, Data(checkpoint.data)])
            } else {
                try db.execute(sql: "DELETE FROM checkpoint WHERE submission = ?", arguments: [id.rawValue])
            }
            return true
        }
    }

    package func checkpoints(
        destination: String, of submission: SubmissionID?
    ) async throws(SubmitFailure) -> [KeptCheckpoint] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT submission.id, state, data FROM checkpoint
                    CROSS JOIN submission ON submission.id = checkpoint.submission
                    WHERE destination = ? AND submission.id = ifnull(?, submission.id) ORDER BY 1
                    """, arguments: [destination, submission?.rawValue]
            ).map { row in
                try KeptCheckpoint(
                    submission: row.value(0), state: row.value(1),
                    checkpoint: Checkpoint(data: Array(row.value(2) as Data)))
            }
        }
    }

    public func checkpointNames() async throws(SubmitFailure) -> Set<String> {
        try await read { db in
            Set(
                try String.readAll(
                    db,
                    sql: """
                        SELECT DISTINCT destination FROM checkpoint JOIN submission ON submission.id = checkpoint.submission
                        """))
        }
    }

    package func discarded(_ id: SubmissionID) async throws(SubmitFailure) {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM checkpoint
                    WHERE submission = (SELECT id FROM submission WHERE id = ? AND state IN (3, 4))
                    """, arguments: [id.rawValue])
        }
    }
}
