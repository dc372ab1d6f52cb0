import Submit
import SubmitHTTP
import Testing

struct RedirectTests {
    private func redirect(
        _ method: String, _ status: Int, from: String, to location: String?,
        headers: [(name: String, value: String)] = []
    ) -> Redirect {
        Redirect(
            HTTPRequest(method: method, url: from, headers: headers, body: method == "PUT" ? .bytes([1]) : .none),
            HTTPResponse(status: status, headers: location.map { [("location", $0)] } ?? []))
    }

    @Test(arguments: [
        ("https://h/a/b?q", "c", "https://h/a/c"), ("https://h/a/b?q", "../c?d", "https://h/c?d"),
        ("https://h/a/b", "/x/./y/../z", "https://h/x/z"), ("https://h/a/b", "?n", "https://h/a/b?n"),
        ("https://h/a", "//other:1/b", "https://other:1/b"), ("http://h/a", "https://h/a#f", "https://h/a"),
        ("https://h", "b", "https://h/b"), ("https://h/a", "https://other", "https://other"),
        ("https://h/a/", "../../../x", "https://h/x"), ("https://h/a", "/é b", "https://h/%C3%A9%20b"),
        ("https://h/a/b/", "..", "https://h/a/"), ("https://h/a", "b:c", nil), ("https://h/a", "ftp://h/a", nil),
        ("https://h/a", "https://u:p@h/a", nil), ("https://h/a", "http://h/a", nil), ("https://h/a", "http://o/a", nil),
        ("https://h/a", "https:///x", nil),
    ])
    func `a GET goes where it is sent, but to no weaker place`(from: String, location: String, target: String?) {
        for status in [301, 302, 303, 307, 308] {
            switch redirect("GET", status, from: from, to: location) {
            case .follow(let next): #expect(next.url == target && next.method == "GET")
            case .refuse(let sentence):
                #expect(target == nil)
                #expect(sentence.contains("“h”") && sentence.hasSuffix(".") && !sentence.contains("u:p"))
            case .none: Issue.record("not seen")
            }
        }
    }

    @Test(arguments: [
        (307, "https://h/a", "https://h/b", true), (308, "https://h/a", "/b", true),
        (308, "https://h/a", "//H/b", true),
        (308, "http://h/a", "https://h/a", true), (308, "https://h/a", "https://h:443/a", true),
        (308, "http://h:8080/a", "https://h/a", false), (307, "https://h/a", "https://other/a", false),
        (307, "https://h/a", "https://h:8443/a", false), (307, "https://h/a", "http://h/a", false),
        (307, "https://h/a", "https://h.evil/a", false), (301, "https://h/a", "/b", false),
        (302, "https://h/a", "/b", false), (303, "https://h/a", "/b", false),
    ])
    func `an upload goes on with 307 and 308 on the same host only`(
        status: Int, from: String, location: String, follows: Bool
    ) {
        for method in ["PUT", "POST", "PROPFIND", "DELETE"] {
            switch redirect(method, status, from: from, to: location) {
            case .follow(let next): #expect(follows && next.method == method)
            case .refuse(let sentence): #expect(!follows && sentence.hasSuffix("."))
            case .none: Issue.record("not seen")
            }
        }
    }

    @Test(arguments: [200, 300, 304, 305, 401, 503])
    func `other answers stand`(status: Int) {
        guard case .none = redirect("GET", status, from: "https://h/a", to: "/b") else {
            Issue.record("followed")
            return
        }
    }

    @Test func `a redirect to nowhere stands`() {
        guard case .none = redirect("GET", 302, from: "https://h/a", to: nil) else {
            Issue.record("followed")
            return
        }
    }

    @Test func `credentials stay on their host`() throws {
        let headers = [
            "Authorization", "Cookie", "X-Amz-Date", "x-amz-content-sha256", "X-Auth-Token", "x-api-key", "X-WSSE",
            "Dropbox-API-Arg", "Accept", "Range", "If-None-Match", "Accept-Language",
        ].map { (name: $0, value: "1") }
        func names(_ location: String) throws -> [String] {
            guard case .follow(let next) = redirect("GET", 302, from: "https://h/a", to: location, headers: headers)
            else { return [] }
            return next.headers.map(\.name)
        }
        #expect(try names("/b") == headers.map(\.name))
        #expect(try names("https://h:444/") == ["Accept", "Range", "If-None-Match", "Accept-Language"])
        #expect(try names("https://other/") == ["Accept", "Range", "If-None-Match", "Accept-Language"])
    }

    @Test func `a certificate of ours stays on its host`() {
        var request = HTTPRequest(method: "GET", url: "https://h/a", certificateAuthority: "/ca.pem")
        request.clientCertificate = ClientCertificate(certificate: "/c.pem", key: "/k.pem")
        for (location, stays) in [("/b", true), ("https://other/", false), ("https://h:444/", false)] {
            let response = HTTPResponse(status: 302, headers: [("Location", location)])
            guard case .follow(let next) = Redirect(request, response) else {
                Issue.record("not followed")
                continue
            }
            #expect((next.clientCertificate != nil) == stays && next.certificateAuthority == "/ca.pem")
        }
    }

    @Test(arguments: [(5, true), (6, false)])
    func `five redirects are followed and no more`(count: Int, arrives: Bool) async throws {
        let transport = RedirectingTransport(ChainTransport(length: count))
        let request = HTTPRequest(method: "PUT", url: "https://h/0", body: .bytes([7]))
        if arrives {
            #expect(try await transport.send(request).body == Array("/\(count)".utf8))
        } else {
            await #expect(throws: HTTPFailure.self) { try await transport.send(request) }
        }
    }

    @Test func `what must not be followed ends the request`() async {
        let transport = RedirectingTransport(ChainTransport(length: 1, status: 302))
        await #expect {
            try await transport.send(HTTPRequest(method: "PUT", url: "https://h/0"))
        } throws: { error in
            guard case .refusedRedirect(let sentence) = error as? HTTPFailure else { return false }
            return sentence.contains("https://h")
        }
    }
}

/// Sends every request on to the next number until `length`.
private struct ChainTransport: HTTPTransport {
    var length: Int
    var status = 308

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        let number = Int(request.url.split(separator: "/").last!)!
        guard number < length else { return HTTPResponse(status: 200, body: Array("/\(number)".utf8)) }
        return HTTPResponse(status: status, headers: [("Location", "/\(number + 1)")])
    }
}
