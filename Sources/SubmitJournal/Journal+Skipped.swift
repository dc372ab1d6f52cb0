internal import GRDB
public import Submit

extension Journal {
    /// Of a submission; see ``Receipt/isOfSkipped``. In words of the index `submission_skipped`: of those that are done there may
    /// be very many.
    static let isSkipped = "submission.state = 2 AND \(OldHistory.skipped("submission"))"

    public func skipped(_ batches: [BatchID]) async throws(SubmitFailure) -> [SkippedTally] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT destination, count(*), sum(item.size)
                    FROM submission JOIN item ON item.id = submission.item
                    WHERE \(Self.isSkipped) AND submission.batch IN (\(batches.map(\.description).joined(separator: ",")))
                    GROUP BY 1 ORDER BY 1
                    """
            ).map { try SkippedTally(destination: $0.value(0), count: $0.amount(1), bytes: $0.amount(2)) }
        }
    }
}
