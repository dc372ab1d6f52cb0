internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// An account at a service of S3's protocol: signed requests, and what had to be corrected about them.
final class S3Service: ObjectService {
    let headers: ObjectHeaders
    /// What all keys of the destination begin with; empty, or ending with `/`.
    let prefix: String
    /// The part size that someone asked for, in bytes.
    let partSize: Int64?
    /// Items above this many bytes are stored in parts.
    let partsAbove: Int64
    let permits: AsyncSemaphore
    let width: Int
    /// Neither settings nor the host tell what server it is.
    let isUnrecognised: Bool
    let notes: any DestinationNotes
    let awaited = PendingKeys()

    /// The region someone configured; servers may name another one.
    let configuredRegion: String

    private let endpoint: Endpoint?
    /// The endpoint's, which is asked for with each request.
    private let endpointAuthority: String?
    private let isPathStyle: Bool
    private let keys: ExpiringValue<SigningKey>
    private let transport: any HTTPTransport
    private let clock: @Sendable () -> Timestamp
    private let state: Locked<State>

    private struct State {
        var region: String
        /// By how much the server's clock is ahead of ours, in nanoseconds.
        var skew: Int64 = 0
        var lastKey: SigningKey?
        var learned = Learned()
        var profile: S3Profile
        /// What was found out in another process was asked for.
        var isRecalled = false
        /// `nil` where nobody asked yet for what was seen.
        var conditions: ConditionNote??
    }

    /// What a server turned out not to know.
    struct Learned {
        /// `If-None-Match` on PUT.
        var refusesCondition = false
        /// `If-Match` on PUT.
        var refusesMatch = false
        /// `If-Match` with quotes: Ceph 16 compares the ETag without them.
        var matchesBare = false
        /// `If-None-Match` when an upload in parts is completed.
        var refusesConditionAtEnd = false
        /// `If-Match` when an upload in parts is completed.
        var refusesMatchAtEnd = false
        /// Uploads in parts.
        var refusesParts = false
        /// To hand out CRC-32C.
        var refusesChecksumMode = false
        /// To say the CRC-32C back that it was sent with an item.
        var namesNoChecksum = false
    }

    /// - Parameters:
    ///   - endpoint: `nil` for Amazon's, which follows the region.
    ///   - jobs: the greatest number of requests at once that send an item which is not small, or a part.
    init(
        endpoint: Endpoint?, region: String, isPathStyle: Bool, keys: ExpiringValue<SigningKey>, profile: S3Profile,
        headers: ObjectHeaders, prefix: String, partSize: Int64?, partsAbove: Int64, jobs: Int,
        notes: any DestinationNotes, transport: any HTTPTransport, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.endpoint = endpoint
        endpointAuthority = endpoint?.authority
        configuredRegion = region
        self.isPathStyle = isPathStyle
        self.keys = keys
        self.headers = headers
        self.prefix = prefix
        self.partSize = partSize
        self.partsAbove = partsAbove
        self.notes = notes
        self.transport = transport
        self.clock = clock
        width = jobs
        isUnrecognised = profile.isUnknown
        permits = AsyncSemaphore(jobs)
        state = Locked(State(region: region, profile: profile, isRecalled: !profile.isUnknown))
    }

    var region: String { state.withLock { $0.region } }

    var profile: S3Profile { state.withLock { $0.profile } }

    /// Where the server compares CRC-32Cs and states them with what it holds, an MD5 proves nothing more. With a lock it is
    /// asked for by some ("PutObject" in the Amazon S3 API reference).
    var wantsMD5: Bool {
        state.withLock { !$0.profile.computesCRC32C || $0.learned.namesNoChecksum } || headers.lock != nil
    }

    /// Takes up what an earlier process found out about a server that nothing else is known of. Asks once.
    func recall() async {
        if state.withLock({ $0.isRecalled }) { return }
        let note = await notes.read(topic)
        let found = note.flatMap { try? S3Profile(yaml: String(decoding: $0, as: UTF8.self)) }
        state.withLock { state in
            if let found, !state.isRecalled { state.profile = found }
            state.isRecalled = true
        }
    }

    /// Uses what was found out about the server from now on, and remembers it.
    ///
    /// - Parameter remark: for people who read the note.
    func note(_ found: S3Profile, remark: String) async {
        state.withLock { state in
            state.profile = found
            state.isRecalled = true
            state.learned = Learned()
        }
        await notes.write(topic, Array("# \(remark)\n\(found.yaml)".utf8))
    }

    /// Whether conditions were seen to be heeded; `nil` where that was not tried lately.
    func heedsConditions() async -> Bool? {
        if state.withLock({ $0.conditions }) == nil {
            let note = await notes.read(conditionsTopic)
            let found = note.flatMap { try? JSONDecoder().decode(ConditionNote.self, from: Data($0)) }
            state.withLock { state in if state.conditions == nil { state.conditions = .some(found) } }
        }
        guard let note = state.withLock({ $0.conditions }) ?? nil, note.isFresh(at: now) else { return nil }
        return note.areHeeded
    }

    /// Uses what was seen of conditions from now on, and remembers it.
    func note(conditions areHeeded: Bool, remark: String) async {
        let note = ConditionNote(areHeeded: areHeeded, found: now.seconds, remark: remark)
        state.withLock { $0.conditions = .some(note) }
        guard let data = try? JSONEncoder().encode(note) else { return }
        await notes.write(conditionsTopic, Array(data))
    }

    private var conditionsTopic: String { "s3 conditions \(origin(of: nil))" }

    /// What notes on the server are kept under: it is the same for all its buckets.
    private var topic: String { "s3 \(origin(of: nil))" }

    /// Amazon's endpoint for the region that was asked for last: each request asks several times.
    private let regional = Locked<(region: String, endpoint: Endpoint?)>(("", nil))

    var learned: Learned { state.withLock { $0.learned } }

    func learn(_ change: (inout Learned) -> Void) { state.withLock { change(&$0.learned) } }

    /// The server's time, as far as it is known.
    var now: Timestamp {
        let skew = state.withLock { $0.skew }
        return Timestamp(nanoseconds: clock().nanoseconds + skew)
    }

    /// Amazon's endpoint for a region; `nil` for what is no region.
    static func amazon(_ region: String) -> Endpoint? {
        let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
        return try? Endpoint("https://s3.\(region).\(domain)")
    }

    func container(_ name: String) throws(SubmitFailure) -> any ObjectContainer {
        guard isPathStyle ? S3Bucket.isName(name) : S3Bucket.isHostName(name) else {
            throw SubmitFailure(
                .giveUp, code: "bucket-name",
                message: "“\(name)” cannot be a bucket's name: use lower case letters, digits, “-” and “.”, at most 63."
            )
        }
        return S3Bucket(name: name, service: self)
    }

    /// "ListBuckets" in the Amazon S3 API reference.
    func containers() async throws(SubmitFailure) -> [String] {
        let answer = try await send(S3Request("GET", responseLimit: 8 << 20), to: nil)
        guard answer.status == 200, let names = ListedBuckets(answer.body)?.names else {
            throw failure(answer, at: "the storage at \(origin(of: nil))", file: nil)
        }
        return names
    }

    // MARK: Addresses

    private var address: Endpoint? {
        if let endpoint { return endpoint }
        let region = region
        return regional.withLock { regional in
            if regional.region != region { regional = (region, Self.amazon(region)) }
            return regional.endpoint
        }
    }

    /// `host:port`, as the bucket is reached.
    func authority(of bucket: String?) -> String {
        let authority = endpointAuthority ?? address?.authority ?? "s3.amazonaws.com"
        return isPathStyle ? authority : bucket.map { "\($0).\(authority)" } ?? authority
    }

    /// `scheme://authority`, for sentences.
    func origin(of bucket: String?) -> String {
        (address?.isSecure ?? true ? "https://" : "http://") + authority(of: bucket)
    }

    /// The path of a bucket or an object, percent-encoded.
    func path(_ bucket: String?, _ key: String?) -> String {
        var path = address?.basePath ?? ""
        if let bucket, isPathStyle { path += "/" + PercentEncoding.encode(bucket) }
        if let key { path += "/" + PercentEncoding.encodePath(key) }
        return path.isEmpty ? "/" : path
    }

    /// Whether a body's digest is part of its signature.
    var signsBodies: Bool { profile.signsBodies || !(address?.isSecure ?? true) }

    // MARK: Requests

    /// Sends a signed request, and returns the answer whatever its status.
    ///
    /// Once each, what an answer shows to be wrong is put right and the request sent again: our clock, by the answer's
    /// `Date`; the region; temporary credentials that ended before their time.
    func send(_ request: S3Request, to bucket: String?) async throws(SubmitFailure) -> HTTPResponse {
        var corrected: Set<Correction> = []
        while true {
            let key = try await keys.value()
            state.withLock { $0.lastKey = key.value }
            let answer = try await send(request, to: bucket, signedWith: key.value)
            guard answer.status >= 300, let correction = correction(by: answer, key),
                corrected.insert(correction).inserted
            else { return answer }
            correct(correction, by: answer, key)
        }
    }

    private func send(
        _ request: S3Request, to bucket: String?, signedWith key: SigningKey
    ) async throws(SubmitFailure) -> HTTPResponse {
        let path = path(bucket, request.key)
        let authority = authority(of: bucket)
        let headers = key.signer(region: region).sign(
            SignatureV4.Request(
                method: request.method, path: path, query: request.query,
                headers: request.headers + (bucket == nil ? [] : self.headers.always) + [("host", authority)],
                payload: request.digest),
            at: SigningTime(secondsSince1970: now.seconds))
        var sent = HTTPRequest(
            method: request.method,
            url: origin(of: bucket) + path + (request.query.isEmpty ? "" : "?" + request.query),
            headers: headers, body: request.body, responseLimit: request.responseLimit, sent: request.sent)
        sent.receive = request.receive
        if let workload = request.workload { sent.workload = workload }
        do {
            return try await transport.send(sent)
        } catch {
            throw error.submitFailure(after: sent, host: authority, file: request.file)
        }
    }

    private enum Correction: Hashable {
        case clock, region, credentials
    }

    private func correction(by answer: HTTPResponse, _ key: ExpiringValue<SigningKey>.Issued) -> Correction? {
        let error = StorageError(answer)
        if error.code == "RequestTimeTooSkewed", serverTime(answer) != nil { return .clock }
        if let region = error.region, region != self.region, Self.isRegion(region),
            [301, 307, 400, 403].contains(answer.status)
        {
            return .region
        }
        if key.expires != nil, StorageErrorKind(status: answer.status, error: error) == .credentials {
            return .credentials
        }
        return nil
    }

    private func correct(_ correction: Correction, by answer: HTTPResponse, _ key: ExpiringValue<SigningKey>.Issued) {
        switch correction {
        case .clock:
            guard let time = serverTime(answer) else { return }
            state.withLock { $0.skew = time.nanoseconds - clock().nanoseconds }
        case .region:
            guard let region = StorageError(answer).region else { return }
            state.withLock { $0.region = region }
        case .credentials:
            keys.refuse(key)
        }
    }

    private func serverTime(_ answer: HTTPResponse) -> Timestamp? {
        answer["Date"].flatMap { HTTPDate.parse($0, now: clock()) }
    }

    /// A word that is safe in a host's name and a header.
    static func isRegion(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 63 && text.utf8.allSatisfy(S3Bucket.isLetterOrDigit)
    }

    /// The query that makes a URL good for `seconds` without any credentials.
    func presigned(_ bucket: String, _ key: String, seconds: Int) async throws(SubmitFailure) -> String {
        let signing = try await keys.value().value
        let path = path(bucket, key)
        let query = signing.signer(region: region).presign(
            SignatureV4.Request(method: "GET", path: path, headers: [("host", authority(of: bucket))]),
            at: SigningTime(secondsSince1970: now.seconds), seconds: seconds)
        return "\(origin(of: bucket))\(path)?\(query)"
    }
}

/// What is asked of a service about itself, a bucket or an object.
struct S3Request: Sendable {
    var method: String
    /// `nil` for the bucket, or for the service.
    var key: String?
    /// Percent-encoded; empty for none.
    var query: String
    /// Their names in lower case.
    var headers: [(name: String, value: String)]
    var body: HTTPBody
    /// The body's SHA-256 in hexadecimal, or ``SignatureV4/unsignedPayload``.
    var digest: String
    /// Whose name belongs into a failure's sentence.
    var file: String?
    var responseLimit: Int
    /// As `HTTPRequest.receive`.
    var receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)?
    var sent: (@Sendable (Int64) -> Void)?
    /// Bytes that the service may have to work on before it answers; `nil`: those of the body.
    var workload: Int64?

    init(
        _ method: String, _ key: String? = nil, query: String = "", headers: [(name: String, value: String)] = [],
        body: HTTPBody = .none, digest: String = SignatureV4.emptyPayload, file: String? = nil,
        responseLimit: Int = 64 << 10, sent: (@Sendable (Int64) -> Void)? = nil
    ) {
        self.method = method
        self.key = key
        self.query = query
        self.headers = headers
        self.body = body
        self.digest = digest
        self.file = file
        self.responseLimit = responseLimit
        self.sent = sent
    }

    /// A request with a small body of our own.
    init(
        _ method: String, _ key: String? = nil, query: String = "", headers: [(name: String, value: String)] = [],
        text: String, file: String? = nil
    ) {
        let bytes = Array(text.utf8)
        self.init(
            method, key, query: query, headers: headers, body: .bytes(bytes), digest: SignatureV4.digest(of: bytes),
            file: file)
    }
}
