import Submit
import SubmitReceiving
import SubmitStore
import HTTPTypes
import NIOCore
import NIOEmbedded
import Testing

@testable import SubmitServe

@Suite struct `The connections of an address` {
    private func channel(_ bound: AddressBound, _ address: String) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: AddressBound.Handler(bound))
        // It has no other way to be there.
        try channel.connect(to: try SocketAddress(ipAddress: address, port: 5000)).wait()
        return channel
    }

    @Test func `are so many at once, others have theirs, and one that ends makes room`() throws {
        let bound = AddressBound(most: 2)
        let (first, second, third) = (
            try channel(bound, "10.0.0.2"), try channel(bound, "10.0.0.2"), try channel(bound, "10.0.0.2")
        )
        #expect(first.isActive && second.isActive && !third.isActive)
        #expect(try channel(bound, "10.0.0.3").isActive)
        try first.close().wait()
        #expect(try channel(bound, "10.0.0.2").isActive)
        #expect(try !channel(bound, "10.0.0.2").isActive)
    }
}

@Suite struct `What every request has to be like` {
    private let requestGuard = RequestGuard(names: ["192.168.1.5", "box.local", "fd00::5"], port: 8443, isSecure: true)

    private func status(
        _ host: String?, _ method: HTTPRequest.Method = .get, _ path: String = "/status", _ fields: HTTPFields = [:]
    ) -> Int? {
        requestGuard.refusal(
            HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: fields)
        ).map { Int($0.status.code) }
    }

    @Test func `is one of our names`() {
        #expect(status("192.168.1.5:8443") == nil)
        #expect(status("BOX.local:8443") == nil)
        #expect(status("[fd00::5]:8443") == nil)
        for host in [nil, "", "192.168.1.5", "192.168.1.5:80", "evil.example:8443", "box.local:8443.evil.example"] {
            #expect(status(host) == 421, "\(host ?? "none")")
        }
        let usual = RequestGuard(names: ["box.local"], port: 443, isSecure: true)
        #expect(usual.hosts == ["box.local", "box.local:443"])
    }

    @Test(arguments: ["/r/x%23secret", "/r/x#secret", "/%2523", "/status?a=%23b"])
    func `holds no secret in its address`(_ path: String) {
        #expect(status("box.local:8443", .get, path) == (path == "/%2523" ? nil : 400))
    }

    @Test func `comes from a page of ours where a browser says from where`() {
        let site = HTTPField.Name("Sec-Fetch-Site")!
        for method in [HTTPRequest.Method.post, .put, .patch, .delete] {
            #expect(status("box.local:8443", method) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "same-origin"]) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "none"]) == nil)
            #expect(status("box.local:8443", method, "/x", [site: "same-site"]) == 403)
            #expect(
                status("box.local:8443", method, "/x", [site: "cross-site", .origin: "https://box.local:8443"]) == 403)
            #expect(status("box.local:8443", method, "/x", [.origin: "https://box.local:8443"]) == nil)
            #expect(status("box.local:8443", method, "/x", [.origin: "http://box.local:8443"]) == 403)
            #expect(status("box.local:8443", method, "/x", [.origin: "null"]) == 403)
        }
        #expect(status("box.local:8443", .get, "/x", [site: "cross-site"]) == nil)
    }

    @Test func `shows its token in a cookie or as a bearer`() {
        let secure = SessionToken(isSecure: true)
        #expect(secure.find(in: [.cookie: "a=b; __Host-submit=tok; c=d"]) == "tok")
        #expect(secure.find(in: [.cookie: "submit=tok"]) == nil)
        #expect(secure.find(in: [.authorization: "Bearer tok"]) == "tok")
        #expect(secure.find(in: [.authorization: "Basic tok", .cookie: "__Host-submit=tok"]) == nil)
        let set = secure.setting("tok", seconds: 60)
        #expect(set == "__Host-submit=tok; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure")
    }

    @Test func `leaves no trace of what it brought but its method`() {
        let line = AccessLine(method: "GE\u{1b}T", route: nil, status: 400, address: "10.0.0.1", time: .milliseconds(5))
        #expect("\(line)" == "10.0.0.1 ? - 400 5 ms")
    }
}

@Suite struct `A plain request at the port of TLS` {
    private let hosts: Set<String> = ["box.local:8443"]

    @Test func `is led to the same page`() {
        let answer = PlainRequestCatcher.answer(to: "GET /r/abc123 HTTP/1.1\r\nHost: box.local:8443\r\n\r\n", hosts)
        #expect(answer.contains("Location: https://box.local:8443/r/abc123\r\n"))
    }

    @Test(arguments: [
        "GET //evil.example HTTP/1.1\r\nHost: box.local:8443\r\n\r\n",
        "GET /r/x%23secret HTTP/1.1\r\nHost: box.local:8443\r\n\r\n",
    ]) func `is led nowhere else`(_ request: String) {
        #expect(PlainRequestCatcher.answer(to: request, hosts).contains("Location: https://box.local:8443/\r\n"))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "POST / HTTP/1.1\r\nHost: box.local:8443\r\n\r\n", "\r\n\r\n",
        "garbage",
    ]) func `is refused otherwise`(_ request: String) {
        #expect(PlainRequestCatcher.answer(to: request, hosts).hasPrefix("HTTP/1.1 400 "))
    }
}
