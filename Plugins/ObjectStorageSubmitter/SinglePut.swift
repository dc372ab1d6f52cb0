internal import Submit
internal import SubmitHTTP

/// Stores items of up to 5 GiB, each by one PUT.
struct SinglePut: Sendable {
    private let bucket: Bucket
    private let headers: ObjectHeaders
    /// The server is known to refuse `If-None-Match`.
    private let refusesCondition = Locked(false)

    /// The most bytes that a PUT may have ("PutObject" in the Amazon S3 API reference): 5 GiB.
    static let maximumSize: Int64 = 5 << 30

    init(bucket: Bucket, headers: ObjectHeaders) {
        self.bucket = bucket
        self.headers = headers
    }

    enum Outcome {
        case stored(Evidence, note: String?)
        /// Something is there meanwhile, of us or of others: look again.
        case taken
    }

    /// Stores an item under a key that nothing is known to hold.
    ///
    /// The server is told not to replace anything; one that does not know how gets the item without that condition.
    ///
    /// - Parameter replaces: replace what is there.
    func store(
        _ item: MediaItem, _ bytes: any MediaBytes, at key: String, replaces: Bool, context: SubmissionContext
    ) async throws(SubmitFailure) -> Outcome {
        guard let md5 = item.digests[.md5], let sha256 = item.digests.hexadecimal(.sha256) else {
            throw SubmitFailure(
                .giveUp, code: "no-digest",
                "“\(item.name)” came without its MD5 and SHA-256, which object storage wants: submit it again.")
        }
        // Who hands out no byte has no occasion to notice that the source is another one.
        if item.size == 0 { try bytes.verifyUnchanged() }
        let (stored, note) = headers.headers(of: item, sha256: sha256, md5: md5)
        let isConditional = !replaces && !refusesCondition.withLock { $0 }
        // What is sent a second time is no progress until it gets farther.
        let farthest = Locked<Int64>(0)
        func put(_ headers: [(name: String, value: String)]) async throws(SubmitFailure) -> HTTPResponse {
            try await bucket.send(
                "PUT", key, headers: headers, body: .media(bytes, 0..<item.size), digest: sha256, file: item.name,
                sent: { count in
                    let isFarther = farthest.withLock { farthest in
                        defer { farthest = max(farthest, count) }
                        return count > farthest
                    }
                    if isFarther { context.sent(count) }
                })
        }
        var answer = try await put(isConditional ? stored + [("if-none-match", "*")] : stored)
        if isConditional {
            if answer.status == 412 || answer.status == 409 && StorageTrouble(answer) == .conflict { return .taken }
            if answer.refusesCondition {
                answer = try await put(stored)
                if answer.isSuccess { refusesCondition.withLock { $0 = true } }
            }
        }
        guard answer.isSuccess else { throw bucket.failure(answer, file: item.name) }
        guard let evidence = try await evidence(of: item, bytes, at: key, answer: answer) else { return .taken }
        return .stored(evidence, note: note)
    }

    /// How sure it is that the server holds the item now; `nil` when what it holds is someone else's.
    private func evidence(
        of item: MediaItem, _ bytes: any MediaBytes, at key: String, answer: HTTPResponse
    ) async throws(SubmitFailure) -> Evidence? {
        if let md5 = answer.storedMD5, md5 == item.digests.hexadecimal(.md5) { return .verified }
        guard let object = try await bucket.object(key, file: item.name) else {
            throw untrue(item, key, "has nothing there")
        }
        switch object.likeness(to: item) {
        case .same(let evidence): return evidence
        case .unclear where object.size == nil: return .unknown
        case .unclear: return .size
        case .different, .doubtful: break
        }
        let isOurs = object.claims(item) || answer["ETag"] != nil && answer["ETag"] == object.etag
        if object.size == item.size {
            // Not everyone's ETag is an MD5, even if it looks like one.
            if try await bucket.holds(bytes, at: key, file: item.name) { return .verified }
            if !isOurs { return nil }
        }
        if isOurs { _ = try await bucket.send("DELETE", key, file: item.name) }
        let held = object.size == item.size ? "other bytes" : "\(object.size ?? 0) bytes of \(item.size)"
        throw untrue(item, key, isOurs ? "had \(held), which were removed" : "has \(held) there")
    }

    private func untrue(_ item: MediaItem, _ key: String, _ what: String) -> SubmitFailure {
        SubmitFailure(
            .retry(afterMilliseconds: nil), code: "not-stored",
            "The server said yes to “\(item.name)” and \(what) (\(bucket.url(of: key))): try again.")
    }
}

extension HTTPResponse {
    var isSuccess: Bool {
        // Some answer 200 and say in the body what went wrong; others are no object storage, and always say 200.
        (200..<300).contains(status) && (body.isEmpty || StorageError(self).isHarmless)
    }

    /// The server does not take `If-None-Match`, or may not.
    fileprivate var refusesCondition: Bool {
        switch status {
        case 501: return true
        case 400:
            let code = StorageError(self).code
            return code == nil || ["InvalidArgument", "InvalidRequest", "NotImplemented", "BadRequest"].contains(code)
        default: return false
        }
    }
}

extension StorageError {
    fileprivate var isHarmless: Bool { !isPage && code == nil }
}

extension StorageTrouble {
    fileprivate init(_ response: HTTPResponse) {
        self.init(status: response.status, error: StorageError(response))
    }
}
