import Submit
import SubmitHTTP
import Testing

@testable import WebDAVSubmitter

@Suite struct `The check of requests` {
    private static let url = "http://127.0.0.1:9/dav/a.jpg"
    private static let document = PropfindBody(properties: [.dav("getetag")]).bytes
    private static let xml = ("Content-Type", "application/xml; charset=utf-8")
    private typealias Headers = [(name: String, value: String)]

    private static func request(
        _ method: String, _ url: String = url, _ headers: Headers = [], _ body: HTTPBody = .none
    ) -> HTTPRequest {
        HTTPRequest(method: method, url: url, headers: headers, body: body)
    }

    @Test func `finds nothing wrong with what is right`() {
        let right = [
            Self.request("PROPFIND", Self.url, [("Depth", "1"), Self.xml], .bytes(Self.document)),
            Self.request("MKCOL", "http://127.0.0.1:9/dav/%E2%9C%93/"),
            Self.request("MOVE", Self.url, [("Destination", "http://127.0.0.1:9/dav/b.jpg"), ("Overwrite", "F")]),
            Self.request(
                "PUT", Self.url, [("Content-Range", "bytes 4-7/8"), ("If", "<\(Self.url)> (<urn:uuid:1>)")],
                .bytes([1, 2, 3, 4])),
            Self.request("UNLOCK", Self.url, [("Lock-Token", "<urn:uuid:1>")]),
            Self.request("LOCK", Self.url, [("If", "(<urn:uuid:1>)"), ("Timeout", "Second-600")]),
        ]
        for request in right { #expect(RequestCheck(request).violations == []) }
    }

    @Test func `finds what is wrong`() {
        let wrong = [
            Self.request("PROPFIND", Self.url, [Self.xml], .bytes(Self.document)),
            Self.request("PROPFIND", Self.url, [("Depth", "infinity"), Self.xml], .bytes(Self.document)),
            Self.request("PROPFIND", Self.url, [("Depth", "0")], .bytes(Self.document)),
            Self.request("PROPFIND", Self.url, [("Depth", "0"), Self.xml], .bytes(Self.document.dropLast(3))),
            Self.request("PROPPATCH", Self.url, [Self.xml], .bytes(Self.document)),
            Self.request("MKCOL", "http://127.0.0.1:9/dav/a"),
            Self.request("MKCOL", "http://127.0.0.1:9/dav/a/", [], .bytes([1])),
            Self.request("MOVE", Self.url, [("Destination", "/dav/b.jpg"), ("Overwrite", "F")]),
            Self.request("MOVE", Self.url, [("Destination", "http://127.0.0.1:9/dav/b.jpg")]),
            Self.request("MOVE", Self.url, [("Destination", "http://127.0.0.1:8/dav/b.jpg"), ("Overwrite", "F")]),
            Self.request("MOVE", Self.url, [("Destination", "http://127.0.0.1:9/dav/b c.jpg"), ("Overwrite", "F")]),
            Self.request("MOVE", Self.url, [("Destination", Self.url), ("Overwrite", "no")]),
            Self.request("PUT", Self.url),
            Self.request("PUT", Self.url, [("Expect", "100-continue")], .bytes([1])),
            Self.request("PUT", Self.url, [("Transfer-Encoding", "chunked")], .bytes([1])),
            Self.request("PUT", Self.url, [("Content-Range", "bytes 4-8/8")], .bytes([1, 2, 3, 4, 5])),
            Self.request("PUT", Self.url, [("Content-Range", "bytes 4-6/8")], .bytes([1, 2])),
            Self.request("PUT", Self.url, [("If", "<urn:uuid:1>")], .bytes([1])),
            Self.request("PUT", Self.url, [("If-None-Match", "abc")], .bytes([1])),
            Self.request("PUT", Self.url, [("X-Name", "é")], .bytes([1])),
            Self.request("PUT", "http://127.0.0.1:9/dav/a%2.jpg", [], .bytes([1])),
            Self.request("PUT", "http://127.0.0.1:9/dav/../a.jpg", [], .bytes([1])),
            Self.request("PUT", "http://127.0.0.1:9/dav/é.jpg", [], .bytes([1])),
            Self.request("UNLOCK", Self.url, [("Lock-Token", "urn:uuid:1")]),
            Self.request("LOCK", Self.url),
            Self.request("GET", Self.url, [("Range", "bytes=5-3")]),
            Self.request("GET", Self.url, [("Depth", "0")]),
        ]
        for request in wrong {
            #expect(!RequestCheck(request).violations.isEmpty, "\(request.method) \(request.headers)")
        }
    }
}
