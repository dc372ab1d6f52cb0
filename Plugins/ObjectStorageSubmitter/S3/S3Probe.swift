internal import Submit
internal import SubmitConcurrency
internal import SubmitDigest
internal import SubmitHTTP

/// Tries out what a server takes and means, on one scratch object.
final class S3Probe: Sendable {
    private let bucket: S3Bucket
    private let scratch: ScratchObject
    /// Bytes of the largest item that is sent without a look.
    private let largest: Int64
    private let left = Locked(Left())

    /// What has to be ended again.
    private struct Left {
        var upload: String?
        /// One was asked for, and no answer told its id.
        var mayHaveUpload = false
    }

    private let ours: ScratchObject.Body
    private let other: ScratchObject.Body

    private var service: S3Service { bucket.service }
    private var key: String { scratch.key }

    init(bucket: S3Bucket) {
        self.bucket = bucket
        scratch = ScratchObject(in: bucket)
        largest = min(Capabilities.smallSize, bucket.service.partsAbove)
        ours = ScratchObject.Body(
            "submit tries out what this server does (\(scratch.number)), and removes this again.")
        other = ScratchObject.Body("Something else of submit (\(scratch.number)).")
    }

    /// - Throws: why the server cannot be used at all.
    func run() async throws(SubmitFailure) -> ServerFindings {
        var findings = ServerFindings()
        try await store(&findings)
        try await look(&findings)
        try await tryConditions(&findings)
        try await tryWrongDigests(&findings)
        try await tryChecksum(&findings)
        try await tryParts(&findings)
        findings.found = service.now
        return findings
    }

    // MARK: Steps

    private func store(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        let answer = try await scratch.put(ours)
        guard answer.isSuccess else { throw bucket.failure(answer, file: nil) }
        if !bucket.hidesMD5(answer), let etag = answer["ETag"] {
            findings.profile.etagsAreMD5 = plainMD5(etag) == ours.digests.hexadecimal(.md5)
        }
    }

    private func look(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        guard let object = try await bucket.object(key, file: nil) else {
            throw SubmitFailure(
                .hold(.misconfigured, after: nil), code: "not-stored",
                message:
                    "\(bucket.place.capitalizedFirst) said that it stored “\(key)” and has nothing there: use another.")
        }
        findings.keepsMetadata = object.sha256 == ours.sha256
        // Not with a key of KMS, of which nothing else may tell.
        if let md5 = object.etag.flatMap(plainMD5), !object.hidesMD5 {
            findings.profile.etagsAreMD5 = md5 == ours.digests.hexadecimal(.md5)
        }
        let size = Int64(ours.bytes.count)
        let receiver = RangeReceiver(3..<9, of: size)
        let answer = try await bucket.get(key, receiver.header, into: receiver, file: nil)
        let bytes = receiver.bytes(of: answer)
        if bytes == nil { try bucket.judge(answer, at: key, file: nil) }
        findings.handsOutRanges = !receiver.isWhole && bytes == Array(ours.bytes[3..<9])
    }

    private func tryConditions(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        let trial = ConditionTrial(bucket: bucket, scratch: scratch, largest: largest)
        findings.condition = try await trial.outcome(holding: ours)
        findings.profile.putsConditionally = findings.condition == .honours
    }

    private func tryWrongDigests(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        var wrong = ours.digests
        wrong[.md5] = other.digests[.md5]
        findings.comparesMD5 = try await !scratch.put(ours, claiming: wrong).isSuccess
        findings.comparesSHA256 = try await !scratch.put(ours, sha256: other.sha256).isSuccess
    }

    private func tryChecksum(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        guard let right = ours.digests.base64(.crc32c), let wrong = other.digests.base64(.crc32c) else { return }
        let answer = try await scratch.put(ours, adding: [("x-amz-checksum-crc32c", right)])
        guard answer.isSuccess, answer["x-amz-checksum-crc32c"] == right,
            try await !scratch.put(ours, adding: [("x-amz-checksum-crc32c", wrong)]).isSuccess
        else { return }
        let head = try await bucket.send(
            S3Request("HEAD", key, headers: service.headers.reading + [("x-amz-checksum-mode", "ENABLED")]))
        findings.profile.computesCRC32C = head["x-amz-checksum-crc32c"] == right
    }

    /// An upload of one small part, which is its last one, over the scratch object.
    ///
    /// Where it is refused because of that, as it should, it is not completed otherwise: OpenStack Swift removes parts of
    /// objects later than the objects.
    private func tryParts(_ findings: inout ServerFindings) async throws(SubmitFailure) {
        findings.profile.parts = nil
        left.withLock { $0.mayHaveUpload = true }
        let created = try await bucket.send(
            S3Request("POST", key, query: "uploads=", headers: service.headers.encryption?.storing ?? []))
        guard created.isSuccess, let id = CreatedUpload(created.body)?.id else {
            if !created.isSuccess || created.body.isEmpty { left.withLock { $0.mayHaveUpload = false } }
            return
        }
        left.withLock { ($0.upload, $0.mayHaveUpload) = (id, false) }
        let part = try await bucket.send(
            S3Request(
                "PUT", key, query: "partNumber=1&uploadId=\(PercentEncoding.encode(id))",
                headers: service.headers.checking(ours.digests, checksums: false) + service.headers.reading,
                body: .bytes(ours.bytes), digest: ours.sha256))
        guard part.isSuccess, let etag = part["ETag"], try await lists(id) else { return }
        var answer = try await complete(id, etag, adding: [("if-none-match", "*")])
        if answer.isSuccess, CompletedUpload(answer.body) != nil {
            findings.conditionAtEnd = .ignores
        } else {
            if answer.status == 412 {
                findings.conditionAtEnd = .honours
                findings.profile.completesConditionally = true
                findings.profile.parts = S3Profile().parts
                return
            }
            findings.conditionAtEnd = .refuses
            if try await !lists(id) { return }
            answer = try await complete(id, etag, adding: [])
        }
        guard answer.isSuccess, let completed = CompletedUpload(answer.body) else { return }
        left.withLock { $0.upload = nil }
        findings.profile.parts = S3Profile().parts
        if let md5 = ours.digests[.md5], !bucket.hidesMD5(part) {
            findings.profile.etagsAreOfParts = completed.etag.map(unquoted) == S3PartsETag.text([md5])
        }
    }

    // MARK: Requests

    private func complete(
        _ id: String, _ etag: String, adding headers: [(name: String, value: String)]
    ) async throws(SubmitFailure) -> HTTPResponse {
        let answer = try await bucket.send(
            S3Request(
                "POST", key, query: "uploadId=\(PercentEncoding.encode(id))", headers: headers,
                text: "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Part>"
                    + "<PartNumber>1</PartNumber><ETag>\(etag.xmlEscaped)</ETag></Part></CompleteMultipartUpload>"))
        scratch.note(answer)
        return answer
    }

    /// Whether the server lists the part.
    private func lists(_ id: String) async throws(SubmitFailure) -> Bool {
        guard case .some(let parts) = try await bucket.parts(of: id, key, file: nil) else { return false }
        return parts[1]?.size == Int64(ours.bytes.count)
    }

    // MARK: Cleaning up

    /// - Returns: why something stays.
    func cleanUp() async -> SubmitFailure? {
        let left = left.withLock { $0 }
        var failure: SubmitFailure?
        do throws(SubmitFailure) {
            if let id = left.upload { try await bucket.abort(id, key) }
            // The key is nobody else's.
            let unnamed = left.mayHaveUpload ? try await bucket.uploads(below: key) ?? [] : []
            for upload in unnamed { try await bucket.abort(upload.id, upload.key) }
        } catch {
            failure = ScratchObject.stays(key, error)
        }
        do throws(SubmitFailure) {
            try await scratch.remove()
        } catch {
            failure = error
        }
        return failure
    }
}
