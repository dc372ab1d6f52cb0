import Submit
import Testing

@testable import SubmitHTTP

@Suite struct `the small parts of OAuth` {
    @Test func `a proof key is that of RFC 7636, appendix B`() throws {
        let key = try #require(PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `a new proof key is one that nobody had`() {
        let keys = (0..<20).map { _ in PKCE() }
        #expect(Set(keys).count == 20)
        #expect(keys.allSatisfy { PKCE(verifier: $0.verifier) == $0 })
        #expect("\(keys[0])" == "proof key" && String(reflecting: keys[0]) == "proof key")
    }

    @Test(arguments: [
        "", String(repeating: "a", count: 42), String(repeating: "a", count: 129), String(repeating: "ä", count: 50),
    ])
    func `what is no proof key is none`(text: String) {
        #expect(PKCE(verifier: text) == nil)
    }

    /// RFC 6749, appendix B.
    @Test func `forms are encoded as the standard does it`() {
        #expect(WebForm.encode(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
        #expect(WebForm.encode([("a b", "c=d"), ("e", "")]) == "a+b=c%3Dd&e=")
    }

    @Test(arguments: [
        ("a=b&c=d", [("a", "b"), ("c", "d")]), ("c2&a3=2+q", [("c2", ""), ("a3", "2 q")]), ("", []), ("&&", []),
        ("a=b=c", [("a", "b=c")]), ("a=%", [("a", "%")]), ("a=%4", [("a", "%4")]), ("%61=%e2%82%AC", [("a", "€")]),
        ("a=%ff", [("a", "\u{fffd}")]), ("=x", [("", "x")]),
    ])
    func `forms are read`(text: String, fields: [(String, String)]) {
        let read = WebForm.decode(text)
        #expect(read.map(\.name) == fields.map(\.0) && read.map(\.value) == fields.map(\.1))
    }

    @Test func `secrets are compared whole`() {
        #expect(SecretText.areSame("abc", "abc"))
        for other in ["abd", "ab", "abcd", "", "Abc"] { #expect(!SecretText.areSame("abc", other)) }
    }

    @Test(arguments: [
        ("https://api.h", "https://api.h/x", true), ("https://api.h", "https://API.H:443/x?y", true),
        ("https://api.h", "http://api.h/x", false), ("https://api.h", "https://api.h:444/x", false),
        ("https://api.h", "https://evil.h/", false), ("https://api.h", "https://api.h@evil.h/", false),
        ("https://api.h", "https://api.h.evil/", false), ("https://api.h", "/x", false),
        ("https://*.h.org", "https://up.h.org/", true), ("https://*.h.org", "https://a.b.h.org/", true),
        ("https://*.h.org", "https://h.org/", false), ("https://*.h.org", "https://evilh.org/", false),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/x", true), ("http://[::1]:1", "http://[::1]:1/", true),
    ])
    func `origins are those that were said`(origin: String, url: String, isOne: Bool) throws {
        #expect(try #require(AllowedOrigins([origin])).contains(url) == isOne)
    }

    @Test(arguments: ["ftp://h", "h", "https://", "https://u:p@h"])
    func `what is no origin is none`(origin: String) {
        #expect(AllowedOrigins([origin]) == nil)
    }

    /// The digest was made with OpenSSL: `printf '\x00…\x0f2024-01-02T03:04:05Zapi-key' | openssl dgst -sha1 -binary | base64`.
    @Test func `WSSE is a digest of nonce, time and key`() {
        let header = WSSE(user: "hatena", key: "api-key").header(
            at: Timestamp(nanoseconds: 1_704_164_645_000_000_000), nonce: Array(0..<16))
        #expect(
            header == "UsernameToken Username=\"hatena\", PasswordDigest=\"t3we7lmjUZkjgPVfqwvRxmI0rRc=\", "
                + "Nonce=\"AAECAwQFBgcICQoLDA0ODw==\", Created=\"2024-01-02T03:04:05Z\"")
    }

    @Test(arguments: ["", "a\"b", "a\\b", "a\nb", "ü"])
    func `WSSE names no user who could write a header`(user: String) {
        #expect(WSSE(user: user, key: "k").header(at: .now) == nil)
    }

    @Test func `WSSE goes to its origins only, by the server's clock`() async throws {
        let server = Script { request in
            guard request.url.hasPrefix("https://f/"), let value = request["X-WSSE"] else {
                return HTTPResponse(status: 200)
            }
            return value.contains("Created=\"2030-")
                ? HTTPResponse(status: 201)
                : HTTPResponse(status: 401, headers: [("Date", "Wed, 02 Jan 2030 03:04:05 GMT")])
        }
        let transport = WSSETransport(
            server, WSSE(user: "u", key: "canary"), origins: AllowedOrigins(try Endpoint("https://f")),
            clock: ServerClock(now: { Timestamp(nanoseconds: 1_704_164_645_000_000_000) }))
        #expect(try await transport.send(put("https://f/atom/post")).status == 201)
        #expect(try await transport.send(put("https://f/atom/post")).status == 201)
        #expect(try await transport.send(put("https://other/")).status == 200)
        #expect(server.seen.count == 4)
        #expect(server.seen.map { $0["Authorization"] != nil } == [true, true, true, false])
        #expect(!"\(transport) \(String(reflecting: transport))".contains("canary"))
    }
}
