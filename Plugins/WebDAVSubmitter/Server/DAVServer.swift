internal import Submit
internal import SubmitConcurrency
internal import SubmitHTTP

/// The server of a destination: where it is, how it is spoken to, and what is known of it.
final class DAVServer: Sendable {
    let endpoint: Endpoint
    /// For sentences.
    let destination: String
    /// Signs in, and does not follow redirects.
    private let transport: any HTTPTransport
    private let permits: AsyncSemaphore
    private let certificates: Certificates
    /// It is told who asks, by a password or a token.
    let signsIn: Bool
    private let now: @Sendable () -> Timestamp
    private let requestTimes = Locked(Duration.milliseconds(1))
    /// Those of this process.
    let held = HeldLocks()
    private let shown = Locked(false)
    /// It has answered as a WebDAV server before, to this process or an earlier one: what makes no sense once passes.
    var hasShownItself: Bool {
        get { shown.withLock { $0 } }
        set { shown.withLock { $0 = newValue } }
    }

    private let sizeSource = Locked(ServerProfile.SizeSource.anyWay)
    /// Which of its answers tell how large a file is, as far as that is known.
    var sizes: ServerProfile.SizeSource {
        get { sizeSource.withLock { $0 } }
        set { sizeSource.withLock { $0 = newValue } }
    }

    /// What TLS is spoken with.
    struct Certificates: Sendable {
        var client: ClientCertificate?
        var authority: String?
    }

    /// - Parameter width: how many requests are under way at once.
    init(
        _ endpoint: Endpoint, destination: String, transport: any HTTPTransport, width: Int = 64,
        certificates: Certificates = Certificates(), signsIn: Bool = true,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.endpoint = endpoint
        self.destination = destination
        self.transport = transport
        permits = AsyncSemaphore(width)
        self.certificates = certificates
        self.signsIn = signsIn
        self.now = now
    }

    var time: Timestamp { now() }

    /// For sentences: the host, and the port if it is unusual.
    var host: String { endpoint.authority }

    /// The URL of a path from the server's root.
    func url(_ path: String) -> String { endpoint.origin + path }

    /// Sends a request and returns its answer, whatever its status; redirects are followed as far as ``Redirect`` lets
    /// them, but for one to the same path with a slash at its end: it says that a collection is there.
    func send(_ request: DAVRequest) async throws(SubmitFailure) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await answer(request)
        } catch {
            throw error.submitFailure(host: host, file: request.file)
        }
    }

    private func sendInTurn(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard await permits.acquire() else { throw .cancelled }
        defer { permits.release() }
        guard request.body.length == nil else { return try await transport.send(request) }
        let begin = ContinuousClock.now
        let response = try await transport.send(request)
        let time = ContinuousClock.now - begin
        requestTimes.withLock { $0 = ($0 * 7 + time) / 8 }
        return response
    }

    /// How long a request without a body takes, of late.
    var requestTime: Duration { requestTimes.withLock { $0 } }

    /// The same, for steps that must know whether the server may have acted.
    func answer(_ request: DAVRequest) async throws(HTTPFailure) -> HTTPResponse {
        var next = HTTPRequest(
            method: request.method, url: url(request.path), headers: request.headers, body: request.body,
            responseLimit: request.responseLimit, sent: request.sent)
        next.needsOnlyHead = request.needsOnlyHead
        if let workload = request.workload { next.workload = workload }
        next.receive = request.receive
        if request.removesWhatIsUnfinished { next.headers.append(("X-NC-Skip-Trashbin", "true")) }
        if let condition = await lockCondition(for: request) {
            guard !next.headers.contains(where: { $0.name == "If" }) else {
                // Another's lock came between: two conditions of one request would be read as one or the other.
                return HTTPResponse(status: 412)
            }
            next.headers.append(("If", condition))
        }
        next.clientCertificate = certificates.client
        next.certificateAuthority = certificates.authority
        for _ in 0...Self.mostRedirects {
            let response = try await sendInTurn(next)
            if (300..<400).contains(response.status), let location = response["Location"], location.hasSuffix("/"),
                !next.url.hasSuffix("/"), let there = DAVPath(href: location),
                there.segments == DAVPath(href: next.url)?.segments
            {
                return response
            }
            switch Redirect(next, response) {
            case .none: return request.isAboutProperties ? response : response.settled
            case .follow(let other): next = other
            case .refuse(let sentence): throw .refusedRedirect(sentence)
            }
        }
        throw .refusedRedirect(
            "“\(host)” sends us on more than \(Self.mostRedirects) times: check the URL of “\(destination)”.")
    }

    private static let mostRedirects = 5
}

extension DAVRequest {
    fileprivate var isAboutProperties: Bool { method == "PROPFIND" || method == "PROPPATCH" }

    /// What is ours and no photo does not go into the trash (Nextcloud 31 and later ones of
    /// 29 and 30: nextcloud/server, pull request 50353).
    fileprivate var removesWhatIsUnfinished: Bool {
        method == "DELETE" && DAVPath(href: path)?.name.map(TemporaryName.isOne) ?? false
    }
}

extension HTTPResponse {
    /// An answer that says in a multistatus what became of the request says there that it failed (RFC 4918, section 13):
    /// mod_dav answers so what a lock on the collection forbids. It gets the status of what stood in the way.
    fileprivate var settled: HTTPResponse {
        guard status == 207, let responses = try? Multistatus.parse(body) else { return self }
        let failed = responses.compactMap(\.status).filter { !(200..<300).contains($0) }
        var response = self
        // 424 is only said of what did not happen because of another.
        response.status = failed.first { $0 != 424 } ?? failed.first ?? 200
        return response
    }
}
