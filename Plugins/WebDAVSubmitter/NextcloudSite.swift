internal import Submit
internal import SubmitHTTP

/// A Nextcloud as a login sees it: where it is, and what its answers may lead to.
struct NextcloudSite: Sendable {
    let destination: String
    let base: Endpoint
    let allowsPlain: Bool
    let certificates: DAVServer.Certificates
    let transport: any HTTPTransport
    let now: @Sendable () -> Timestamp

    /// - Throws: when everyone on the way could read the password.
    func checkSecrecy() throws(SubmitFailure) {
        guard base.isSecure || base.isLoopback || allowsPlain else {
            throw misconfigured(
                "\(base.origin) is http, which shows passwords to the network",
                "set “url” to an address with https, or “insecure” to true")
        }
    }

    /// - Throws: when there is no answer.
    func send(
        _ method: String, _ url: String, headers: [(name: String, value: String)], body: [UInt8]? = nil
    ) async throws(SubmitFailure) -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await transport.send(
                HTTPRequest(
                    method: method, url: url, headers: headers, body: body.map { .bytes($0) } ?? HTTPBody.none,
                    responseLimit: 64 << 10, clientCertificate: certificates.client,
                    certificateAuthority: certificates.authority))
        } catch {
            throw error.submitFailure(host: base.authority, file: nil)
        }
    }

    /// What an answer means that says to come back later; `nil` where it does not.
    func trouble(_ answer: HTTPResponse) -> SubmitFailure? {
        let wait = answer.retryAfter(now: now())
        switch answer.status {
        case 429:
            return SubmitFailure(
                .hold(.throttled, after: wait), code: "throttled",
                message: "\(base.origin) asks us to slow down with “\(destination)”: try again later.")
        case 408, 500...599:
            return SubmitFailure(
                .hold(.unreachable, after: wait), code: "unavailable",
                message:
                    "\(base.origin) is in trouble (\(answer.status)), so that nobody can sign in at “\(destination)”: "
                    + "try again later.")
        default: return nil
        }
    }

    /// The page that the person opens.
    ///
    /// - Throws: where it is not one of this server's.
    func page(_ text: String) throws(SubmitFailure) -> String {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "?" || $0 == "#" }
        guard text.utf8.count <= 2048, parts.dropFirst().allSatisfy(Self.isQuery),
            let page = try? Endpoint(String(parts[0]))
        else { throw noLogin("names a page to sign in that is no web address") }
        try checkSame(page)
        return text
    }

    /// Where to ask whether the person has signed in.
    ///
    /// - Throws: where that is not this server.
    func pollEndpoint(_ text: String) throws(SubmitFailure) -> Endpoint {
        guard text.utf8.count <= 2048, let endpoint = try? Endpoint(text) else {
            throw noLogin("names no web address to ask for the password")
        }
        try checkSame(endpoint)
        return endpoint
    }

    /// To no other server goes the token that a password is given for, and to no other a person who signs in here.
    private func checkSame(_ other: Endpoint) throws(SubmitFailure) {
        guard base.host == other.host else {
            throw misconfigured(
                "\(base.origin) sends those who sign in to another host, “\(other.authority)”, which is not followed",
                "if that is its right name, set “url” to it")
        }
        if other.origin == base.origin { return }
        if base.isSecure, !other.isSecure {
            throw misconfigured(
                "\(base.origin) sends those who sign in to itself without TLS, which is not followed",
                "have “overwriteprotocol” set to https in that server's configuration")
        }
        // From http to https on the usual ports a server stays the same.
        guard !base.isSecure, base.port == 80, other.isSecure, other.port == 443 else {
            throw misconfigured(
                "\(base.origin) sends those who sign in to \(other.origin), which is not followed",
                "if that is where it is, set “url” to it")
        }
    }

    /// RFC 3986, section 3.4, and a fragment.
    private static func isQuery(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
            default: "-._~%!$&'()*+,;=:@/?#".utf8.contains(byte)
            }
        }
    }

    /// Something else is there.
    func noLogin(_ what: String) -> SubmitFailure {
        let failure = misconfigured(
            "\(base.url("")) \(what), as no Nextcloud does",
            "check “url”; where there is no Nextcloud, set “user” and the secret “password” instead of signing in")
        return SubmitFailure(failure.remedy, code: "no-login", message: failure.message)
    }

    func misconfigured(_ what: String, _ advice: String) -> SubmitFailure {
        SubmitFailure(
            .hold(.misconfigured, after: nil), code: "login",
            message: "Nobody can sign in at “\(destination)”: \(what); \(advice).")
    }
}
