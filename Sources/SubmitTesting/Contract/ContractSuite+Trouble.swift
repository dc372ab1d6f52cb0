internal import Submit

extension ContractSuite {
    static let trouble: [ContractCase] = [
        ContractCase("a source that ends too early leaves nothing") { place in
            for end in [0, 1, 65_536, 99_999] as [Int64] {
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 100_000), fault: .endsAt(end))
                _ = try await place.expectFailure("a source that ends at \(end)", bytes)
                try await place.expectExactly([], after: "a source that ended at \(end) of 100000")
            }
        },
        ContractCase("a source that changed while it was read leaves nothing") { place in
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 100_000), fault: .changesAtTheEnd)
            let failure = try await place.expectFailure("a source that changed", bytes)
            try expect(failure.code == "source-changed", "the source's own failure was not passed on: \(failure.code)")
            try await place.expectExactly([], after: "a source that changed")
        },
        ContractCase("bytes that differ from their digest leave nothing") { place in
            guard place.checksDigests else { return }
            let item = ScriptedBytes(ScriptedBytes.content(count: 5000)).item(named: "photo.jpg")
            let damaged = ScriptedBytes(ScriptedBytes.content(count: 5000, seed: 2))
            _ = try await place.expectFailure("bytes that differ from their digest", damaged, as: item)
            try await place.expectExactly([], after: "bytes that differed from their digest")
        },
        ContractCase("a cancelled submission ends as cancelled and leaves nothing") { place in
            let submitter = try place.makeSubmitter()
            let task = Locked<Task<Result<Receipt, SubmitFailure>, Never>?>(nil)
            // The submission cancels itself from the read that begins its second megabyte.
            let bytes = ScriptedBytes(ScriptedBytes.content(count: 16 << 20)) { offset in
                if offset >= 1 << 20 { task.withLock { $0 }?.cancel() }
            }
            let item = bytes.item(named: "photo.jpg")
            let kept = Locked<Checkpoint?>(nil)
            let context = SubmissionContext.keeping(kept)
            let started = Task {
                while task.withLock({ $0 }) == nil { await Task.yield() }
                return await Result { () async throws(SubmitFailure) in
                    try await submitter.submit(item, bytes: bytes, context: context)
                }
            }
            task.withLock { $0 = started }
            guard case .failure(let failure) = await started.value else {
                throw ContractViolation(description: "a submission that was cancelled in its midst went on to its end")
            }
            try expect(failure.remedy == .cancelled, "the remedy is \(failure.remedy) and not `cancelled`")
            try await submitter.discard(
                item, context: SubmissionContext(submission: "contract-1", checkpoint: kept.withLock { $0 }))
            try await place.expectExactly([], after: "a cancelled submission")
            let whole = ScriptedBytes(bytes.content)
            _ = try await place.submit(whole)
            try await place.expectExactly([whole.content], after: "the submission taken up again")
        },
        ContractCase("each fault of a place gets the remedy that mends it") { place in
            for fault in ContractFault.allCases {
                guard let submitter = try await place.submitter(meeting: fault) else { continue }
                let bytes = ScriptedBytes(ScriptedBytes.content(count: 3 << 20))
                let failure = try await expectFailure("a place that is \(fault)") { () async throws(SubmitFailure) in
                    try await submitter.submit(
                        bytes.item(named: "photo.jpg"), bytes: bytes,
                        context: SubmissionContext(submission: "contract-1"))
                }
                let isRight =
                    switch (fault, failure.remedy) {
                    case (.unreachable, .park(.unreachable, _)), (.refusesCredentials, .renewCredentials),
                        (.full, .park(.full, _)):
                        true
                    default: false
                    }
                try expect(isRight, "a place that is \(fault) got the remedy \(failure.remedy): \(failure.sentence)")
            }
        },
    ]
}

extension ContractPlace {
    /// Submits what must fail, and removes by its last checkpoint what it left.
    fileprivate func expectFailure(
        _ what: String, _ bytes: ScriptedBytes, as item: MediaItem? = nil
    ) async throws -> SubmitFailure {
        let submitter = try makeSubmitter()
        let item = item ?? bytes.item(named: "photo.jpg")
        let kept = Locked<Checkpoint?>(nil)
        let failure = try await SubmitTesting.expectFailure(what) { () async throws(SubmitFailure) in
            try await submitter.submit(item, bytes: bytes, context: .keeping(kept))
        }
        try expect(try await contents().isEmpty, "\(what) shows under a final name")
        try await submitter.discard(
            item, context: SubmissionContext(submission: "contract-1", checkpoint: kept.withLock { $0 }))
        return failure
    }
}

extension SubmissionContext {
    fileprivate static func keeping(_ kept: Locked<Checkpoint?>) -> SubmissionContext {
        SubmissionContext(
            submission: "contract-1",
            keep: { checkpoint in
                kept.withLock { $0 = checkpoint }
                return .success(())
            })
    }
}

extension Result where Failure == SubmitFailure {
    init(_ body: () async throws(SubmitFailure) -> Success) async {
        do throws(SubmitFailure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
