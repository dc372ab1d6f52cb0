internal import Submit
internal import SubmitHTTP

extension S3Bucket {
    func object(_ key: String, file: String?) async throws(SubmitFailure) -> StoredObject? {
        await service.recall()
        let explanation = S3Request("GET", key, headers: [("range", "bytes=0-0")] + service.headers.reading, file: file)
        guard let answer = try await head(key, or: explanation, file: file) else { return nil }
        if answer.isPageOfOthers { throw failure(answer, file: file) }
        let etag = answer["ETag"]
        return StoredObject(
            size: answer["Content-Length"].flatMap { Int64($0) }, etag: etag,
            sha256: answer[ObjectHeaders.sha256]?.lowercased(),
            hidesMD5: hidesMD5(answer) || etag.map(unquoted)?.contains("-") ?? false,
            crc32c: service.profile.crc32c(in: answer), hasSureMD5: service.profile.etagsAreMD5 == true,
            marks: answer.marks)
    }

    /// Asks for the head of an object or the bucket.
    ///
    /// An answer on HEAD has no body to say why it refuses: then the same is asked in another way, which may find a
    /// clock or a region to correct, so that HEAD is asked once more.
    ///
    /// - Returns: `nil` where nothing is there.
    func head(
        _ key: String?, or explanation: S3Request, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse? {
        for isLast in [false, true] {
            let answer = try await head(key, file: file)
            switch answer.status {
            case 200, 204: return answer
            case 404: return nil
            case 300..<429, 430..<500:
                let explained = try await send(explanation)
                let isAbout = explained.status >= 300 && explained.status != 404 && explained.status != 416
                if isAbout || isLast { throw failure(isAbout ? explained : answer, file: file) }
            default: throw failure(answer, file: file)
            }
        }
        return nil
    }

    private func head(_ key: String?, file: String?) async throws(SubmitFailure) -> HTTPResponse {
        guard let key else { return try await send(S3Request("HEAD", file: file)) }
        let headers = service.headers.reading
        if service.profile.computesCRC32C, !service.learned.refusesChecksumMode {
            let answer = try await send(
                S3Request("HEAD", key, headers: headers + [("x-amz-checksum-mode", "ENABLED")], file: file))
            // "HeadObject" in the Amazon S3 API reference: with a key of KMS it takes a permission of its own.
            guard answer.status == 403 else { return answer }
        }
        let answer = try await send(S3Request("HEAD", key, headers: headers, file: file))
        if service.profile.computesCRC32C, answer.status == 200 { service.learn { $0.refusesChecksumMode = true } }
        return answer
    }

    /// An answer's ETag is no MD5, even if it looks like one.
    func hidesMD5(_ answer: HTTPResponse) -> Bool {
        answer.hidesMD5 || service.profile.etagsAreMD5 == false || service.headers.encryption?.hidesMD5 ?? false
    }

    /// Nothing: S3's protocol says nothing of what an object is made of, though it may be broken.
    func flaw(in object: StoredObject, at key: String) async throws(SubmitFailure) -> Presence? { nil }

    func mend(
        _ object: StoredObject, at key: String, with item: MediaItem, _ bytes: any MediaBytes
    ) async throws(SubmitFailure) -> Int { 0 }

    func get(
        _ key: String, _ range: String?, into receiver: RangeReceiver, file: String?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var request = S3Request(
            "GET", key, headers: (range.map { [("range", $0)] } ?? []) + service.headers.reading, file: file)
        request.receive = receiver.take
        return try await send(request)
    }

    func judge(_ answer: HTTPResponse, at key: String, file: String?) throws(SubmitFailure) {
        // Others say by it that someone changes something now.
        let code = StorageError(answer).code
        if answer.status == 409, code == "BrokenMPU" || code == nil { throw .brokenObject(key, in: place) }
        if answer.status == 404 { throw .vanished(key, in: place) }
        if answer.status == 416 || answer.status < 300 && !answer.isPageOfOthers { return }
        throw failure(answer, file: file)
    }

    func delete(_ key: String, file: String?) async throws(SubmitFailure) {
        _ = try await send(S3Request("DELETE", key, file: file))
    }

    /// "DeleteObject" in the Amazon S3 API reference: 204, also for what is not there. Some services say 404.
    func remove(_ key: String) async throws(SubmitFailure) {
        let answer = try await send(S3Request("DELETE", key))
        guard answer.isSuccess || answer.status == 404 else { throw failure(answer, file: nil) }
        guard try await object(key, file: nil) == nil else { throw .notRemoved(key, in: place) }
    }

    /// "DeleteBucket" in the Amazon S3 API reference: 409 `BucketNotEmpty`.
    func removeIfEmpty() async throws(SubmitFailure) {
        let answer = try await send(S3Request("DELETE"))
        guard answer.isSuccess || [404, 409].contains(answer.status) else { throw failure(answer, file: nil) }
    }
}

extension HTTPResponse {
    /// The ETag is no MD5, even if it looks like one ("Common Response Headers" in the Amazon S3 API reference).
    var hidesMD5: Bool {
        self["x-amz-server-side-encryption"]?.hasPrefix("aws:kms") ?? false
            || self["x-amz-server-side-encryption-customer-algorithm"] != nil
    }

    /// It is a page for people in place of an object, of which it says nothing: a front answers, or a portal.
    var isPageOfOthers: Bool { self["ETag"] == nil && StorageError(self).isPage }

    var isSuccess: Bool {
        // Some answer 200 and say in the body what went wrong; others are no object storage, and always say 200.
        guard (200..<300).contains(status) else { return false }
        if body.isEmpty { return true }
        let error = StorageError(self)
        return !error.isPage && error.code == nil
    }
}
