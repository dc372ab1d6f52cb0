import CCurl
import SubmitHTTP
import Testing

@testable import SubmitCurl

struct AnswerTests {
    private func answer(_ lines: String...) throws -> HTTPResponse? {
        var answer = ResponseAccumulator(bodyLimit: 10)
        for line in lines { try (line + "\r\n").withBytes { try answer.take(headerLine: $0) } }
        return answer.response
    }

    @Test func `only a complete head is an answer`() throws {
        #expect(try answer("HTTP/1.1 200 OK", "A: 1") == nil)
        #expect(try answer("HTTP/1.1 100 Continue", "") == nil)
        #expect(try answer("HTTP/1.1 200 OK", "") != nil)
    }

    @Test func `the last answer's headers count`() throws {
        let response = try #require(
            try answer("HTTP/1.1 100 Continue", "A: 1", "", "HTTP/2 201", "b:2", "C:", "", "D: 4"))
        #expect(response.status == 201)
        #expect(response.headers.map { "\($0.name)=\($0.value)" } == ["b=2", "C="])
    }

    @Test func `a folded header is one`() throws {
        #expect(try answer("HTTP/1.1 200 OK", "A: 1", "\t 2", "")?["a"] == "1 2")
    }
}

struct TransferEndTests {
    private func end(_ code: CURLcode, sent: Bool = true, body: Bool = true, tunnel: Int = 0) -> HTTPFailure {
        TransferEnd(
            code: code, text: "t", wasSent: sent, bodyWasHandedOver: body, usedProxy: false, tunnelStatus: tunnel
        ).failure
    }

    @Test func `libcurl's codes are told apart by what to do about them`() {
        #expect(end(CURLE_COULDNT_RESOLVE_HOST) == .unknownHost("t"))
        #expect(end(CURLE_COULDNT_RESOLVE_PROXY) == .proxy("t"))
        #expect(end(CURLE_COULDNT_CONNECT) == .cannotConnect("t"))
        #expect(end(CURLE_OPERATION_TIMEDOUT, sent: false) == .cannotConnect("t"))
        #expect(end(CURLE_OPERATION_TIMEDOUT, body: false) == .stalled(afterBody: false))
        #expect(end(CURLE_OPERATION_TIMEDOUT) == .stalled(afterBody: true))
        #expect(end(CURLE_SEND_ERROR, sent: false) == .broken("t", afterBody: false))
        #expect(end(CURLE_HTTP2_STREAM) == .broken("t", afterBody: true))
        #expect(end(CURLE_RECV_ERROR, sent: false, tunnel: 502) == .proxy("The proxy answered 502"))
        #expect(end(CURLE_PEER_FAILED_VERIFICATION) == .untrusted("t"))
        #expect(end(CURLE_WEIRD_SERVER_REPLY) == .badAnswer("t"))
        #expect(end(CURLE_UNSUPPORTED_PROTOCOL) == .badAnswer("t"))
        #expect(end(CURLE_UNSUPPORTED_PROTOCOL, sent: false) == .badRequest("t"))
        #expect(end(CURLE_URL_MALFORMAT, sent: false) == .badRequest("t"))
    }

    @Test(arguments: [
        ("Unsupported proxy syntax in 'http://user:pw@host:x'", "Unsupported proxy syntax in 'http://host:x'"),
        ("in 'user:p@w@host' found", "in host' found"),
        ("Failed for https://h/a?token=1 here", "Failed for https://h/a here"),
        ("Could not resolve host: h.example", "Could not resolve host: h.example"),
    ])
    func `no credentials and queries are quoted`(said: String, told: String) {
        #expect(TransferEnd.redacted(said) == told)
    }
}

struct TransferTests {
    /// How a request ends whose connection broke before the answer, and whose next one is not trusted.
    private func end(_ request: HTTPRequest, afterStart: Bool) throws -> HTTPFailure? {
        let transfer = Transfer(request, trustsDirectory: false)
        let easy = try #require(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        transfer.easy = easy
        if afterStart { #expect(transfer.mayStart()) }
        guard case .failure(let failure) = transfer.result(CURLE_PEER_FAILED_VERIFICATION) else { return nil }
        return failure
    }

    @Test func `what may have been sent is not told as never sent by a server that is not trusted the next time`()
        throws
    {
        for method in ["POST", "PUT"] {
            let request = HTTPRequest(method: method, url: "https://h/")
            guard case .untrusted? = try end(request, afterStart: false) else {
                return #expect(Bool(false), "\(method)")
            }
        }
        let once = try end(HTTPRequest(method: "POST", url: "https://h/"), afterStart: true)
        guard case .broken(_, afterBody: true)? = once else {
            return #expect(Bool(false), "\(String(describing: once))")
        }
        let often = try end(HTTPRequest(method: "PUT", url: "https://h/"), afterStart: true)
        guard case .untrusted? = often else { return #expect(Bool(false), "\(String(describing: often))") }
    }
}

struct TrustTests {
    private func trust(_ environment: [String: String], file: String? = nil) -> CertificateTrust {
        CertificateTrust(CurlConfiguration(userAgent: "t", certificateAuthorities: file), environment: environment)
    }

    @Test func `certificates are looked for where curl looks`() {
        let all = ["CURL_CA_BUNDLE": "a", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"]
        let chosen = trust(all, file: "mine")
        #expect(chosen.file == "mine" && chosen.directory == nil)
        #expect(trust(all).file == "a" && trust(all).directory == nil)
        let ssl = trust(["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "b", "SSL_CERT_DIR": "c"])
        #expect(ssl.file == "b" && ssl.directory == "c")
        #expect(trust([:]).file != nil, "the system's")
        #expect(trust(["SSL_CERT_FILE": "b"]) == CertificateTrust(file: "b", directory: trust([:]).directory))
        #expect(trust(["SSL_CERT_DIR": "c"]) == CertificateTrust(file: trust([:]).file, directory: "c"))
    }
}

extension String {
    fileprivate func withBytes(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try Array(utf8).withUnsafeBytes(body)
    }
}
