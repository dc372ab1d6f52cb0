internal import GRDB
public import Submit

extension Journal {
    package func cancel(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Cancellation {
        try await sweep()
        let (condition, arguments) = selection.condition
        let cancellation = try await write { [clock] db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    UPDATE submission SET state = 4, settled = ?, code = NULL, sentence = NULL
                    WHERE state = 0 AND \(condition) RETURNING id, tries
                    """, arguments: [clock().nanoseconds] + arguments)
            let told = try SubmissionID.readAll(
                db, sql: "UPDATE submission SET cancel = 1 WHERE state = 1 AND \(condition) RETURNING id",
                arguments: arguments)
            var (keptSources, endedAcceptances) = (0, 0)
            if selection.destination == nil, selection.submission == nil {
                // In words of the index: of those that are settled there may be very many.
                try db.execute(
                    sql: """
                        DELETE FROM removal WHERE state < 2 AND state = 0 AND claimed_by IS NULL
                            \(selection.batch == nil ? "" : "AND batch = ?")
                        """, arguments: selection.batch.map { [$0.rawValue] } ?? [])
                keptSources = db.changesCount
                // What is not accepted yet is not to be.
                let batches = try BatchID.readAll(
                    db,
                    sql: "DELETE FROM acceptance \(selection.batch == nil ? "" : "WHERE batch = ?") RETURNING batch",
                    arguments: selection.batch.map { [$0.rawValue] } ?? [])
                for batch in Set(batches) {
                    try db.execute(sql: "UPDATE batch SET complete = 1 WHERE id = ?", arguments: [batch.rawValue])
                }
                endedAcceptances = batches.count
            }
            return Cancellation(
                cancelled: try rows.map { try $0.value(0) }.sorted(), told: told.sorted(),
                tried: try rows.filter { try $0.value(1) as Int > 0 }.map { try $0.value(0) }.sorted(),
                keptSources: keptSources,
                endedAcceptances: endedAcceptances)
        }
        own.controls?.increase()
        return cancellation
    }

    package func retry(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        let (condition, arguments) = selection.condition
        return try await write { db in
            try db.execute(
                sql: """
                    UPDATE submission SET state = 0, failures = 0, fault = 0, not_before = 0, settled = NULL
                    WHERE state = 3 AND (? OR code IS NOT ?) AND \(condition)
                    """,
                arguments: [selection.submission != nil, SubmitFailure.outcomeUnknownCode] + arguments)
            return db.changesCount
        }
    }

    package func takeUp(_ batches: [BatchID], at destinations: [String]) async throws(SubmitFailure) -> Int {
        let chosen = batches.isEmpty ? "" : "AND batch IN (\(batches.map(\.description).joined(separator: ",")))"
        return try await write { db in
            var count = 0
            for name in destinations {
                try db.execute(
                    sql: """
                        UPDATE submission SET state = 0, failures = 0, fault = 0, not_before = 0, settled = NULL
                        WHERE state = 3 AND fault > 0 AND +destination = ? \(chosen)
                        """, arguments: [name])
                count += db.changesCount
            }
            return count
        }
    }

    public func unknownOutcomes(_ selection: SubmissionSelection) async throws(SubmitFailure) -> Int {
        let (condition, arguments) = selection.condition
        return try await read { db in
            try Int.readOne(
                db, sql: "SELECT count(*) FROM submission WHERE state = 3 AND code = ? AND \(condition)",
                arguments: [SubmitFailure.outcomeUnknownCode] + arguments) ?? 0
        }
    }
}
