internal import Submit
internal import SubmitConcurrency

/// A transport that proves who sends, to one origin and to no other.
///
/// Basic and Bearer go with every request. Where the server chooses, its challenge is answered once, and once more when
/// it calls the nonce stale; what it says then is handed back, a second 401 too. What worked is remembered, so that
/// later requests take no second round. Of several challenges the strongest is answered: Digest with SHA-256, then with
/// MD5, then Basic. `rspauth` is not looked at: to know the server is what TLS is for.
///
/// As long as nobody knows what the server wants, a request with a body waits for a cheap one that finds out; one for
/// all who wait. What that one is told, they are told, if it leaves nothing to try: a wrong password costs no upload.
///
/// Belongs inside a ``RedirectingTransport``, never around one: each hop is then a request of its own, which gets
/// credentials made for its URL if it goes to the origin, and none elsewhere; and no `Authorization` is there to be
/// taken along. A request that brings its own `Authorization` is sent as it is.
public struct AuthenticatingTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let credentials: HTTPCredentials
    private let origin: Endpoint
    private let allowsBasic: Bool
    private let memory = Locked(Memory())
    private let probing = SingleFlight<ProbeOutcome>(.withTheLast)

    /// - Parameters:
    ///   - origin: scheme, host and port of it are those that may have the credentials; its path does not matter.
    ///   - allowsBasic: false where a secret would travel readable (http to another host). It holds for Basic, and for
    ///     a bearer token likewise; the request fails as ``HTTPFailure/refusedAuthentication(_:)`` then.
    public init(
        _ transport: any HTTPTransport, credentials: HTTPCredentials, origin: Endpoint, allowsBasic: Bool
    ) {
        credentials.makeKnown()
        self.transport = transport
        self.credentials = credentials
        self.origin = origin
        self.allowsBasic = allowsBasic
    }

    /// Sends a request, up to three times, and returns the last answer.
    ///
    /// - Throws: what the transport throws, and ``HTTPFailure/refusedAuthentication(_:)``. Where finding out what the
    ///   server wants failed, `afterBody` is false: the request itself was not sent.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        guard isOrigin(of: request.url), !request.headers.contains(where: { $0.name.isName("authorization") })
        else { return try await transport.send(request) }
        switch credentials {
        case .basic(let user, let password):
            return try await transport.send(request.authorized(by: try basic(user: user, password: password)))
        case .bearer(let token):
            guard allowsBasic else { throw .refusedAuthentication(.bearerNotAllowed) }
            return try await transport.send(request.authorized(by: "Bearer \(token)"))
        case .password(let user, let password):
            if let length = request.body.length, length > 0, let answer = try await findOut(request) { return answer }
            return try await exchange(request, user: user, password: password)
        }
    }

    private func isOrigin(of url: String) -> Bool {
        // As nearly all are written; taking each apart would be a good part of a small request's price.
        let written = origin.origin.utf8
        if url.utf8.starts(with: written), url.utf8.dropFirst(written.count).first == UInt8(ascii: "/") { return true }
        let url = URLReference(url)
        guard let scheme = url.scheme, let authority = url.authority,
            let endpoint = try? Endpoint("\(scheme)://\(authority)")
        else { return false }
        return endpoint.isSecure == origin.isSecure && endpoint.host == origin.host && endpoint.port == origin.port
    }

    private func basic(user: String, password: String) throws(HTTPFailure) -> String {
        guard allowsBasic else { throw .refusedAuthentication(.basicNotAllowed) }
        guard !user.contains(":") else { throw .refusedAuthentication(.colonInUser) }
        return "Basic " + Base64.text(of: "\(user):\(password)".utf8)
    }

    // MARK: The server's choice

    /// What the server wants, as far as it is known.
    private enum Scheme {
        case unknown
        /// Nothing, as far as it was asked.
        case nothing
        case basic
        case digest(DigestSession)
    }

    private struct Memory {
        var scheme = Scheme.unknown
        var counts = NonceCounts()

        var isUnknown: Bool {
            if case .unknown = scheme { true } else { false }
        }
    }

    /// Sends a request with what is known, and answers challenges.
    private func exchange(
        _ request: HTTPRequest, user: String, password: String
    ) async throws(HTTPFailure) -> HTTPResponse {
        let known = memory.withLock { $0.scheme }
        var scheme = known
        var answers = 0
        while true {
            let response = try await transport.send(try authorize(request, scheme, user: user, password: password))
            guard response.status == 401 else {
                remember(scheme, isNew: answers > 0, response)
                return response
            }
            let next = try choose(response.authenticationChallenges, after: scheme, answers, user, password)
            guard let next else {
                forget(known)
                return response
            }
            scheme = next
            answers += 1
        }
    }

    private func authorize(
        _ request: HTTPRequest, _ scheme: Scheme, user: String, password: String
    ) throws(HTTPFailure) -> HTTPRequest {
        switch scheme {
        case .unknown, .nothing: return request
        case .basic: return request.authorized(by: try basic(user: user, password: password))
        case .digest(let session):
            let count = memory.withLock { $0.counts.next(session.nonce) }
            return request.authorized(
                by: session.header(method: request.method, target: request.target, count: count))
        }
    }

    /// How to answer a 401; `nil` to let it stand.
    private func choose(
        _ challenges: [AuthenticationChallenge], after last: Scheme, _ answers: Int, _ user: String, _ password: String
    ) throws(HTTPFailure) -> Scheme? {
        var strongest: DigestChallenge?
        for challenge in challenges.lazy.compactMap({ DigestChallenge($0) }) {
            if let known = strongest, known.hash >= challenge.hash { continue }
            strongest = challenge
        }
        if let challenge = strongest {
            switch last {
            case .digest(let session):
                // The nonce that was just answered, and still good: it is the password that is wrong.
                let isFresh = challenge.isStale || answers == 0 && challenge.nonce != session.nonce
                guard isFresh, answers < 2 else { return nil }
            case .basic, .nothing, .unknown:
                guard answers == 0 else { return nil }
            }
            return .digest(DigestSession(challenge, user: user, password: password))
        }
        guard answers == 0, challenges.contains(where: { $0.scheme == "basic" }) else { return nil }
        if case .basic = last { return nil }
        _ = try basic(user: user, password: password)
        return .basic
    }

    /// Keeps what worked, and the nonce that is to come next.
    private func remember(_ scheme: Scheme, isNew: Bool, _ response: HTTPResponse) {
        var next: String?
        if let information = response["Authentication-Info"] {
            var parser = ChallengeParser(information)
            next = parser.parameters()["nextnonce"].flatMap { DigestChallenge.canBeSent($0) ? $0 : nil }
        }
        if !isNew && next == nil { return }
        memory.withLock { memory in
            if isNew { memory.scheme = scheme }
            // A late answer about a nonce that others have replaced since changes nothing.
            guard let next, case .digest(let used) = scheme, case .digest(let current) = memory.scheme,
                current.nonce == used.nonce
            else { return }
            memory.scheme = .digest(current.following(next))
        }
    }

    /// Lets the next request find out anew what was known before and did not do, unless others have meanwhile.
    private func forget(_ scheme: Scheme) {
        memory.withLock { memory in
            switch (memory.scheme, scheme) {
            case (.basic, .basic): memory.scheme = .unknown
            case (.digest(let current), .digest(let used)) where current.challenge == used.challenge:
                memory.scheme = .unknown
            default: break
            }
        }
    }

    // MARK: Finding out before a body is sent

    private enum ProbeOutcome: Sendable {
        case goOn
        /// What the server says to any request.
        case stand(HTTPResponse)
        case failure(HTTPFailure)
    }

    /// The requests that find out. Apache's own example lets everybody ask for OPTIONS.
    private static let probes: [(method: String, headers: [(name: String, value: String)])] = [
        ("OPTIONS", []), ("PROPFIND", [("Depth", "0")]),
    ]

    /// Sees that it is known what the server wants. Returns an answer where there is nothing left to send.
    private func findOut(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse? {
        guard memory.withLock({ $0.isUnknown }) else { return nil }
        guard let outcome = await probing.outcome({ await self.probe(request) }) else { throw .cancelled }
        switch outcome {
        case .goOn: return nil
        case .stand(let answer): return answer
        case .failure(let failure): throw failure
        }
    }

    private func probe(_ request: HTTPRequest) async -> ProbeOutcome {
        for (method, headers) in Self.probes {
            guard memory.withLock({ $0.isUnknown }) else { return .goOn }
            var probe = HTTPRequest(
                method: method, url: request.folder, headers: headers, clientCertificate: request.clientCertificate,
                certificateAuthority: request.certificateAuthority)
            // There are servers that never end the body of such an answer.
            probe.needsOnlyHead = true
            do throws(HTTPFailure) {
                guard case .password(let user, let password) = credentials else { return .goOn }
                let answer = try await exchange(probe, user: user, password: password)
                if [401, 429, 502, 503, 504].contains(answer.status) { return .stand(answer) }
            } catch {
                switch error {
                case .stalled: return .failure(.stalled(afterBody: false))
                case .broken(let text, _): return .failure(.broken(text, afterBody: false))
                default: return .failure(error)
                }
            }
        }
        memory.withLock { if $0.isUnknown { $0.scheme = .nothing } }
        return .goOn
    }
}

extension AuthenticatingTransport: CustomStringConvertible, CustomReflectable {
    /// Names whose credentials they are and where they go.
    public var description: String { "\(credentials) for \(origin.origin)" }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPRequest {
    fileprivate func authorized(by value: String) -> HTTPRequest {
        var request = self
        request.headers.append(("Authorization", value))
        return request
    }

    /// The URL of what it lies in: what is to be made there is not there yet. A challenge for that is good for all below
    /// it (RFC 7617, section 2.2).
    fileprivate var folder: String {
        let path = url.prefix { $0 != "?" }
        guard let slash = path.lastIndex(of: "/"), path[..<slash].last != "/" else { return String(path) }
        return String(path[...slash])
    }

    /// The URL's path and query as they stand in the request line.
    fileprivate var target: String {
        let url = URLReference(url)
        return (url.path.isEmpty ? "/" : url.path) + (url.query.map { "?" + $0 } ?? "")
    }
}
