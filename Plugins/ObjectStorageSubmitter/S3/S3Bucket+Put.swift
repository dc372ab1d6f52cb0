internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP
internal import SubmitTransfer

extension S3Bucket {
    /// The most bytes that a PUT may have ("PutObject" in the Amazon S3 API reference): 5 GiB.
    static let maximumPut: Int64 = 5 << 30

    func store(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let item = copy.item
        var stays: String?
        if item.size > service.partsAbove, let upload = MultipartUpload(self, copy, context) {
            if let outcome = try await upload.store() { return outcome }
        } else {
            // Of an upload in parts from when it was to be one.
            stays = try await whatStays(of: context.checkpoint, item: item)
        }
        guard item.size <= Self.maximumPut else {
            throw SubmitFailure(
                .giveUp, code: "too-large",
                message: "“\(item.name)” has \(item.size) bytes, and \(place) takes at most 5 GiB at once and no parts."
            )
        }
        let outcome = try await put(copy, over: sight, context: context)
        guard case .stored(let proven, let note) = outcome else { return outcome }
        return .stored(proven, note: joined(note, stays))
    }

    /// Stores an item by one PUT.
    ///
    /// The server is told to replace nothing but what was seen; one that does not know how gets the item without that
    /// condition, where the key was looked at.
    private func put(
        _ copy: ObjectVerifier, over sight: KeyObservation, context: SubmissionContext
    ) async throws(SubmitFailure) -> StoreOutcome {
        let (item, bytes, key) = (copy.item, copy.bytes, copy.key)
        guard let sha256 = item.digests.hexadecimal(.sha256) else {
            throw SubmitFailure(
                .giveUp, code: "no-digest",
                message: "“\(item.name)” came without its SHA-256, which object storage wants: submit it again.")
        }
        // Who hands out no byte has no occasion to notice that the source is another one.
        if item.size == 0 { try bytes.verifyUnchanged() }
        // Of small ones the engine sends as many as are good.
        let takesSeat = item.size > Capabilities.smallSize
        if takesSeat { guard await service.permits.acquire() else { throw .cancelled } }
        defer { if takesSeat { service.permits.release() } }
        let (stored, note) = service.headers.storing(item, sha256: sha256, now: service.now)
        let whole = stored + service.headers.checking(copy.digests.known, checksums: service.profile.computesCRC32C)
        let condition = condition(for: sight)
        if condition == nil, case .unknown = sight { return .taken }
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
        var answer = try await put(whole + (condition.map { [$0] } ?? []))
        switch sight {
        case _ where condition == nil: break
        case .unknown: if answer.saysTaken || answer.refusesCondition { return .taken }
        case .nothing:
            if answer.saysTaken { return .taken }
            guard answer.refusesCondition else { break }
            answer = try await put(whole)
            if answer.isSuccess { service.learn { $0.refusesCondition = true } }
        case .object(let seen):
            guard answer.saysTaken || answer.saysGone || answer.refusesCondition else { break }
            if !answer.refusesCondition {
                // Nobody else wrote: then it is the condition that the server can't read.
                guard answer.saysPrecondition, try await isUnchanged(seen, at: key, file: item.name) else {
                    return .taken
                }
                if let bare = seen.bareCondition, bare.value != condition?.value {
                    answer = try await put(whole + [bare])
                    if answer.isSuccess { service.learn { $0.matchesBare = true } }
                    if !answer.saysPrecondition { break }
                    guard try await isUnchanged(seen, at: key, file: item.name) else { return .taken }
                }
                // Some refuse whatever the condition says. Of those that heed one, nothing is replaced without it.
                guard service.profile.putsConditionally != true else { throw refusesCondition(key, item) }
            }
            answer = try await put(whole)
            if answer.isSuccess { service.learn { $0.refusesMatch = true } }
        }
        guard answer.isSuccess else { throw failure(answer, file: item.name) }
        let theirs = service.profile.crc32c(in: answer)
        if theirs == nil, service.profile.computesCRC32C, item.digests[.crc32c] != nil {
            service.learn { $0.namesNoChecksum = true }
        }
        if context.verification == .usual, let theirs, theirs == item.digests.base64(.crc32c) {
            return .stored(ObjectProof(evidence: .verified, marks: answer.marks), note: note)
        }
        guard let proven = try await copy.proof(by: answer, hidesMD5: hidesMD5(answer)) else { return .taken }
        return .stored(proven, note: note)
    }
}

extension S3Bucket {
    /// Under which an object is stored ("Conditional writes" in the Amazon S3 user guide); `nil` where the server is known
    /// to heed none.
    func condition(for sight: KeyObservation) -> (name: String, value: String)? {
        guard service.profile.putsConditionally != false else { return nil }
        switch sight {
        case .unknown, .nothing: return service.learned.refusesCondition ? nil : ("if-none-match", "*")
        case .object(let seen): return service.learned.refusesMatch ? nil : match(seen)
        }
    }

    /// `If-Match` in the form that the server reads.
    func match(_ seen: StoredObject) -> (name: String, value: String)? {
        service.learned.matchesBare ? seen.bareCondition : seen.condition
    }

    private func isUnchanged(_ seen: StoredObject, at key: String, file: String) async throws(SubmitFailure) -> Bool {
        try await object(key, file: file)?.etag == seen.etag
    }

    private func refusesCondition(_ key: String, _ item: MediaItem) -> SubmitFailure {
        SubmitFailure(
            .giveUp, code: "condition-refused",
            message:
                "“\(key)” in \(place) was not replaced by “\(item.name)”, because the server refuses it though nobody "
                + "changed what is there: remove it there, or use the conflict policy “rename”.")
    }
}

extension StoredObject {
    /// Under which this object is replaced and no other.
    var condition: (name: String, value: String)? {
        etag.flatMap { $0.hasPrefix("W/") ? nil : ("if-match", $0) }
    }

    /// The same without the quotes of the ETag.
    var bareCondition: (name: String, value: String)? { condition.map { ($0.name, bare($0.value)) } }
}

extension HTTPResponse {
    /// What is there is not what it was told that may be replaced.
    var saysTaken: Bool {
        saysPrecondition
            || status == 409 && StorageErrorKind(status: status, error: StorageError(self)) == .conflict
    }

    /// The same, but for what others do in the same moment. A status of 200 may go before an error.
    var saysPrecondition: Bool { status == 412 || status == 200 && StorageError(self).code == "PreconditionFailed" }

    /// Nothing is there of what it was told that may be replaced.
    var saysGone: Bool { status == 404 && StorageError(self).code == "NoSuchKey" }

    /// The server does not take conditions, or may not.
    var refusesCondition: Bool {
        switch status {
        case 501: return true
        case 200: return StorageError(self).code == "NotImplemented"
        case 400:
            let code = StorageError(self).code
            return code == nil || ["InvalidArgument", "InvalidRequest", "NotImplemented", "BadRequest"].contains(code)
        default: return false
        }
    }
}
