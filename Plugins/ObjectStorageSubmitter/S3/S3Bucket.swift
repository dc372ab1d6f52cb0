internal import Submit
internal import SubmitHTTP

/// A bucket of S3.
struct S3Bucket: ObjectContainer {
    let name: String
    let service: S3Service

    var place: String { "the bucket “\(name)” at \(service.origin(of: name))" }

    /// Of services, by their documentation. A server of one's own may be of any version, and another one tomorrow: there
    /// it was seen lately, or is said, and found out or written down.
    func trust(isSaidTo: Bool) async -> ConditionTrust {
        await service.recall()
        let profile = service.profile
        if profile.putsConditionally == false || service.learned.refusesCondition { return .ignores }
        if profile.putsConditionally == true, isSaidTo || !profile.hosts.isEmpty { return .heeds }
        switch await service.heedsConditions() {
        case true?: return .heeds
        case false?: return .ignores
        // What is locked cannot be removed.
        case nil: return service.headers.lock == nil ? .untried : .ignores
        }
    }

    var awaited: PendingKeys? { service.awaited }

    func expect(_ checkpoint: Checkpoint?, of item: MediaItem, by submission: String) {
        guard let note = MultipartCheckpoint(checkpoint), note.id != nil, note.mayBeObject != false else { return }
        service.awaited.add(S3Bucket(name: note.bucket, service: service).url(of: note.key), item, by: submission)
    }

    func url(of key: String) -> String { service.origin(of: name) + service.path(name, key) }

    func send(_ request: S3Request) async throws(SubmitFailure) -> HTTPResponse {
        try await service.send(request, to: name)
    }

    /// What an answer that is no success means; see ``S3Service/failure(_:at:file:)``.
    func failure(_ answer: HTTPResponse, file: String?) -> SubmitFailure {
        service.failure(answer, at: place, file: file)
    }

    /// What an answer means that says yes and not to what: most likely not all of it came.
    func senseless(_ answer: HTTPResponse, file: String?) -> SubmitFailure {
        let about = file.map { "“\($0)” was not stored in \(place)" } ?? "\(place.capitalizedFirst) cannot be used"
        return SubmitFailure(
            .retry(after: nil), code: "bad-answer",
            message:
                "\(about) (\(answer.status) with a body that makes no sense): try again, and check “endpoint” if it stays so."
        )
    }

    /// Whether a text can be a bucket's name in a URL's path. Services differ in what they take.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf8.count <= 255
            && !text.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 32 }
    }

    /// Whether a text can be a bucket's name in a host's name.
    static func isHostName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 63
            && text.utf8.allSatisfy { isLetterOrDigit($0) && $0 != UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }
            && !text.hasPrefix(".") && !text.hasSuffix(".") && !text.contains("..")
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    func exists() async throws(SubmitFailure) -> Bool {
        try await head(nil, or: S3Request("GET", query: "list-type=2&max-keys=1"), file: nil) != nil
    }

    /// "CreateBucket" in the Amazon S3 API reference: us-east-1 is what no constraint means.
    func create() async throws(SubmitFailure) -> Bool {
        if try await exists() { return false }
        var body = ""
        if service.region != "us-east-1" {
            body =
                "<CreateBucketConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<LocationConstraint>\(service.region)</LocationConstraint></CreateBucketConfiguration>"
        }
        let answer = try await send(S3Request("PUT", text: body))
        if (200..<300).contains(answer.status) { return true }
        if StorageError(answer).code == "BucketAlreadyOwnedByYou" { return false }
        throw failure(answer, file: nil)
    }

    func prefixes(below outer: String, from continuation: String?) async throws(SubmitFailure) -> ListedPrefixes {
        var query = "delimiter=%2F&encoding-type=url&list-type=2"
        if !outer.isEmpty { query += "&prefix=" + PercentEncoding.encode(outer) }
        if let continuation { query += "&continuation-token=" + PercentEncoding.encode(continuation) }
        let answer = try await send(S3Request("GET", query: query, responseLimit: 8 << 20))
        guard answer.status == 200, let page = ListedPrefixes(answer.body) else { throw failure(answer, file: nil) }
        return page
    }

    /// "Authenticating Requests: Using Query Parameters" in the Amazon S3 API reference: a week.
    var longestLink: Duration? { .seconds(604_800) }

    func link(to key: String, validFor life: Duration) async throws(SubmitFailure) -> String {
        try await service.presigned(name, key, seconds: Int(life.components.seconds))
    }
}
