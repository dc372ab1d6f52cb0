internal import Submit
internal import SubmitPluginProtocol

extension ContractSuite {
    static let trouble: [ContractCase] = [
        ContractCase("source-ends-early", "a source that ends too early leaves nothing", needs: [.bytes]) { place in
            for end in [0, 1, 65_536, 99_999] as [Int64] {
                let bytes = try await place.bytes(count: 100_000, fault: .endsAt(end))
                _ = try await place.expectFailure("a source that ends at \(end)", bytes)
                try await place.expectExactly([], after: "a source that ended at \(end) of 100000")
            }
        },
        ContractCase("source-changes", "a source that changed while it was read leaves nothing", needs: [.bytes]) {
            place in
            let bytes = try await place.bytes(count: 100_000, fault: .changesAtTheEnd)
            let failure = try await place.expectFailure("a source that changed", bytes)
            try expect(
                failure.code == "source-changed",
                "the source's own failure should be passed on, `source-changed`, and this came: `\(failure.code)`: "
                    + failure.message)
            try await place.expectExactly([], after: "a source that changed")
        },
        ContractCase("digest-differs", "bytes that differ from their digest leave nothing", needs: [.digests]) {
            place in
            guard place.checksDigests else { throw NotTried(lacking: .digests, "it is not known to compare digests") }
            let item = try await place.bytes(count: 5000).item(named: "photo.jpg")
            let damaged = try await place.bytes(count: 5000, seed: 2)
            _ = try await place.expectFailure("bytes that differ from their digest", damaged, as: item)
            try await place.expectExactly([], after: "bytes that differed from their digest")
        },
        ContractCase(
            "cancel-midway", "a cancelled submission ends as cancelled and leaves nothing",
            needs: [.largeItems, .bytes]
        ) { place in
            try await place.needsBytes()
            let submission = CancellableSubmission()
            // It cancels itself from the read that begins its second megabyte, or, where nobody reads, when it asks for
            // the last time whether the source is unchanged.
            let bytes = try await place.bytes(count: 16 << 20) { offset in
                if offset >= 1 << 20 { submission.cancel() }
            } onVerify: {
                submission.cancel()
            }
            let submitter = try await place.makeSubmitter()
            let (item, record) = (bytes.item(named: "photo.jpg"), ObservedAttempt())
            let outcome = await submission.run { () async throws(SubmitFailure) in
                try await submitter.submit(item, bytes: bytes, context: record.context())
            }
            guard case .failure(let failure) = outcome else {
                throw ContractViolation(
                    description:
                        "a submission that was cancelled in the midst of \(bytes.size) bytes should end with the remedy "
                        + "`cancelled`, and ended with a receipt after \(record.sent.last ?? 0) bytes")
            }
            if failure.remedy.isThrottled { throw failure }
            try expect(
                failure.remedy == .cancelled,
                failure.complaint(wanting: .cancelled))
            try await submitter.discard(item, context: ObservedAttempt().context(from: record.checkpoint))
            try await place.expectExactly([], after: "a cancelled submission")
            let whole = ScriptedBytes(bytes.content, isFile: place.readsFiles)
            _ = try await place.submit(whole)
            try await place.expectExactly([whole.content], after: "the submission taken up again")
        },
        ContractCase(
            "discard-nothing", "discarding a submission that never began does nothing", needs: [.otherWriter]
        ) { place in
            let other = try await place.putOther()
            let submitter = try await place.makeSubmitter()
            let item = try await place.bytes(count: 300).item(named: "photo.jpg")
            for _ in 1...2 { try await submitter.discard(item, context: ObservedAttempt().context("contract-never")) }
            try await place.expectExactly([other], after: "the end of a submission that never began")
        },
        ContractCase(
            "lost-last-reply", "a submission whose last reply is lost ends done, with one copy",
            needs: [.fault(.losesReply), .largeItems]
        ) { place in
            guard let submitter = try await place.submitter(meeting: .losesReply) else {
                throw NotTried.unmade(.losesReply)
            }
            let bytes = try await place.bytes(count: 3 << 20)
            let (item, record) = (bytes.item(named: "photo.jpg"), ObservedAttempt())
            var outcome = await Result { () async throws(SubmitFailure) in
                try await submitter.submit(item, bytes: bytes, context: record.context())
            }
            for attempt in 2...5 {
                guard case .failure(let failure) = outcome else { break }
                try failure.expectGoingOn()
                outcome = await Result { () async throws(SubmitFailure) in
                    try await submitter.submit(
                        item, bytes: bytes, context: record.context(attempt: attempt, from: record.checkpoint))
                }
            }
            _ = try outcome.get()
            try await place.expectExactly([bytes.content], after: "a reply that was lost")
        },
    ]
}

extension ContractPlace {
    /// Submits what must fail, and removes by its last checkpoint what it left.
    fileprivate func expectFailure(
        _ what: String, _ bytes: ScriptedBytes, as item: MediaItem? = nil
    ) async throws -> SubmitFailure {
        let submitter = try await makeSubmitter()
        let (item, record) = (item ?? bytes.item(named: "photo.jpg"), ObservedAttempt())
        let failure = try await SubmitTesting.expectFailure(what) { () async throws(SubmitFailure) in
            try await submitter.submit(item, bytes: bytes, context: record.context())
        }
        // That says nothing of the promise, which is tried again when they let us.
        if failure.remedy.isThrottled { throw failure }
        let there = try await contents()
        try expect(
            there.isEmpty,
            "nothing should be there under a final name after \(what), and there is \(KnownBytes.names(of: there))")
        try await submitter.discard(item, context: ObservedAttempt().context(from: record.checkpoint))
        return failure
    }
}

extension SubmitFailure {
    /// Complains unless a submission goes on after this, as one has to whose reply was lost. That a host ended a program for
    /// what it wrote says nothing of the reply.
    func expectGoingOn() throws {
        switch remedy {
        case .retry, .tryAnother, .wait, .hold, .outcomeUnknown: if code != "submitter-misbehaved" { return }
        default: break
        }
        throw ContractViolation(
            description:
                "when a reply was lost, the failure was `\(remedy.fieldsText)` with the code `\(code)`: \(message)")
    }
}

extension Remedy {
    fileprivate var isThrottled: Bool { if case .hold(.throttled, _) = self { true } else { false } }
}
