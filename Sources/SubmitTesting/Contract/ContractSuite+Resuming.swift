internal import Submit

extension ContractSuite {
    static let resuming: [ContractCase] = [
        ContractCase(
            "resume-midway",
            "a broken submission goes on from every checkpoint, and sends nothing twice that had landed",
            needs: [.resuming, .largeItems]
        ) { place in
            _ = try await place.submitter(with: \.canResume, orLack: .resuming, "it does not resume")
            let bytes = try await place.bytes(count: place.sizeInParts())
            var checkpoint: Checkpoint?
            var landed: Int64 = 0
            for attempt in 1...100 {
                let before = place.bytesTaken
                // Where parts turn out small, not every one of them is worth an attempt.
                let more = attempt > 20 ? bytes.size / 50 : 0
                let broken = try await place.attempt(
                    bytes, number: attempt, from: checkpoint, breakingAfter: landed + more)
                if case .success = broken.outcome {
                    if attempt == 1 { throw oneGo(bytes) }
                    if let before, let after = place.bytesTaken {
                        try expect(
                            after - before <= bytes.size - landed,
                            "\(landed) of \(bytes.size) bytes had landed and \(after - before) were sent again")
                    }
                    try await place.expectExactly([bytes.content], after: "\(attempt) attempts")
                    return
                }
                try expect(
                    broken.record.landed > landed,
                    "attempt \(attempt) was broken off at \(broken.record.landed), the one before at \(landed)")
                try expect(broken.record.checkpoint != nil, "bytes landed without a checkpoint to go on from")
                let shown = try await place.contents()
                try expect(
                    shown.isEmpty, "a broken submission shows under a final name: \(KnownBytes.names(of: shown))")
                (checkpoint, landed) = (broken.record.checkpoint, broken.record.landed)
            }
            throw ContractViolation(description: "a submission that gets farther each time does not end")
        },
        ContractCase(
            "discard-by-checkpoint", "what a cancelled submission left is removed by its last checkpoint",
            needs: [.resuming, .largeItems]
        ) { place in
            let submitter = try await place.submitter(with: \.canResume, orLack: .resuming, "it does not resume")
            let bytes = try await place.bytes(count: place.sizeInParts())
            let broken = try await place.attempt(bytes, number: 1, from: nil, breakingAfter: 0)
            guard case .failure = broken.outcome else { throw oneGo(bytes) }
            let context = ObservedAttempt().context(from: broken.record.checkpoint)
            for _ in 1...2 { try await submitter.discard(bytes.item(named: "photo.jpg"), context: context) }
            try await place.expectExactly([], after: "a submission that was discarded twice")
        },
        ContractCase(
            "resume-anew", "a checkpoint whose remains are gone begins anew", needs: [.resuming, .largeItems]
        ) { place in
            let submitter = try await place.submitter(with: \.canResume, orLack: .resuming, "it does not resume")
            let bytes = try await place.bytes(count: place.sizeInParts())
            let broken = try await place.attempt(bytes, number: 1, from: nil, breakingAfter: 0)
            guard case .failure = broken.outcome else { throw oneGo(bytes) }
            let context = ObservedAttempt().context(attempt: 2, from: broken.record.checkpoint)
            try await submitter.discard(bytes.item(named: "photo.jpg"), context: context)
            _ = try await submitter.submit(bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
            // What was discarded is of no interest here, only what came of it.
            try await place.expectCopies([bytes.content], after: "a submission that lost its remains")
        },
    ]

    private static func oneGo(_ bytes: ScriptedBytes) -> NotTried {
        NotTried(lacking: .resuming, "an item of \(bytes.size) bytes goes there in one piece")
    }
}

extension ContractPlace {
    /// One attempt in a new submitter, broken off as soon as more than so many bytes have landed.
    fileprivate func attempt(
        _ bytes: ScriptedBytes, number: Int, from checkpoint: Checkpoint?, breakingAfter landed: Int64
    ) async throws -> (outcome: Result<Receipt, SubmitFailure>, record: ObservedAttempt) {
        let submitter = try await makeSubmitter()
        let submission = CancellableSubmission()
        let record = ObservedAttempt { if $0 > landed { submission.cancel() } }
        let item = bytes.item(named: "photo.jpg")
        let outcome = await submission.run { () async throws(SubmitFailure) in
            try await submitter.submit(item, bytes: bytes, context: record.context(attempt: number, from: checkpoint))
        }
        return (outcome, record)
    }
}
