internal import Submit
internal import Synchronization

extension ContractSuite {
    static let resuming: [ContractCase] = [
        ContractCase("a broken submission goes on from every checkpoint, and sends nothing twice that had landed") {
            place in
            guard try place.makeSubmitter().capabilities.resumes else { return }
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 300_000))
            var checkpoint: Checkpoint?
            var landed: Int64 = 0
            for attempt in 1...100 {
                let before = place.bytesTaken
                let broken = try await place.attempt(bytes, number: attempt, from: checkpoint, breakingAfter: landed)
                if case .success = broken.outcome {
                    if let before, let after = place.bytesTaken {
                        try expect(
                            after - before <= bytes.size - landed,
                            "\(landed) of \(bytes.size) bytes had landed and \(after - before) were sent again")
                    }
                    try await place.expectExactly([bytes.content], after: "\(attempt) attempts")
                    return
                }
                try expect(
                    broken.landed > landed, "attempt \(attempt) was broken off at \(broken.landed), the one before at \(landed)")
                try expect(broken.checkpoint != nil, "bytes landed without a checkpoint to go on from")
                try expect(try await place.contents().isEmpty, "a broken submission shows under a final name")
                (checkpoint, landed) = (broken.checkpoint, broken.landed)
            }
            throw ContractViolation(description: "a submission that gets farther each time does not end")
        },
        ContractCase("what a cancelled submission left is removed by its last checkpoint") { place in
            let submitter = try place.makeSubmitter()
            guard submitter.capabilities.resumes else { return }
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 300_000))
            let broken = try await place.attempt(bytes, number: 1, from: nil, breakingAfter: 0)
            guard case .failure = broken.outcome else { return }
            let context = SubmissionContext(submission: "contract-1", checkpoint: broken.checkpoint)
            for _ in 1...2 { try await submitter.discard(bytes.item(named: "photo.jpg"), context: context) }
            try await place.expectExactly([], after: "a submission that was discarded twice")
        },
        ContractCase("a checkpoint whose remains are gone begins anew") { place in
            let submitter = try place.makeSubmitter()
            guard submitter.capabilities.resumes else { return }
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 300_000))
            let broken = try await place.attempt(bytes, number: 1, from: nil, breakingAfter: 0)
            guard case .failure = broken.outcome else { return }
            let context = SubmissionContext(submission: "contract-1", attempt: 2, checkpoint: broken.checkpoint)
            try await submitter.discard(bytes.item(named: "photo.jpg"), context: context)
            _ = try await submitter.submit(bytes.item(named: "photo.jpg"), bytes: bytes, context: context)
            try await place.expectExactly([bytes.content], after: "a submission that lost its remains")
        },
    ]
}

extension ContractPlace {
    /// One attempt in a new submitter, broken off as soon as more than so many bytes have landed.
    fileprivate func attempt(
        _ bytes: ScriptedBytes, number: Int, from checkpoint: Checkpoint?, breakingAfter landed: Int64
    ) async throws -> (outcome: Result<Receipt, SubmitFailure>, landed: Int64, checkpoint: Checkpoint?) {
        let submitter = try makeSubmitter()
        let farthest = Atomic<Int64>(0)
        let kept = Locked(checkpoint)
        let task = Locked<Task<Result<Receipt, SubmitFailure>, Never>?>(nil)
        let context = SubmissionContext(
            submission: "contract-1", attempt: number, checkpoint: checkpoint,
            keep: { checkpoint in
                kept.withLock { $0 = checkpoint }
                return .success(())
            },
            landed: { count in
                farthest.max(count, ordering: .relaxed)
                if count > landed { task.withLock { $0 }?.cancel() }
            })
        let item = bytes.item(named: "photo.jpg")
        let started = Task {
            while task.withLock({ $0 }) == nil { await Task.yield() }
            return await Result { () async throws(SubmitFailure) in
                try await submitter.submit(item, bytes: bytes, context: context)
            }
        }
        task.withLock { $0 = started }
        let outcome = await started.value
        return (outcome, farthest.load(ordering: .relaxed), kept.withLock { $0 })
    }
}
