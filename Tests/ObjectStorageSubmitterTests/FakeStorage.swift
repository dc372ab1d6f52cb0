import Submit
import SubmitConcurrency
import SubmitDigest
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// An object storage in memory: one bucket in path style, behind a transport. It checks signatures and digests as S3
/// does, or is as simple as others are.
final class FakeStorage: HTTPTransport {
    enum Manner: String, Sendable, CaseIterable {
        /// Takes conditions and CRC-32Cs, ETags are MD5s.
        case s3
        /// Takes and ignores conditions and CRC-32Cs.
        case withIgnorance
        /// Answers 501 to `If-None-Match` and `If-Match`, as older OpenStack Swift does to the first.
        case withoutConditions
        /// Takes any PUT and ignores all headers, as nginx does: no metadata, ETags of its own, none on PUT.
        case plainSink
    }

    struct Object: Sendable {
        var bytes: [UInt8]
        var headers: [(name: String, value: String)]
        /// Without quotes; `nil` for the MD5.
        var etag: String?
        var features = FakeFeatures()
        /// The upload whose parts it is made of.
        var upload: String?
        var stored = Timestamp.now
    }

    /// What went over the wire.
    struct Sent: Sendable {
        var method: String
        var url: String
        var headers: [(name: String, value: String)]
        var bodyLength: Int64?

        subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    }

    struct State {
        var objects: [String: Object] = [:]
        var uploads = FakeUploads()
        var nodes = StorageNodes()
        /// By the number of the request.
        var troubles: [Int: BucketTrouble] = [:]
        /// Where someone else comes.
        var rivalKey = ""
        /// What others have.
        var theirs: [String: [UInt8]] = [:]
        var hasBucket = true
        var sent: [Sent] = []
        /// Bytes of all objects and parts that were taken.
        var taken: Int64 = 0
    }

    /// Answers instead of the storage; `nil` lets it answer. Asked before the body is read.
    typealias Script = @Sendable (Sent) -> Result<HTTPResponse, HTTPFailure>?

    /// The same, asked whenever some of a body has come, with how much.
    typealias Midway = @Sendable (Sent, Int) -> Result<HTTPResponse, HTTPFailure>?

    /// The same, when the storage has done what was asked and would answer this.
    typealias After = @Sendable (Sent, HTTPResponse, inout State) -> Result<HTTPResponse, HTTPFailure>?

    static let origin = "http://127.0.0.1:9"
    static let secret = "fake-secret-key"
    static let token = "fake-session-token"

    let manner: Manner
    private let script: Script
    private let midway: Midway
    private let after: After
    private let state = Locked(State())

    init(
        _ manner: Manner = .s3, hasBucket: Bool = true, quirks: Set<FakeUploads.Quirk> = [],
        script: @escaping Script = { _ in nil }, midway: @escaping Midway = { _, _ in nil },
        after: @escaping After = { _, _, _ in nil }
    ) {
        self.manner = manner
        self.script = script
        self.midway = midway
        self.after = after
        state.withLock {
            $0.hasBucket = hasBucket
            $0.uploads.quirks = quirks
            $0.uploads.manner = manner
        }
    }

    /// By key.
    var objects: [String: Object] { state.withLock { $0.objects } }
    var hasBucket: Bool { state.withLock { $0.hasBucket } }
    /// Keys of uploads that are open.
    var openUploads: [String] { state.withLock { $0.uploads.open.values.map(\.key).sorted() } }
    var theirs: [String: [UInt8]] { state.withLock { $0.theirs } }
    var taken: Int64 { state.withLock { $0.taken } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var sent: [Sent] { state.withLock { $0.sent } }
    /// Such as `HEAD a.jpg`.
    var log: [String] {
        sent.map { "\($0.method) \($0.url.dropFirst(Self.origin.utf8.count + "/photos/".utf8.count))" }
    }

    func put(
        _ bytes: [UInt8], at key: String, headers: [(name: String, value: String)] = [], stored: Timestamp = .now
    ) {
        state.withLock {
            $0.objects[$0.uploads.name(key)] = Object(bytes: bytes, headers: headers, stored: stored)
        }
    }

    func remove(_ key: String) {
        state.withLock { $0.objects[key] = nil }
    }

    func submitter(
        _ settings: [String: String] = [:], secrets: [String: String] = [:], profile: S3Profile? = nil,
        notes: any DestinationNotes = TransientNotes(), transport: (any HTTPTransport)? = nil,
        clock: @escaping @Sendable () -> Timestamp = { .now }, triesAfter: Int = PreflightPolicy.usualTrial
    ) throws(SubmitFailure) -> any Submitter {
        let transport = transport ?? self
        let all = ["endpoint": Self.origin, "bucket": "photos"].merging(settings) { $1 }
        let secrets = ["access_key_id": "AKID", "secret_access_key": Self.secret].merging(secrets) { $1 }
        let checked = DestinationSettings(destination: "bucket", values: all, secrets: secrets, notes: notes)
        return try ObjectStorageSubmitter(
            checked, transport: transport, clock: clock, profile: profile, triesAfter: triesAfter)
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let sent = Sent(
            method: request.method, url: request.url, headers: request.headers, bodyLength: request.body.length)
        let trouble = state.withLock { state in
            state.sent.append(sent)
            Self.pass(state.sent.count, &state)
            return Self.meet(state.troubles[state.sent.count - 1], sent, &state)
        }
        await Task.yield()
        if Task.isCancelled { throw .cancelled }
        if let trouble { return trouble }
        if let answer = script(sent) { return try answer.get() }
        let body: [UInt8]
        switch try await read(request, sent) {
        case .success(let all): body = all
        case .failure(let early): return early.answer
        }
        return try state.withLock { state in
            let answer = answer(sent, body, &state)
            if sent.method == "PUT", answer.status < 300 { state.taken += Int64(body.count) }
            return after(sent, answer, &state) ?? .success(answer)
        }.get()
    }

    /// An answer that came before the body's end.
    private struct Early: Error {
        var answer: HTTPResponse
    }

    private func read(_ request: HTTPRequest, _ sent: Sent) async throws(HTTPFailure) -> Result<[UInt8], Early> {
        switch request.body {
        case .none: return .success([])
        case .bytes(let bytes): return .success(bytes)
        case .media(let source, let range):
            var body: [UInt8] = []
            while Int64(body.count) < range.upperBound - range.lowerBound {
                await Task.yield()
                if Task.isCancelled { throw .cancelled }
                let step = Int(min(4 << 10, range.upperBound - range.lowerBound - Int64(body.count)))
                var failure: SubmitFailure?
                let more = [UInt8](unsafeUninitializedCapacity: step) { buffer, count in
                    do throws(SubmitFailure) {
                        count = try source.read(
                            into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound + Int64(body.count))
                    } catch {
                        failure = error
                    }
                }
                if let failure { throw .body(failure) }
                guard !more.isEmpty else { throw .broken("the source ended", afterBody: false) }
                body += more
                request.sent?(Int64(body.count))
                if let answer = midway(sent, body.count) { return .failure(Early(answer: try answer.get())) }
            }
            return .success(body)
        }
    }

    private func answer(_ sent: Sent, _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        let rest = sent.url.dropFirst(Self.origin.utf8.count)
        let path = rest.prefix { $0 != "?" }
        let query = rest.dropFirst(path.count + 1)
        if manner != .plainSink, let complaint = complaint(sent, path: String(path), query: String(query), body) {
            return .error(403, complaint)
        }
        guard path.hasPrefix("/photos") else { return .error(404, "NoSuchBucket") }
        let named = Self.decoded(path.dropFirst("/photos/".count))
        let key = state.uploads.name(named)
        if key.isEmpty {
            switch sent.method {
            case "HEAD": return HTTPResponse(status: state.hasBucket ? 200 : 404)
            case "PUT":
                state.hasBucket = true
                return HTTPResponse(status: 200)
            default:
                let parameters = Self.parameters(query)
                if parameters["uploads"] == nil { return list(parameters, state) }
                return state.uploads.quirks.contains(.listsNoUploads)
                    ? .error(501, "NotImplemented") : state.uploads.list(parameters)
            }
        }
        if manner != .plainSink,
            let answer = state.uploads.answer(
                sent, Self.parameters(query), body, key: key, named: named, objects: &state.objects,
                nodes: &state.nodes,
                now: state.sent.count)
        {
            let isCompleted = sent.method == "POST" && !query.hasPrefix("uploads") && StorageError(answer).code == nil
            return isCompleted ? Self.mannered(answer, storedAt: key, &state) : answer
        }
        if let answer = Self.manneredAnswer(sent, key, state) { return answer }
        switch sent.method {
        case "HEAD", "GET":
            guard let object = state.objects[key] else {
                return HTTPResponse(status: 404, body: sent.method == "HEAD" ? [] : HTTPResponse.xml("NoSuchKey"))
            }
            return hand(out: object, sent, key, state)
        case "PUT":
            guard state.hasBucket else { return .error(404, "NoSuchBucket") }
            let answer = Self.manneredRefusal(sent, key, &state) ?? store(sent, body, at: key, &state)
            return Self.mannered(answer, storedAt: key, &state)
        case "DELETE":
            state.objects[key] = nil
            return HTTPResponse(status: 204)
        case "POST" where manner == .plainSink:
            return HTTPResponse(status: 404, headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
        default: return .error(405, "MethodNotAllowed")
        }
    }

    private func hand(out object: Object, _ sent: Sent, _ key: String, _ state: State) -> HTTPResponse {
        let quirks = state.uploads.quirks
        if manner == .s3, let complaint = object.features.complaint(sent) { return complaint }
        var headers = manner == .plainSink ? [] : object.headers
        if manner == .s3 { headers += object.features.headers(for: sent) }
        let tag = manner == .plainSink ? "\"6553f100-\(object.bytes.count)\"" : "\"\(object.etag ?? object.bytes.md5)\""
        headers += [("ETag", tag), ("Content-Length", "\(object.bytes.count)")]
        headers = Self.mannered(headers, of: object, sent, key, state)
        if quirks.contains(.ignoresRange), sent["range"] != nil {
            return HTTPResponse(status: 200, headers: headers, body: object.bytes)
        }
        if sent.method == "HEAD" { return HTTPResponse(status: 200, headers: headers) }
        guard let range = sent["range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
            range.count == 2, range[0] < object.bytes.count
        else { return HTTPResponse(status: 416) }
        var first = range[0]
        var last = min(range[1], object.bytes.count - 1)
        if quirks.contains(.otherRanges) { (first, last) = (0, last - first) }
        headers.removeAll { $0.name == "Content-Length" }
        headers.append(("Content-Length", "\(last - first + 1)"))
        return HTTPResponse(
            status: quirks.contains(.rangesWith200) ? 200 : 206,
            headers: headers + [("Content-Range", "bytes \(first)-\(last)/\(object.bytes.count)")],
            body: Array(object.bytes[first...last]))
    }

    private func store(_ sent: Sent, _ body: [UInt8], at key: String, _ state: inout State) -> HTTPResponse {
        if manner == .withoutConditions, sent["if-none-match"] ?? sent["if-match"] != nil {
            return .error(501, "NotImplemented")
        }
        if manner == .s3, let match = sent["if-match"] {
            guard let object = state.objects[key] else { return .error(404, "NoSuchKey") }
            if bare(match) != object.etag ?? object.bytes.md5 { return .error(412, "PreconditionFailed") }
        }
        if manner == .s3, sent["if-none-match"] == "*", state.objects[key] != nil,
            let answer = Self.manneredAnswer(toConditionOf: body, at: key, &state)
        {
            return answer
        }
        if manner != .plainSink {
            if let complaint = FakeFeatures.complaint(aboutDigestsOf: sent, body, manner) { return complaint }
        }
        if manner == .s3, let complaint = FakeFeatures.complaint(sent, body) { return complaint }
        let kept = sent.headers.filter { $0.name == "content-type" || $0.name.hasPrefix("x-amz-meta-") }
        state.objects[key] = Object(bytes: body, headers: kept)
        state.nodes.born[key] = state.sent.count
        if manner == .plainSink { return HTTPResponse(status: 201) }
        guard manner == .s3 else { return HTTPResponse(status: 200, headers: [("ETag", "\"\(body.md5)\"")]) }
        var features = FakeFeatures(sent)
        if sent["x-amz-checksum-crc32c"] != nil { features.crc32c = body.crc32c }
        let etag = features.hidesMD5 ? Array(body.sha256.utf8).md5 : body.md5
        state.objects[key]?.features = features
        state.objects[key]?.etag = etag
        return HTTPResponse(status: 200, headers: [("ETag", "\"\(etag)\"")] + features.headers(for: sent))
    }

    private static func parameters(_ query: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        for parameter in query.split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parameters[String(parts[0])] = decoded(parts.last ?? "")
        }
        return parameters
    }

    /// ListObjectsV2, with `/` as delimiter or none: then two prefixes a page.
    private func list(_ parameters: [String: String], _ state: State) -> HTTPResponse {
        let outer = parameters["prefix"] ?? ""
        if parameters["delimiter"] == nil {
            let found = state.objects.filter { $0.key.hasPrefix(outer) }.sorted { $0.key < $1.key }
            return .xml(
                "ListBucketResult",
                "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>"
                    + found.map { key, object in
                        "<Contents><Key>\(PercentEncoding.encodePath(key))</Key><Size>\(object.bytes.count)</Size>"
                            + "<LastModified>\(FakeUploads.time(object.stored))</LastModified></Contents>"
                    }.joined())
        }
        let inner = state.objects.keys.filter { $0.hasPrefix(outer) }.compactMap { key in
            key.dropFirst(outer.count).firstIndex(of: "/").map { String(key[...$0]) }
        }
        let all = Set(inner).sorted()
        let start = parameters["continuation-token"].flatMap { Int($0) } ?? 0
        let page = all.dropFirst(start).prefix(2)
        let more = start + page.count < all.count
        let text =
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            + "<EncodingType>url</EncodingType><IsTruncated>\(more)</IsTruncated>"
            + (more ? "<NextContinuationToken>\(start + page.count)</NextContinuationToken>" : "")
            + page.map {
                let encoded = PercentEncoding.encodePath($0).replacing("%20", with: "+")
                return "<CommonPrefixes><Prefix>\(encoded)</Prefix></CommonPrefixes>"
            }.joined() + "</ListBucketResult>"
        return HTTPResponse(status: 200, headers: [("Content-Type", "application/xml")], body: Array(text.utf8))
    }

    /// The error code for a request that is not signed with our key.
    private func complaint(_ sent: Sent, path: String, query: String, _ body: [UInt8]) -> String? {
        guard let authorization = sent["authorization"], let date = sent["x-amz-date"],
            let names = authorization.firstMatch(of: /SignedHeaders=([^,]*),/)?.1.split(separator: ";"),
            let claimed = authorization.firstMatch(of: /Signature=([0-9a-f]{64})$/)?.1,
            let scope = authorization.firstMatch(of: /Credential=AKID\/([^,]*),/)?.1
        else { return "AccessDenied" }
        let headers = names.map { name in
            (name: String(name), value: name == "host" ? "127.0.0.1:9" : sent[String(name)] ?? "")
        }
        let required = sent.headers.filter { $0.name != "Authorization" }.map(\.name) + ["host"]
        guard required.sorted() == headers.map(\.name) else { return "SignatureDoesNotMatch" }
        let parts = scope.split(separator: "/").map(String.init)
        let time = SigningTime(secondsSince1970: Timestamp.now.seconds)
        guard date.hasPrefix(parts[0]) else { return "RequestTimeTooSkewed" }
        let key = SignatureV4.signingKey(secret: Self.secret, time: time, region: parts[1], service: "s3")
        let request = SignatureV4.Request(
            method: sent.method, path: path, query: query, headers: headers,
            payload: sent["x-amz-content-sha256"] ?? "")
        // The time may have passed a second since: the text is made from the header.
        let text =
            "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n"
            + SignatureV4.digest(of: Array(SignatureV4.canonicalRequest(request).utf8))
        return SignatureV4.signature(of: text, key: key) == claimed ? nil : "SignatureDoesNotMatch"
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension HTTPResponse {
    static func xml(_ code: String, message: String = "So it is.", region: String? = nil) -> [UInt8] {
        let region = region.map { "<Region>\($0)</Region>" } ?? ""
        return Array(
            "<?xml version='1.0'?><Error><Code>\(code)</Code><Message>\(message)</Message>\(region)</Error>".utf8)
    }

    static func error(_ status: Int, _ code: String, headers: [(name: String, value: String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers + [("Content-Type", "application/xml")], body: xml(code))
    }
}

extension [UInt8] {
    private func digests() -> Digests {
        var pass = DigestPass([.md5, .sha256])
        withUnsafeBytes { pass.update($0) }
        return pass.finalize()
    }

    var md5: String { digests().hexadecimal(.md5)! }
    var md5Base64: String { Base64.text(of: md5Bytes) }
    var md5Bytes: [UInt8] { digests()[.md5]! }
    var sha256: String { digests().hexadecimal(.sha256)! }
}
