import Submit
import SubmitHTTP
import Testing

@testable import WebDAVSubmitter

@Suite struct `The location of an upload` {
    private func read(_ text: String?, at endpoint: String = "https://cloud.example/dav") throws -> TusLocation? {
        TusLocation(text, from: "/dav/photos/", at: try Endpoint(endpoint))
    }

    @Test(arguments: [
        ("https://cloud.example/data/abc.def", "/data/abc.def"), ("HTTPS://Cloud.Example:443/data/1?a=b", "/data/1?a=b"),
        // A server behind a proxy.
        ("http://cloud.example/data/1", "/data/1"), ("http://cloud.example:9200/data/1", "/data/1"),
        ("//cloud.example/data/1", "/data/1"), ("/data/1#x", "/data/1"), ("/data//1/", "/data//1/"),
        ("1", "/dav/photos/1"), ("1?x=/../", "/dav/photos/1?x=/../"), ("https://cloud.example//evil.example/1", "//evil.example/1"),
    ])
    func `is a path at the destination's server`(text: String, path: String) throws {
        #expect(try read(text) == .path(path))
    }

    @Test(arguments: [
        ("https://evil.example/1", "https://evil.example"), ("https://cloud.example.evil.example/1", "https://cloud.example.evil.example"),
        ("//evil.example:444", "https://evil.example:444"),
    ])
    func `may be elsewhere`(text: String, origin: String) throws {
        #expect(try read(text) == .elsewhere(origin))
    }

    @Test(arguments: [
        nil, "", " ", "/a b", "/a\r\nb", "/é", "\\data", "/data/../1", "./1", "../1", "mailto:a@b", "ftp://cloud.example/1",
        "https:", "https:/data", "https://", "https://cloud.example", "https://cloud.example?x", "https://u:p@cloud.example/1",
        "https://cloud.example:99999/1", "#", "?x", "/" + String(repeating: "a", count: 16 << 10),
    ])
    func `may be none`(text: String?) throws {
        #expect(try read(text) == nil)
    }

    @Test func `counts from where the upload was begun`() throws {
        let endpoint = try Endpoint("http://127.0.0.1:9")
        #expect(TusLocation("1", from: "/files", at: endpoint) == .path("/files/1"))
        #expect(TusLocation("1", from: "/files?x=1", at: endpoint) == .path("/files/1"))
    }
}

@Suite struct `What a server says of tus` {
    private func offer(_ headers: (name: String, value: String)...) -> TusOffer? {
        TusOffer(HTTPResponse(status: 204, headers: headers))
    }

    @Test func `is an offer where uploads can be begun in our version`() {
        #expect(offer(("Tus-Resumable", "1.0.0"), ("Tus-Extension", "creation")) == TusOffer())
        #expect(offer(("Tus-Version", "1.1.0, 1.0.0"), ("Tus-Extension", "Creation, termination")) == TusOffer())
        #expect(offer(("Tus-Version", "0.2.2"), ("Tus-Resumable", "0.2.2"), ("Tus-Extension", "creation")) == nil)
        #expect(offer(("Tus-Resumable", "1.0.0"), ("Tus-Extension", "creation-with-upload,checksum")) == nil)
        #expect(offer(("Tus-Resumable", "1.0.0")) == nil && offer() == nil)
    }

    @Test func `has limits and digests`() {
        let all = offer(
            ("Tus-Resumable", "1.0.0"), ("Tus-Extension", "creation,checksum"), ("Tus-Max-Size", "1000"),
            ("Tus-Checksum-Algorithm", "crc32, MD5 ,sha1"))
        #expect(all?.largest == 1000 && all?.pieceDigest == .sha1)
        #expect(
            offer(("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,checksum"), ("Tus-Max-Size", "-1"))
                .map { $0.largest == nil && $0.pieceDigest == .sha1 } == true)
        #expect(
            offer(
                ("Tus-Version", "1.0.0"), ("Tus-Extension", "creation,checksum"), ("Tus-Checksum-Algorithm", "crc32"))?
                .pieceDigest == nil)
    }
}
