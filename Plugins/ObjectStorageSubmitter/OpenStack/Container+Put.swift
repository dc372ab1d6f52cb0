internal import Submit
internal import SubmitHTTP

extension Container {
    func store(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let old = replaces ? try await ownSegments(of: key) : []
        let outcome = try await storeAnew(item, bytes, at: key, replaces: replaces, context: context)
        // What was replaced no longer holds its segments.
        if case .stored = outcome { try await segmentContainer.delete(old) }
        return outcome
    }

    private func storeAnew(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        if item.size > account.settings.partsAbove {
            let info = try await account.info()
            if let plan = info.segments?.plan(size: item.size, wanted: account.settings.partSize) {
                return try await SegmentedUpload(
                    self, item, bytes, key, replaces: replaces, context, plan
                ).store()
            }
            guard item.size <= info.largestObject else {
                throw SubmitFailure(
                    .giveUp, code: "too-large",
                    "“\(item.name)” has \(item.size) bytes, and the cluster takes at most \(info.largestObject) at once "
                        + "and too few segments.")
            }
        }
        return try await put(item, bytes, at: key, replaces: replaces, context: context)
    }

    /// Stores an item as one object ("Create or replace object" in the Object Storage API).
    private func put(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        // Who hands out no byte has no occasion to notice that the source is another one.
        if item.size == 0 { try bytes.verifyUnchanged() }
        let arrival = Arrival(
            container: self, item: item, bytes: bytes, key: key, verification: context.verification)
        guard let md5 = try await arrival.md5() else { throw .cancelled }
        try await account.seats.take()
        defer { account.seats.leave() }
        var (headers, note) = SwiftHeaders.storing(item)
        // The server compares it with the MD5 of what arrives, and answers 422.
        headers.append(("etag", md5))
        if !replaces { headers.append(("if-none-match", "*")) }
        let answer = try await send(
            "PUT", key, headers: headers, body: .media(bytes, 0..<item.size), file: item.name, sent: context.sent)
        if answer.status == 412 { return .taken }
        guard answer.isTaken else { throw failure(answer, file: item.name) }
        guard let evidence = try await arrival.evidence(etag: answer["ETag"], hidesMD5: false) else { return .taken }
        return .stored(evidence, note: note)
    }
}
