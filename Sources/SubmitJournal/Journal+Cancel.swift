internal import GRDB
internal import Submit

/// Which submissions a command speaks of. All conditions hold together; none speaks of all.
public struct SubmissionSelection: Sendable, Hashable {
    public var batch: BatchID?
    public var destination: String?
    public var submission: SubmissionID?

    public init(batch: BatchID? = nil, destination: String? = nil, submission: SubmissionID? = nil) {
        self.batch = batch
        self.destination = destination
        self.submission = submission
    }

    var condition: (sql: String, arguments: StatementArguments) { condition(table: "submission") }

    func condition(table: String) -> (sql: String, arguments: StatementArguments) {
        var parts = ["1"]
        var arguments = StatementArguments()
        if let batch {
            parts.append("\(table).batch = ?")
            arguments += [batch]
        }
        if let destination {
            parts.append("\(table).destination = ?")
            arguments += [destination]
        }
        if let submission {
            parts.append("\(table).id = ?")
            arguments += [submission]
        }
        return (parts.joined(separator: " AND "), arguments)
    }
}

/// What a cancel did.
public struct Cancellation: Sendable, Hashable {
    /// Cancelled at once.
    public var cancelled: [SubmissionID]
    /// Being sent by a living process, which has been told.
    public var told: [SubmissionID]
    /// Of ``cancelled`` those that were tried before, so that something may be left at their destination.
    public var tried: [SubmissionID]
    /// How many sources that were to be removed stay.
    public var keptSources = 0
    /// How many acceptances were ended before all that was asked for was accepted; whoever is at one stops.
    public var endedAcceptances = 0
}

extension Journal {
    /// Cancels what is owed. What another process sends at this moment is marked, and that process breaks it off.
    ///
    /// With a whole batch, or everything, nothing more is accepted of what was asked for, and the wish to remove sources is
    /// taken back; those that are being removed go.
    package func cancel(_ selection: SubmissionSelection) async throws(JournalFailure) -> Cancellation {
        try await recover()
        let (condition, arguments) = selection.condition
        return try await write { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    UPDATE submission SET state = 4, settled = ?, code = NULL, sentence = NULL
                    WHERE state = 0 AND \(condition) RETURNING id, tries
                    """, arguments: [Timestamp.now.nanoseconds] + arguments)
            let told = try Int64.fetchAll(
                db, sql: "UPDATE submission SET cancel = 1 WHERE state = 1 AND \(condition) RETURNING id",
                arguments: arguments)
            var (keptSources, endedAcceptances) = (0, 0)
            if selection.destination == nil, selection.submission == nil {
                // In words of the index: of those that are settled there may be very many.
                try db.execute(
                    sql: """
                        DELETE FROM removal WHERE state < 2 AND state = 0 AND claimed_by IS NULL
                            \(selection.batch == nil ? "" : "AND batch = ?")
                        """, arguments: selection.batch.map { [$0] } ?? [])
                keptSources = db.changesCount
                // What is not accepted yet is not to be.
                let batches = try BatchID.fetchAll(
                    db, sql: "DELETE FROM acceptance \(selection.batch == nil ? "" : "WHERE batch = ?") RETURNING batch",
                    arguments: selection.batch.map { [$0] } ?? [])
                for batch in Set(batches) {
                    try db.execute(sql: "UPDATE batch SET sealed = 1 WHERE id = ?", arguments: [batch])
                }
                endedAcceptances = batches.count
            }
            return Cancellation(
                cancelled: rows.map { $0[0] }.sorted(), told: told.sorted(),
                tried: rows.filter { $0[1] as Int > 0 }.map { $0[0] }.sorted(), keptSources: keptSources,
                endedAcceptances: endedAcceptances)
        }
    }

    /// Owes failed submissions again, with all their attempts. Those that may have arrived all the same are left as they
    /// are, unless one is named by its number: sent again they might be there twice.
    ///
    /// - Returns: how many.
    package func retry(_ selection: SubmissionSelection) async throws(JournalFailure) -> Int {
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

    /// Owes again, with all their attempts, submissions to these destinations that failed because nothing came through,
    /// and perhaps for no fault of their own.
    ///
    /// - Parameter batches: those of these; of all where there are none.
    /// - Returns: how many.
    package func takeUp(_ batches: [BatchID], at destinations: [String]) async throws(JournalFailure) -> Int {
        let chosen = batches.isEmpty ? "" : "AND batch IN (\(batches.map(String.init).joined(separator: ",")))"
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

    /// How many failed submissions may have arrived all the same.
    public func unknownOutcomes(_ selection: SubmissionSelection) throws(JournalFailure) -> Int {
        let (condition, arguments) = selection.condition
        return try read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM submission WHERE state = 3 AND code = ? AND \(condition)",
                arguments: [SubmitFailure.outcomeUnknownCode] + arguments) ?? 0
        }
    }

    /// Those of a worker's submissions that someone wants broken off.
    package func cancelledClaims(of worker: Worker) throws(JournalFailure) -> [SubmissionID] {
        guard let worker = worker.registered else { return [] }
        return try read { db in
            try Int64.fetchAll(
                db, sql: "SELECT id FROM submission WHERE state = 1 AND cancel = 1 AND claimed_by = ?", arguments: [worker])
        }
    }

    /// Watches for what other processes write.
    ///
    /// - Returns: a number that is another one whenever some other process has written since.
    package func version() async throws(JournalFailure) -> Int64 {
        try await foreignVersion()
    }
}
