internal import Submit
internal import SubmitJournal

extension StoreReadings {
    /// - Throws: for a batch that there is not.
    func check(_ batches: [BatchID]) async throws {
        let known = Set(try await self.batches(batches).map(\.id))
        for batch in batches where !known.contains(batch) {
            throw SubmitFailure(
                .giveUp, code: "unknown-batch",
                message: "There is no batch \(batch); `submit status` shows the last ones.")
        }
    }

    /// - Throws: for a batch or a submission that there is not, and for a submission that is not of the batch or the
    ///   destination named with it.
    func check(_ selection: SubmissionSelection) async throws {
        try await check(selection.batch.map { [$0] } ?? [])
        guard let number = selection.submission else { return }
        guard let record = try await submissions(SubmissionSelection(submission: number)).first else {
            throw SubmitFailure(
                .giveUp, code: "unknown-submission",
                message: "There is no submission \(number); `submit list` shows their numbers.")
        }
        guard try await !submissions(selection).isEmpty else {
            throw SubmitFailure(
                .giveUp, code: "unknown-submission",
                message:
                    "Submission \(number) is of batch \(record.batch) and meant for \(record.destination), not of what was named "
                    + "with it.")
        }
    }
}
