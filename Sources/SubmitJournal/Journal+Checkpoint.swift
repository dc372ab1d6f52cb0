internal import Foundation
internal import GRDB
package import Submit

/// A checkpoint in the journal.
package struct KeptCheckpoint: Sendable {
    package let submission: SubmissionID
    package let state: SubmissionState
    package let checkpoint: Checkpoint
}

extension Journal {
    /// Keeps a submitter's checkpoint, or forgets it.
    ///
    /// - Returns: false when the submission is no longer this claim's.
    package func keep(_ checkpoint: Checkpoint?, for claim: ClaimedSubmission) async throws(JournalFailure) -> Bool {
        let id = claim.id
        let fence = claim.fence
        return try await write { db in
            guard try Bool.fetchOne(
                db, sql: "SELECT 1 FROM submission WHERE id = ? AND fence = ? AND state = 1", arguments: [id, fence])
                != nil
            else { return false }
            if let checkpoint {
                try db.execute(
                    sql: "INSERT OR REPLACE INTO checkpoint (submission, data) VALUES (?, ?)",
                    arguments: [id, Data(checkpoint.data)])
            } else {
                try db.execute(sql: "DELETE FROM checkpoint WHERE submission = ?", arguments: [id])
            }
            return true
        }
    }

    /// The checkpoints of a destination's submissions, of one of them, or of all.
    ///
    /// A submission that failed keeps its own for a retry; one that was cancelled, until what it left is removed.
    package func checkpoints(
        destination: String, of submission: SubmissionID? = nil
    ) throws(JournalFailure) -> [KeptCheckpoint] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT submission.id, state, data FROM checkpoint
                    CROSS JOIN submission ON submission.id = checkpoint.submission
                    WHERE destination = ? AND submission.id = ifnull(?, submission.id) ORDER BY 1
                    """, arguments: [destination, submission]
            ).map { row in
                KeptCheckpoint(
                    submission: row[0], state: SubmissionState(rawValue: row[1]) ?? .failed,
                    checkpoint: Checkpoint(data: Array(row[2] as Data)))
            }
        }
    }

    /// The destinations at which a submission that has a checkpoint may have left something.
    package func checkpointNames() throws(JournalFailure) -> Set<String> {
        try read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT DISTINCT destination FROM checkpoint JOIN submission ON submission.id = checkpoint.submission
                    """)
        }
    }

    /// Forgets the checkpoint of a submission that is over: nothing of it is left at its destination.
    package func discarded(_ id: SubmissionID) async throws(JournalFailure) {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM checkpoint
                    WHERE submission = (SELECT id FROM submission WHERE id = ? AND state IN (3, 4))
                    """, arguments: [id])
        }
    }
}
