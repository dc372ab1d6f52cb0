internal import GRDB
public import Submit

extension Journal {
    public func latest(
        at destination: String, in batch: BatchID?, of batches: [BatchID], after: SubmissionID?, limit: Int
    ) async throws(SubmitFailure) -> [SubmissionRecord] {
        let inBatch = batch.map { "AND submission.batch = \($0)" } ?? ""
        let inBatches =
            batches.isEmpty ? "" : "AND other.batch IN (\(batches.map(\.description).joined(separator: ",")))"
        let (own, others) = (OldHistory.skipped("submission"), OldHistory.skipped("other"))
        // One that was lost and waits again, or failed, stands for the copy that it was.
        let condition = """
            submission.id > ? AND submission.destination = ? \(inBatch)
                AND NOT (submission.state = 2 AND submission.remote_id IS NOT NULL AND EXISTS (
                    SELECT 1 FROM item AS next JOIN submission AS other ON other.item = next.id
                    WHERE next.path = item.path AND next.id >= item.id AND other.id > submission.id
                        AND other.destination = submission.destination \(inBatches)
                        AND (other.state = 2 AND other.remote_id = submission.remote_id AND \(own) = \(others)
                            OR other.state IN (0, 1, 3) AND EXISTS (
                                SELECT 1 FROM attempt WHERE attempt.submission = other.id
                                    AND attempt.outcome IN ('vanished', 'changed')))))
            ORDER BY submission.id LIMIT ?
            """
        return try await read { db in
            try SubmissionRecord.fetch(db, where: condition, [after?.rawValue ?? 0, destination, limit])
        }
    }
}
