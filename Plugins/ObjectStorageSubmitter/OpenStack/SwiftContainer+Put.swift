internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

extension SwiftContainer {
    func store(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let (key, file) = (copy.key, copy.item.name)
        let old = context.replaces ? try await ownSegments(of: key, file: file) : []
        let outcome = try await storeAnew(copy, over: sight, context: context)
        if case .stored = outcome, !old.isEmpty { await removeUnused(old, of: key, file: file) }
        return outcome
    }

    /// Removes the segments of what was replaced. That they stay is no reason to send an item again that has arrived:
    /// they are found as leftovers.
    private func removeUnused(_ old: [String], of key: String, file: String) async {
        do throws(SubmitFailure) {
            let used = Set(try await ownSegments(of: key, file: file))
            try await segmentContainer.delete(old.filter { !used.contains($0) })
        } catch {}
    }

    private func storeAnew(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let item = copy.item
        if item.size > account.settings.partsAbove {
            let info = try await account.info(file: item.name)
            if Self.isName(segments), let plan = info.segments?.plan(size: item.size, wanted: account.settings.partSize)
            {
                return try await SegmentedUpload(self, copy, context, plan).store()
            }
            guard item.size <= info.largestObject else {
                throw SubmitFailure(
                    .giveUp, code: "too-large",
                    message:
                        "“\(item.name)” has \(item.size) bytes, and \(place) takes at most \(info.largestObject) at once and "
                        + "too few segments: send a smaller one.")
            }
        }
        // Of an upload in segments from when it was to be one.
        if let checkpoint = context.checkpoint { try await discard(checkpoint, of: item) }
        return try await put(copy, over: sight, context: context)
    }

    /// Stores an item as one object ("Create or replace object" in the Object Storage API).
    private func put(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let (item, bytes, key) = (copy.item, copy.bytes, copy.key)
        // Who hands out no byte has no occasion to notice that the source is another one.
        if item.size == 0 { try bytes.verifyUnchanged() }
        guard let md5 = try await copy.digests.digest(.md5) else { throw .cancelled }
        // Of small ones the engine sends as many as are good.
        let takesSeat = item.size > Capabilities.smallSize
        if takesSeat { guard await account.permits.acquire() else { throw .cancelled } }
        defer { if takesSeat { account.permits.release() } }
        var (headers, note) = SwiftHeaders.storing(item)
        // The server compares it with the MD5 of what arrives, and answers 422.
        headers.append(("etag", Hexadecimal.text(of: md5)))
        if case .object = sight {} else { headers.append(("if-none-match", "*")) }
        let answer = try await send(
            "PUT", key, headers: headers, body: .media(bytes, 0..<item.size), file: item.name, sent: context.sent)
        if answer.status == 412 { return .taken }
        guard answer.isTaken else { throw failure(answer, file: item.name) }
        guard let proven = try await copy.proof(by: answer, hidesMD5: false) else { return .taken }
        return .stored(proven, note: note)
    }
}
