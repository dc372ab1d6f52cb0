internal import GRDB
public import Submit

extension Journal {
    /// Bytes of what is sent of a submission, in words of SQL: of its item, or of the rendition that was made of it.
    static let sentSize = """
        CASE WHEN recipe IS NOT NULL AND recipe <> 'original' THEN ifnull(rendition.size, item.size) ELSE item.size END
        """

    public func proofs(_ batches: [BatchID]) async throws(SubmitFailure) -> [ProofTally] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT destination, submission.state, item.kind, CASE submission.state WHEN 2 THEN evidence END,
                        submission.state = 2 AND was_there = 1 AND evidence = 'unknown' AND note IS NOT NULL,
                        recipe IS NOT NULL AND recipe <> 'original', count(*),
                        sum(\(Self.sentSize))
                    FROM submission JOIN item ON item.id = submission.item
                        LEFT JOIN rendition ON rendition.submission = submission.id
                    WHERE submission.batch IN (\(batches.map(\.description).joined(separator: ",")))
                    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
                    """
            ).map { row in
                try ProofTally(
                    destination: row.value(0), state: row.value(1),
                    kind: row.value(2),
                    evidence: row.value(3), isSkipped: row.value(4),
                    isRendition: row.value(5), count: row.amount(6), bytes: row.amount(7))
            }
        }
    }
}
