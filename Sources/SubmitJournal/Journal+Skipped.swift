internal import GRDB
public import Submit

extension Journal {
    public func skipped(_ batches: [BatchID]) async throws(SubmitFailure) -> [SkippedTally] {
        // In words of the index: of those that are done there may be very many.
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT destination, count(*), sum(item.size)
                    FROM submission JOIN item ON item.id = submission.item
                    WHERE submission.state = 2 AND was_there = 1 AND evidence = 'unknown'
                        AND note IS NOT NULL AND submission.batch IN (\(batches.map(\.description).joined(separator: ",")))
                    GROUP BY 1 ORDER BY 1
                    """
            ).map { SkippedTally(destination: $0[0], count: $0[1], bytes: $0[2]) }
        }
    }
}
