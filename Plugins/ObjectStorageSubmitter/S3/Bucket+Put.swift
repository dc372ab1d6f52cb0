internal import Submit
internal import SubmitHTTP

extension Bucket {
    /// The most bytes that a PUT may have ("PutObject" in the Amazon S3 API reference): 5 GiB.
    static let maximumPut: Int64 = 5 << 30

    func store(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, isLookedAt: Bool,
        context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        if item.size > service.partsAbove, let upload = MultipartUpload(self, item, bytes, key, replaces, context) {
            if let outcome = try await upload.store() { return outcome }
        } else if let checkpoint = context.checkpoint {
            // Of an upload in parts from when it was to be one.
            try await discard(checkpoint)
        }
        guard item.size <= Self.maximumPut else {
            throw SubmitFailure(
                .giveUp, code: "too-large",
                "“\(item.name)” has \(item.size) bytes, and \(place) takes at most 5 GiB at once and no parts.")
        }
        return try await put(item, bytes, at: key, replaces: replaces, isLookedAt: isLookedAt, context: context)
    }

    /// Stores an item by one PUT.
    ///
    /// The server is told not to replace anything; one that does not know how gets the item without that condition,
    /// where the key was looked at.
    private func put(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, isLookedAt: Bool,
        context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        guard let sha256 = item.digests.hexadecimal(.sha256) else {
            throw SubmitFailure(
                .giveUp, code: "no-digest",
                "“\(item.name)” came without its SHA-256, which object storage wants: submit it again.")
        }
        // Who hands out no byte has no occasion to notice that the source is another one.
        if item.size == 0 { try bytes.verifyUnchanged() }
        // Of small ones the engine sends as many as are good.
        let takesSeat = item.size > Capabilities.smallSize
        if takesSeat { try await service.seats.take() }
        defer { if takesSeat { service.seats.leave() } }
        let (stored, note) = service.headers.storing(item, sha256: sha256, now: service.now)
        let whole = stored + service.headers.checking(item.digests, checksums: service.profile.computesCRC32C)
        let isConditional = !replaces && service.profile.putsConditionally != false && !service.learned.refusesCondition
        if !replaces, !isConditional, !isLookedAt { return .taken }
        // What is sent a second time is no progress until it gets farther.
        let farthest = Locked<Int64>(0)
        func put(_ headers: [(name: String, value: String)]) async throws(SubmitFailure) -> HTTPResponse {
            try await send(
                S3Request(
                    "PUT", key, headers: headers, body: .media(bytes, 0..<item.size),
                    digest: service.signsBodies ? sha256 : SignatureV4.unsignedPayload, file: item.name,
                    sent: { count in
                        let isFarther = farthest.withLock { farthest in
                            defer { farthest = max(farthest, count) }
                            return count > farthest
                        }
                        if isFarther { context.sent(count) }
                    }))
        }
        var answer = try await put(isConditional ? whole + [("if-none-match", "*")] : whole)
        if isConditional {
            if answer.saysTaken { return .taken }
            if answer.refusesCondition {
                if !isLookedAt { return .taken }
                answer = try await put(whole)
                if answer.isSuccess { service.learn { $0.refusesCondition = true } }
            }
        }
        guard answer.isSuccess else { throw failure(answer, file: item.name) }
        if context.verification == .usual, let theirs = service.profile.crc32c(in: answer),
            theirs == item.digests[.crc32c]?.base64
        {
            return .stored(Proven(evidence: .verified, marks: answer.marks), note: note)
        }
        let arrival = Arrival(
            container: self, item: item, bytes: bytes, key: key, verification: context.verification)
        guard let proven = try await arrival.proof(by: answer, hidesMD5: hidesMD5(answer)) else { return .taken }
        return .stored(proven, note: note)
    }
}

extension HTTPResponse {
    /// The server has an object there and was told not to replace it.
    var saysTaken: Bool {
        status == 412
            || status == 409 && StorageTrouble(status: status, error: StorageError(self)) == .conflict
    }

    /// The server does not take `If-None-Match`, or may not.
    var refusesCondition: Bool {
        switch status {
        case 501: return true
        case 400:
            let code = StorageError(self).code
            return code == nil || ["InvalidArgument", "InvalidRequest", "NotImplemented", "BadRequest"].contains(code)
        default: return false
        }
    }
}
