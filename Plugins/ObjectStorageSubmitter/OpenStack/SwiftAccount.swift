internal import FoundationEssentials
internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// An account of OpenStack Swift, with its containers ("Object Storage API" in the OpenStack API references).
final class SwiftAccount: ObjectService {
    let settings: SwiftAccountSettings
    let permits: AsyncSemaphore
    private let keeper: StorageTokenClient
    private let transport: any HTTPTransport
    private let clock: @Sendable () -> Timestamp
    private let found = Locked<SwiftInfo?>(nil)

    init(
        _ settings: SwiftAccountSettings, keeper: StorageTokenClient, transport: any HTTPTransport,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.settings = settings
        self.keeper = keeper
        self.transport = transport
        self.clock = clock
        permits = AsyncSemaphore(settings.jobs)
    }

    var now: Timestamp { clock() }

    /// Its ETags are all that it says of what it holds.
    var wantsMD5: Bool { true }

    func container(_ name: String) throws(SubmitFailure) -> any ObjectContainer {
        guard SwiftContainer.isName(name) else {
            throw SubmitFailure(
                .giveUp, code: "container-name",
                message: "“\(name)” cannot be a container's name: it must have 1 to 256 bytes and no “/”.")
        }
        return SwiftContainer(name: name, account: self)
    }

    func containers() async throws(SubmitFailure) -> [String] {
        var names: [String] = []
        while true {
            let marker = names.last.map { "&marker=" + PercentEncoding.encode($0) } ?? ""
            let answer = try await send(
                SwiftRequest("GET", query: "format=json" + marker, responseLimit: 8 << 20))
            guard answer.status == 200 || answer.status == 204 else {
                throw failure(answer, at: "the account", file: nil)
            }
            let page = (try? JSONDecoder().decode([Named].self, from: Data(answer.body))) ?? []
            guard let last = page.last?.name, last != names.last else { return names }
            names += page.map(\.name)
        }
    }

    private struct Named: Decodable {
        let name: String
    }

    /// Sends a request with a token, and returns the answer whatever its status.
    func send(_ request: SwiftRequest) async throws(SubmitFailure) -> HTTPResponse {
        try await keeper.send(file: request.file) { (storage) throws(SubmitFailure) in
            var sent = HTTPRequest(
                method: request.method,
                url: storage.url(request.path) + (request.query.isEmpty ? "" : "?" + request.query),
                headers: request.headers, body: request.body, responseLimit: request.responseLimit,
                sent: request.sent)
            sent.receive = request.receive
            return sent
        }
    }

    /// The account's URL.
    func storage() async throws(SubmitFailure) -> Endpoint { try await keeper.storage() }

    /// What the cluster says of itself, asked once; what all have where it says nothing.
    ///
    /// - Parameter file: whose name belongs into a failure's sentence.
    func info(file: String? = nil) async throws(SubmitFailure) -> SwiftInfo {
        if let known = found.withLock({ $0 }) { return known }
        let origin = try await storage().origin
        let answer: HTTPResponse
        do {
            // It is for everyone: no token goes there.
            answer = try await transport.send(HTTPRequest(method: "GET", url: origin + "/info"))
        } catch {
            throw error.submitFailure(host: origin, file: file)
        }
        let info = answer.status == 200 ? SwiftInfo(answer.body) : SwiftInfo()
        // Who is in trouble now may tell later.
        if answer.status < 500 { found.withLock { $0 = info } }
        return info
    }

    /// Takes the cluster for one without static large objects from now on.
    func knowsNoSegments() { found.withLock { $0?.segments = nil } }

    /// The key that makes temporary URLs: the one that is configured, or else the account's own.
    func temporaryURLKey() async throws(SubmitFailure) -> String? {
        if let key = settings.temporaryURLKey { return key }
        let answer = try await send(SwiftRequest("HEAD"))
        return answer["X-Account-Meta-Temp-URL-Key"] ?? answer["X-Account-Meta-Temp-URL-Key-2"]
    }

    /// What an answer that is no success means. Statuses are as in the Object Storage API; bodies are for people.
    ///
    /// - Parameters:
    ///   - place: for the sentence.
    ///   - file: the name of the file it was about; `nil` for none.
    func failure(_ answer: HTTPResponse, at place: String, file: String?) -> SubmitFailure {
        let about = file.map { "“\($0)” was not stored in \(place)" } ?? "\(place.capitalizedFirst) cannot be used"
        let wait = answer.retryAfter(now: now)
        func failure(_ remedy: Remedy, _ code: String, _ why: String) -> SubmitFailure {
            SubmitFailure(remedy, code: code, message: "\(about) (\(answer.status)): \(why).")
        }
        let misconfigured = Remedy.hold(.misconfigured, after: nil)
        switch answer.status {
        case 401: return failure(.renewCredentials, "credentials", "it refuses the token; sign in again")
        case 403:
            return failure(
                misconfigured, "access-denied", "the user may not do that; check its roles and the container's ACL")
        // What the filter `ratelimit` says to an account that shall not be served.
        case 497:
            return failure(misconfigured, "access-denied", "the account is shut out; ask those who run the cluster")
        case 404:
            return failure(
                misconfigured, "no-container",
                "there is no such container; check its name, or set “create_bucket” to true to have it made")
        case 408:
            return failure(.tryAnother(after: wait), "damaged", "not all came through in time; try again")
        case 422, 499:
            return failure(.retry(after: wait), "damaged", "not all came through as sent; try again")
        case 409:
            return failure(
                .retry(after: wait), "conflict", "someone else changes the same thing; try again")
        case 413 where answer.saysQuota:
            return failure(.hold(.full, after: wait), "full", "its quota is used up; make room or raise it")
        case 413: return failure(.giveUp, "too-large", "it takes no object of that size; send a smaller one")
        case 429, 498: return failure(.hold(.throttled, after: wait), "throttled", "it asks us to slow down")
        case 507:
            return failure(.hold(.full, after: wait), "full", "it has no room left; make some")
        case 502, 503, 504:
            return failure(
                .tryAnother(after: wait), "unavailable", "it is not available now; check that it is up")
        case 500...599:
            return failure(.tryAnother(after: wait), "server-error", "the server is in trouble; try again later")
        case 200..<400, 405, 501:
            return failure(
                misconfigured, "wrong-endpoint",
                "what answers there is no OpenStack Swift; check “storage_url” and the catalogue")
        default:
            return failure(
                .giveUp, "refused",
                "the server refuses it, saying “\(said(answer))”; check the settings and the file's name")
        }
    }

    private func said(_ answer: HTTPResponse) -> String {
        // Whole: a cut before secrets are hidden shows the beginning of one.
        ForeignText.line(String(decoding: answer.body, as: UTF8.self).replacing(/<[^<>]*>/, with: " "))
    }
}

extension HTTPResponse {
    /// The answer of a quota ("Container quotas" and "Account quotas" in the OpenStack Swift documentation).
    var saysQuota: Bool {
        status == 413 && String(decoding: body.prefix(200), as: UTF8.self).lowercased().contains("quota")
    }
}

/// What is asked of an account, a container or an object.
struct SwiftRequest: Sendable {
    var method: String
    /// Below the account, percent-encoded; empty for the account.
    var path: String
    /// Percent-encoded; empty for none.
    var query: String
    var headers: [(name: String, value: String)]
    var body: HTTPBody
    /// Whose name belongs into a failure's sentence.
    var file: String?
    var responseLimit: Int
    /// As `HTTPRequest.receive`.
    var receive: (@Sendable (HTTPResponse, Int64, UnsafeRawBufferPointer) -> Bool)?
    var sent: (@Sendable (Int64) -> Void)?

    init(
        _ method: String, container: String? = nil, key: String? = nil, query: String = "",
        headers: [(name: String, value: String)] = [], body: HTTPBody = .none, file: String? = nil,
        responseLimit: Int = 64 << 10, sent: (@Sendable (Int64) -> Void)? = nil
    ) {
        self.method = method
        path =
            (container.map { "/" + PercentEncoding.encode($0) } ?? "")
            + (key.map { "/" + PercentEncoding.encodePath($0) } ?? "")
        self.query = query
        self.headers = headers
        self.body = body
        self.file = file
        self.responseLimit = responseLimit
        self.sent = sent
    }
}
