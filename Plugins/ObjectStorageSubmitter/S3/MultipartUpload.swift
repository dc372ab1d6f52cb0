internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP
internal import SubmitTransfer

/// The upload of one item in parts ("Uploading and copying objects using multipart upload" in the Amazon S3 user guide).
///
/// The journal knows of the upload before its first byte is sent. What the server lists as its parts is the truth: those
/// whose MD5 is ours are kept, the others sent again.
struct MultipartUpload: Sendable {
    private let bucket: S3Bucket
    private let copy: ObjectVerifier
    private let context: SubmissionContext
    private let plan: PartPlan
    private let rules: PartRules
    /// What of an earlier upload the server never ends.
    private let stays = Locked<String?>(nil)

    private var service: S3Service { bucket.service }
    private var item: MediaItem { copy.item }
    private var bytes: any MediaBytes { copy.bytes }
    private var key: String { copy.key }

    /// `nil` where the server takes no parts, or the item cannot be cut as it wants.
    init?(_ bucket: S3Bucket, _ copy: ObjectVerifier, _ context: SubmissionContext) {
        guard let rules = bucket.service.profile.parts, !bucket.service.learned.refusesParts,
            let plan = rules.plan(size: copy.item.size, wanted: bucket.service.partSize)
        else { return nil }
        self.bucket = bucket
        self.copy = copy
        self.context = context
        self.rules = rules
        self.plan = plan
    }

    /// An upload that is open.
    private struct Open {
        let id: String
        let plan: PartPlan
        let hasChecksums: Bool
        let note: MultipartCheckpoint
        var parts: [Int: StoredPart] = [:]

        /// What is written down before it is completed.
        var completing: MultipartCheckpoint {
            var note = note
            note.mayBeObject = true
            return note
        }
    }

    /// - Returns: `nil` where the server knows no uploads in parts.
    func store() async throws(SubmitFailure) -> StoreOutcome? {
        var open = try await resumed()
        if open == nil { open = try await begun() }
        guard let open else { return nil }
        let parts = try await send(open)
        return try await complete(open, parts)
    }

    // MARK: Opening

    /// The upload that an earlier attempt began; `nil` for none that can go on.
    private func resumed() async throws(SubmitFailure) -> Open? {
        guard let note = MultipartCheckpoint(context.checkpoint) else { return nil }
        guard let id = note.id else {
            // The answer that named it may have been lost.
            try await leave { () async throws(SubmitFailure) in try await bucket.abortNameless(note) }
            return nil
        }
        guard note.bucket == bucket.name, note.key == key else {
            try await leave(id, note)
            return nil
        }
        let plan = PartPlan(size: item.size, partSize: note.partSize)
        switch try await bucket.parts(of: id, key, file: item.name) {
        case .some(let parts) where plan.count <= rules.count:
            return Open(id: id, plan: plan, hasChecksums: note.hasChecksums ?? false, note: note, parts: parts)
        case .some, .untold: try await leave(id, note)
        case .gone: break
        }
        return nil
    }

    private func leave(_ id: String, _ note: MultipartCheckpoint) async throws(SubmitFailure) {
        try await leave { () async throws(SubmitFailure) in
            _ = try await S3Bucket(name: note.bucket, service: service)
                .end(id, note.key, of: item, mayBeObject: note.mayBeObject ?? true)
        }
    }

    /// Ends an upload that nothing comes of any more.
    private func leave(_ end: () async throws(SubmitFailure) -> Void) async throws(SubmitFailure) {
        if let left = try await whatStaysAfter(end) { stays.withLock { $0 = left } }
    }

    /// A new upload; `nil` where the server knows none.
    private func begun() async throws(SubmitFailure) -> Open? {
        let hasChecksums = service.profile.computesCRC32COfParts
        var note = MultipartCheckpoint(
            bucket: bucket.name, key: key, partSize: plan.partSize, begun: service.now.seconds,
            hasChecksums: hasChecksums ? true : nil, mayBeObject: false)
        try await context.keep(note.checkpoint)
        let (headers, _) = service.headers.storing(
            item, sha256: item.digests.hexadecimal(.sha256) ?? "", now: service.now)
        let answer = try await bucket.send(
            S3Request(
                "POST", key, query: "uploads=", headers: headers + (hasChecksums ? service.headers.checkingParts : []),
                file: item.name))
        if answer.knowsNoUploads {
            service.learn { $0.refusesParts = true }
            try await context.keep(nil)
            return nil
        }
        guard answer.isSuccess else { throw bucket.failure(answer, file: item.name) }
        guard let created = CreatedUpload(answer.body) else { throw bucket.senseless(answer, file: item.name) }
        note.id = created.id
        try await context.keep(note.checkpoint)
        return Open(id: created.id, plan: plan, hasChecksums: hasChecksums, note: note)
    }

    // MARK: Sending

    private func send(_ open: Open) async throws(SubmitFailure) -> [SentPart] {
        var digests: Set<DigestAlgorithm> = service.signsBodies ? [.sha256] : []
        if !open.hasChecksums { digests.insert(.md5) }
        let sender = PartSender(
            plan: open.plan, item: item, bytes: bytes, upload: bucket.upload(open.id, key), permits: service.permits,
            width: service.width, digests: digests, context: context)
        return try await sender.send(missingFrom: open.parts) { number, range, digests, sent in
            do throws(SubmitFailure) {
                return .success(try await put(number, range, digests, of: open, sent))
            } catch {
                return .failure(error)
            }
        }
    }

    /// "UploadPart" in the Amazon S3 API reference.
    private func put(
        _ number: Int, _ range: Range<Int64>, _ digests: Digests, of open: Open,
        _ sent: @escaping @Sendable (Int64) -> Void
    ) async throws(SubmitFailure) -> String {
        let answer = try await bucket.send(
            S3Request(
                "PUT", key, query: "partNumber=\(number)&uploadId=\(PercentEncoding.encode(open.id))",
                headers: service.headers.checking(digests, checksums: open.hasChecksums) + service.headers.reading,
                body: .media(bytes, range),
                digest: service.signsBodies ? digests.hexadecimal(.sha256) ?? "" : SignatureV4.unsignedPayload,
                file: item.name, sent: sent))
        guard answer.isSuccess else { throw partFailure(answer) }
        guard let etag = answer["ETag"] else {
            throw SubmitFailure(
                .retry(after: nil), code: "no-etag",
                message:
                    "The server took a part of “\(item.name)” and named no ETag, without which it cannot be completed: "
                    + "set “parts_above” to 5GiB for \(bucket.place) if it stays so.")
        }
        if let md5 = digests.hexadecimal(.md5), service.profile.etagsAreMD5 == true, !bucket.hidesMD5(answer),
            plainMD5(etag) != md5
        {
            throw SubmitFailure(
                .retry(after: nil), code: "damaged",
                message: "A part of “\(item.name)” came through damaged (its ETag is not its MD5): it is sent again.")
        }
        return etag
    }

    private func partFailure(_ answer: HTTPResponse) -> SubmitFailure {
        if answer.knowsNoUpload { return lost(answer) }
        let error = StorageError(answer)
        guard !error.isPage, StorageErrorKind(status: answer.status, error: error) == .tooLarge else {
            return bucket.failure(answer, file: item.name)
        }
        // No part is too large by itself.
        return SubmitFailure(
            .hold(.full, after: answer.retryAfter(now: service.now)), code: "full",
            message: "“\(item.name)” was not stored in \(bucket.place) (\(answer.status) "
                + "\(ForeignText.line(error.code ?? "without a reason"))): it takes no further part; make room there, "
                + "raise the quota or set “part_size” lower.")
    }

    /// Others ended the upload, or changed its parts.
    private func lost(_ answer: HTTPResponse) -> SubmitFailure {
        SubmitFailure(
            .retry(after: nil), code: "upload-lost",
            message: "\(bucket.place.capitalizedFirst) no longer has all parts of “\(item.name)” (\(answer.status) "
                + "\(ForeignText.line(StorageError(answer).code ?? "without a reason"))): try again to send what is "
                + "missing.")
    }

    // MARK: Completing

    private func complete(_ open: Open, _ parts: [SentPart]) async throws(SubmitFailure) -> StoreOutcome {
        var answer = HTTPResponse(status: 412)
        for _ in 0..<Self.mostLooks where answer.saysPrecondition {
            // Others may have stored there while it was sent.
            let seen = try await bucket.object(key, file: item.name)
            if seen != nil, !context.replaces { break }
            let condition = condition(over: seen)
            // Before it is asked for: the answer may be lost, and an abort would take the object along then.
            try await context.keep(open.completing.checkpoint)
            service.awaited.add(bucket.url(of: key), item, by: context.submission)
            answer = try await completion(of: open, parts, condition)
            let saysNo = seen != nil && condition != nil && answer.saysPrecondition
            // Some refuse whatever the condition says.
            var isRefused = answer.refusesCondition
            if saysNo, try await bucket.object(key, file: item.name)?.etag == seen?.etag { isRefused = true }
            if condition != nil, isRefused {
                service.learn {
                    if seen == nil { $0.refusesConditionAtEnd = true } else { $0.refusesMatchAtEnd = true }
                }
                answer = try await completion(of: open, parts, nil)
            }
        }
        if answer.saysPrecondition {
            try await leave(open.id, open.note)
            return .taken
        }
        // A status of 200 may go before an error: it is sent while the server still works.
        guard answer.isSuccess, let completed = CompletedUpload(answer.body) else {
            throw try await completionFailure(answer, of: open, parts)
        }
        let whole = parts.allSatisfy(\.isVerified) ? S3PartsETag.text(parts.compactMap(\.md5)) : nil
        // Of a server that nobody vouches for it may be what it was sent.
        let stated = CompletedUpload(etag: completed.etag, crc32c: open.hasChecksums ? completed.crc32c : nil)
        guard let proven = try await copy.proof(inParts: whole, by: stated) else { return .taken }
        var evidence = proven.evidence
        let mayBeMD5 = service.profile.etagsAreMD5 == nil && service.headers.encryption?.hidesMD5 != true
        // Of what says nothing of its size nobody knows whether it is all of them.
        if evidence != .verified, evidence != .unknown, mayBeMD5 {
            var isVerified = true
            for part in parts where !part.isVerified {
                let isOurs = part.isDoubtful ? try await copy.verify(open.plan.range(part.number)) : false
                isVerified = isVerified && isOurs
            }
            if isVerified { evidence = .verified }
        }
        let (_, note) = service.headers.storing(item, sha256: "", now: service.now)
        return .stored(
            ObjectProof(evidence: evidence, marks: proven.marks), note: joined(note, stays.withLock { $0 }))
    }

    /// How often a key is looked at before it is replaced, while others store there.
    private static let mostLooks = 3

    /// Under which it is completed; `nil` where that may end the upload.
    private func condition(over seen: StoredObject?) -> (name: String, value: String)? {
        guard service.profile.completesConditionally else { return nil }
        guard let seen else { return service.learned.refusesConditionAtEnd ? nil : ("if-none-match", "*") }
        return service.learned.refusesMatchAtEnd ? nil : bucket.match(seen)
    }

    private func completion(
        of open: Open, _ parts: [SentPart], _ condition: (name: String, value: String)?
    ) async throws(SubmitFailure) -> HTTPResponse {
        var headers = condition.map { [$0] } ?? []
        if open.hasChecksums {
            let whole = Digests.crc32c(ofParts: parts.map { ($0.crc32c, $0.size) })
            headers += service.headers.completing(item, crc32c: whole)
        }
        let list = parts.map {
            (number: $0.number, etag: $0.etag, crc32c: open.hasChecksums ? Base64.text(of: $0.crc32c) : nil)
        }
        return try await bucket.completion(
            open.id, key, list, headers: headers, size: item.size, file: item.name)
    }

    /// What an answer that completed nothing means. The upload may be gone, or the object may be there all the same:
    /// the next attempt looks.
    private func completionFailure(
        _ answer: HTTPResponse, of open: Open, _ parts: [SentPart]
    ) async throws(SubmitFailure) -> SubmitFailure {
        let code = StorageError(answer).code
        if answer.knowsNoUpload { return lost(answer) }
        // It has to be begun anew then ("CompleteMultipartUpload" in the Amazon S3 API reference).
        if code == "ConditionalRequestConflict" { try await end(open) }
        if code == "InvalidPart" || code == "InvalidPartOrder" {
            // Its list says that all are ours, and it does not want them: they are sent anew.
            if parts.allSatisfy(\.wasThere) { try await end(open) }
            return lost(answer)
        }
        if code == "EntityTooSmall" {
            return SubmitFailure(
                .giveUp, code: "parts-too-small",
                message:
                    "\(bucket.place.capitalizedFirst) does not take “\(item.name)” in parts of \(open.plan.partSize) "
                    + "bytes: set “part_size” to more.")
        }
        return answer.isSuccess ? bucket.senseless(answer, file: item.name) : bucket.failure(answer, file: item.name)
    }
}

extension MultipartUpload {
    private func end(_ open: Open) async throws(SubmitFailure) {
        _ = try await bucket.end(open.id, key, of: item, mayBeObject: true)
    }
}

/// The ETag of an object in parts: the MD5 of their MD5s, and how many they are.
enum S3PartsETag {
    static func text(_ md5s: [[UInt8]]) -> String {
        var pass = DigestPass([.md5])
        for md5 in md5s { md5.withUnsafeBytes { pass.update($0) } }
        return (pass.finalize().hexadecimal(.md5) ?? "") + "-\(md5s.count)"
    }
}

extension HTTPResponse {
    /// The answer of a server that has only whole objects.
    fileprivate var knowsNoUploads: Bool {
        let code = StorageError(self).code
        return [405, 501].contains(status) || code == "NotImplemented" || code == "MethodNotAllowed"
            || (200..<300).contains(status) && body.isEmpty
            // Of no bucket and no key: one that stores what it is sent and knows nothing else. Its PUT tells the rest.
            || status == 404 && code == nil
    }
}

extension String {
    /// By scalars: an accent behind a sign makes another character of it, and it is the sign to an XML reader all the same.
    var xmlEscaped: String {
        let signs: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;"]
        return unicodeScalars.map { signs[$0] ?? String($0) }.joined()
    }
}
