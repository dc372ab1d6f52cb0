import Foundation
import Submit
import SubmitConcurrency
import SubmitHTTP

@testable import ObjectStorageSubmitter

/// An account of OpenStack Swift in memory, with v1 authentication and static large objects, behind a transport.
final class FakeSwift: HTTPTransport {
    struct Object: Sendable {
        var bytes: [UInt8]
        var headers: [(name: String, value: String)] = []
        /// Paths of segments, such as `/photos_segments/a`; `nil` for an object of its own bytes.
        var segments: [String]?
        /// What its manifest says of them.
        var listed: [Listed] = []

        struct Listed: Sendable {
            var etag: String
            var bytes: Int
        }
    }

    typealias Sent = FakeStorage.Sent

    struct State {
        /// By container and name.
        var containers: [String: [String: Object]] = ["photos": [:]]
        var quirks: Set<Quirk> = []
        var pageSize = 2
        var info = HTTPResponse(status: 200, body: Array(#"{"swift": {}, "slo": {"min_segment_size": 1}}"#.utf8))
        /// What listings do not show.
        var unlisted: Set<String> = []
        var sent: [Sent] = []
        /// Bytes of all segments and whole objects that were taken.
        var taken = 0
        var damaged: Set<String> = []
        var lastToken = 0
        var good: Set<String> = []
        var nodes = SwiftNodes()
        /// By the number of the request.
        var troubles: [Int: SwiftTrouble] = [:]
        /// Where someone else comes.
        var rivalKey = ""
        /// What others have in the container.
        var theirs: [String: [UInt8]] = [:]
        /// What was replaced, by path.
        var versions: [String: [Object]] = [:]
    }

    /// Answers instead of the cluster; `nil` lets it answer. Asked before the body is read.
    typealias Script = @Sendable (Sent) -> Result<HTTPResponse, HTTPFailure>?
    /// The same, when the cluster has done what was asked and would answer this.
    typealias After = @Sendable (Sent, HTTPResponse, inout State) -> Result<HTTPResponse, HTTPFailure>?

    static let store = "https://store.example/v1/AUTH_1"
    private static let authURL = "https://identity.example/auth/v1.0"
    private static let password = "s3cr3t-password"

    private let script: Script
    private let after: After
    private let state = Locked(State())

    init(
        _ quirks: Set<Quirk> = [], script: @escaping Script = { _ in nil },
        after: @escaping After = { _, _, _ in nil }
    ) {
        self.script = script
        self.after = after
        state.withLock { $0.quirks = quirks }
    }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
    var sent: [Sent] { state.withLock { $0.sent } }
    var steps: [SegmentStep] { sent.map { SegmentStep($0) } }
    var taken: Int { state.withLock { $0.taken } }
    var segments: [String] { state.withLock { $0.containers["photos_segments"].map { $0.keys.sorted() } ?? [] } }

    /// The bytes of every object of the container, put together from its segments.
    var objects: [String: [UInt8]] {
        state.withLock { state in (state.containers["photos"] ?? [:]).mapValues { Self.whole($0, state) } }
    }

    var theirs: [String: [UInt8]] { state.withLock { $0.theirs } }

    /// Segments that no object is made of.
    var leftovers: [String] { state.withLock { Self.unused($0) } }

    static func unused(_ state: State) -> [String] {
        let used = Set((state.containers["photos"] ?? [:]).values.flatMap { $0.segments ?? [] })
        return (state.containers["photos_segments"] ?? [:]).keys.filter { !used.contains("/photos_segments/\($0)") }
            .sorted()
    }

    func submitter(
        _ settings: [String: String] = [:], transport: (any HTTPTransport)? = nil
    ) throws(SubmitFailure) -> any Submitter {
        let all = [
            "api": "swift", "auth_url": Self.authURL, "auth_type": "v1password", "username": "tester",
            "bucket": "photos",
        ].merging(settings) { $1 }
        return try ObjectStorageSubmitter(
            DestinationSettings(destination: "swift", values: all, secrets: ["password": Self.password]),
            transport: transport ?? self, clock: { .now }, environment: [:])
    }

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let sent = Sent(
            method: request.method, url: request.url, headers: request.headers, bodyLength: request.body.length)
        let trouble = state.withLock { state in
            state.sent.append(sent)
            return Self.meet(state.troubles[state.sent.count - 1], sent, &state)
        }
        await Task.yield()
        if let trouble { return trouble }
        if let answer = script(sent) { return try answer.get() }
        let body = try Self.read(request)
        let answer = state.withLock { state in
            let answer = Self.answer(sent, body, &state)
            return after(sent, answer, &state) ?? .success(answer)
        }
        return try answer.get()
    }

    private static func read(_ request: HTTPRequest) throws(HTTPFailure) -> [UInt8] {
        switch request.body {
        case .none: return []
        case .bytes(let bytes): return bytes
        case .media(let source, let range):
            var body = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
            var failure: SubmitFailure?
            var count = 0
            body.withUnsafeMutableBytes { buffer in
                do throws(SubmitFailure) {
                    count = try source.read(into: buffer, at: range.lowerBound)
                } catch {
                    failure = error
                }
            }
            if let failure { throw .body(failure) }
            guard count == body.count else { throw .broken("the source ended", afterBody: false) }
            request.sent?(Int64(count))
            return body
        }
    }

    private static func answer(_ sent: Sent, _ body: [UInt8], _ state: inout State) -> HTTPResponse {
        if sent.url == authURL {
            guard sent["x-auth-key"] == password else { return HTTPResponse(status: 401) }
            state.lastToken += 1
            state.good.insert("token-\(state.lastToken)")
            return HTTPResponse(
                status: 200,
                headers: [
                    ("X-Auth-Token", "token-\(state.lastToken)"), ("X-Storage-Url", store),
                    ("X-Auth-Token-Expires", "86399"),
                ])
        }
        if sent.url == "https://store.example/info" {
            return state.quirks.contains(.hidesInfo) ? HTTPResponse(status: 403) : state.info
        }
        guard let (container, key, query) = place(sent), state.good.contains(sent["x-auth-token"] ?? "") else {
            return HTTPResponse(status: 401)
        }
        if let answer = manneredAnswer(sent, container, key, query, state) { return answer }
        guard !key.isEmpty else { return answer(sent, container: container, query, &state) }
        guard state.containers[container] != nil else { return HTTPResponse(status: 404) }
        if sent.method == "PUT" { return store(sent, body, container, key, query, &state) }
        guard let object = state.containers[container]?[key] else {
            // What goes on being listed is removed from there too.
            if sent.method == "DELETE" { state.nodes.ghosts["\(container)/\(key)"] = nil }
            return HTTPResponse(status: 404)
        }
        switch sent.method {
        case "HEAD": return HTTPResponse(status: 200, headers: headers(of: object, state))
        case "GET" where query["multipart-manifest"] == "get":
            if state.quirks.contains(.emptyManifests) {
                return HTTPResponse(status: 200, headers: headers(of: object, state))
            }
            return HTTPResponse(
                status: 200, headers: headers(of: object, state),
                body: json(
                    zip(object.segments ?? [], object.listed).map {
                        ["name": $0, "bytes": $1.bytes, "hash": $1.etag] as [String: Any]
                    }))
        case "GET":
            guard isWhole(object, state) else { return HTTPResponse(status: 409) }
            let whole = whole(object, state)
            if state.quirks.contains(.ignoresRange) {
                return HTTPResponse(status: 200, headers: headers(of: object, state), body: whole)
            }
            let range = (sent["range"] ?? "").dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            guard range.count == 2, range[1] < whole.count else { return HTTPResponse(status: 416) }
            return HTTPResponse(
                status: state.quirks.contains(.rangesWith200) ? 200 : 206,
                headers: headers(of: object, state)
                    + [("Content-Range", "bytes \(range[0])-\(range[1])/\(whole.count)")],
                body: Array(whole[range[0]...range[1]]))
        case "DELETE":
            if isLate("\(container)/\(key)", &state) { return HTTPResponse(status: 409) }
            let isBulk = query["multipart-manifest"] == "delete"
            if isBulk, !state.quirks.contains(.keepsSegments) {
                for path in object.segments ?? [] { remove(container + "_segments", name(path), &state) }
            }
            remove(container, key, &state)
            // Whatever came of it.
            return isBulk
                ? HTTPResponse(status: 200, body: json(["Response Status": "200 OK"])) : HTTPResponse(status: 204)
        default: return HTTPResponse(status: 405)
        }
    }

    private static func answer(
        _ sent: Sent, container: String, _ query: [String: String], _ state: inout State
    ) -> HTTPResponse {
        switch sent.method {
        case "HEAD": return HTTPResponse(status: state.containers[container] == nil ? 404 : 204)
        case "PUT":
            guard container.utf8.count <= 256 else { return HTTPResponse(status: 400) }
            defer { state.containers[container] = state.containers[container] ?? [:] }
            return HTTPResponse(status: state.containers[container] == nil ? 201 : 202)
        default:
            guard let objects = listed(container, state) else { return HTTPResponse(status: 404) }
            let marker = state.quirks.contains(.repeatsPages) ? "" : query["marker"] ?? ""
            let prefix = query["prefix"] ?? ""
            let rest = objects.filter { name, _ in name.hasPrefix(prefix) && strcmp(marker, name) < 0 }
            // In the order of bytes.
            let page = rest.sorted { strcmp($0.key, $1.key) < 0 }.prefix(state.pageSize)
            return HTTPResponse(
                status: 200, headers: [("Content-Type", "application/json")],
                body: json(
                    page.map { name, object in
                        [
                            "name": name, "hash": object.bytes.md5, "bytes": object.bytes.count,
                            "last_modified": "2026-11-20T01:02:03.000004",
                        ]
                    }))
        }
    }

    private static func store(
        _ sent: Sent, _ body: [UInt8], _ container: String, _ key: String, _ query: [String: String],
        _ state: inout State
    ) -> HTTPResponse {
        guard key.utf8.count <= 1024 else { return HTTPResponse(status: 400) }
        let minds = !state.quirks.contains(.ignoresConditions)
        let isManifest = query["multipart-manifest"] == "put" && !state.quirks.contains(.noSegments)
        let isPlain = !isManifest || state.quirks.contains(.trustsManifests)
        if minds, sent["if-none-match"] == "*", state.containers[container]?[key] != nil {
            return isPlain ? HTTPResponse(status: 412) : heartbeat("412 Precondition Failed")
        }
        let path = "\(container)/\(key)"
        let kept = sent.headers.filter { $0.name == "content-type" || $0.name.hasPrefix("x-object-meta-") }
        var stored = Object(bytes: body, headers: kept)
        if isManifest {
            struct Segment: Decodable { var path, etag: String, size_bytes: Int }
            let named = (try? JSONDecoder().decode([Segment].self, from: Data(body))) ?? []
            var isShaky = state.quirks.contains(.shakyHeads) && state.nodes.once.insert("heads " + path).inserted
            let errors = named.compactMap { named -> [String]? in
                defer { isShaky = false }
                if isShaky { return [encoded(named.path), "503 Service Unavailable"] }
                guard let there = segment(named.path, state) else { return [encoded(named.path), "404 Not Found"] }
                if there.bytes.count != named.size_bytes { return [encoded(named.path), "Size Mismatch"] }
                return there.bytes.md5 == named.etag ? nil : [encoded(named.path), "Etag Mismatch"]
            }
            guard errors.isEmpty || isPlain && errors.allSatisfy({ $0.last == "Etag Mismatch" }) else {
                if isPlain { return HTTPResponse(status: errors.contains { $0.last == "404 Not Found" } ? 404 : 400) }
                return heartbeat("400 Bad Request", errors: errors)
            }
            stored = Object(bytes: [], headers: kept, segments: named.map(\.path))
            stored.listed = named.map { Object.Listed(etag: $0.etag, bytes: $0.size_bytes) }
            if let etag = sent["etag"], !isPlain, "\"\(etag)\"" != Self.etag(of: stored, state) {
                return heartbeat("422 Unprocessable Entity")
            }
        } else {
            state.taken += body.count
            let damages = state.quirks.contains(.damagesOnce) && state.damaged.insert(key).inserted
            if damages { stored.bytes[0] ^= 1 }
            if !damages, let etag = sent["etag"], etag != body.md5 { return HTTPResponse(status: 422) }
        }
        let etag = etag(of: stored, state)
        if isLate(path, &state) {
            return isPlain ? HTTPResponse(status: 202) : heartbeat("202 Accepted", etag: etag)
        }
        if let old = state.containers[container]?[key] { state.versions[path, default: []].append(old) }
        state.containers[container]?[key] = stored
        let answer = HTTPResponse(status: 201, headers: state.quirks.contains(.namesNoETags) ? [] : [("Etag", etag)])
        return mannered(isPlain ? answer : heartbeat("201 Created", etag: etag), storedAt: path, &state)
    }

    /// An answer that began before it was known what came of it.
    static func heartbeat(
        _ status: String, etag: String = "", errors: [[String]] = [], text: String = ""
    ) -> HTTPResponse {
        let told: [String: Any] = [
            "Response Status": status, "Response Body": text, "Etag": etag, "Errors": errors,
            "Last Modified": "Sat, 21 Nov 2026 00:00:00 GMT",
        ]
        return HTTPResponse(status: 202, body: Array("  \r\n\r\n".utf8) + json(told))
    }

    private static func json(_ value: Any) -> [UInt8] {
        Array((try? JSONSerialization.data(withJSONObject: value)) ?? Data())
    }

    private static func headers(of object: Object, _ state: State) -> [(name: String, value: String)] {
        object.headers + (object.segments == nil ? [] : [("X-Static-Large-Object", "True")])
            + (state.quirks.contains(.namesNoETags) ? [] : [("Etag", etag(of: object, state))])
            + [
                (
                    "Content-Length",
                    "\(object.segments == nil ? object.bytes.count : object.listed.reduce(0) { $0 + $1.bytes })"
                )
            ]
    }

    /// Its segments are as its manifest says.
    private static func isWhole(_ object: Object, _ state: State) -> Bool {
        zip(object.segments ?? [], object.listed).allSatisfy { segment($0, state)?.bytes.md5 == $1.etag }
    }

    private static func etag(of object: Object, _ state: State) -> String {
        if object.segments != nil { return "\"\(Array(object.listed.map(\.etag).joined().utf8).md5)\"" }
        return state.quirks.contains(.quotesETags) ? "\"\(object.bytes.md5)\"" : object.bytes.md5
    }

    private static func whole(_ object: Object, _ state: State) -> [UInt8] {
        object.segments.map { $0.flatMap { segment($0, state)?.bytes ?? [] } } ?? object.bytes
    }

    private static func segment(_ path: String, _ state: State) -> Object? {
        state.containers[String(path.dropFirst().prefix { $0 != "/" })]?[name(path)]
    }

    /// A path without its container.
    private static func name(_ path: String) -> String {
        String(path.dropFirst().drop { $0 != "/" }.dropFirst())
    }

    private static func encoded(_ path: String) -> String { PercentEncoding.encodePath(path) }

    /// What a request to the store is about: a container, a key, and a query.
    static func place(_ sent: Sent) -> (container: String, key: String, query: [String: String])? {
        guard let url = URLComponents(string: sent.url), url.path.hasPrefix("/v1/AUTH_1/") else { return nil }
        let path = url.path.dropFirst("/v1/AUTH_1/".count)
        let container = path.prefix { $0 != "/" }
        let query = (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return (
            String(container), String(path.dropFirst(container.count + 1)), Dictionary(query) { first, _ in first }
        )
    }
}

/// What a request is about in an upload in segments.
enum SegmentStep: Sendable, Hashable {
    case signIn, info, look, ensure
    case segment(Int)
    case list, manifest, readManifest, removeSegment, other

    init(_ sent: FakeSwift.Sent) {
        guard let (container, key, query) = FakeSwift.place(sent) else {
            self = sent.url.hasSuffix("/info") ? .info : .signIn
            return
        }
        let isSegments = container.hasSuffix("_segments")
        switch sent.method {
        case "HEAD" where !key.isEmpty: self = .look
        case "PUT" where key.isEmpty: self = .ensure
        case "PUT" where isSegments: self = .segment(Int(key.suffix(8)) ?? 0)
        case "PUT" where query["multipart-manifest"] == "put": self = .manifest
        case "GET" where key.isEmpty: self = .list
        case "GET" where query["multipart-manifest"] == "get": self = .readManifest
        case "DELETE" where isSegments: self = .removeSegment
        default: self = .other
        }
    }
}
