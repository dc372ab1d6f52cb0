import Submit
import SubmitHTTP
import TestServers
import Testing

@testable import SubmitSignIn

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

    @Test func `texts for URLs are base64 with other last digits, and without padding`() {
        #expect(SecretText.base64URL([0xfb, 0xef, 0xff] as [UInt8]) == "--__")
        #expect(SecretText.base64URL("f".utf8) == "Zg" && SecretText.base64URL("fo".utf8) == "Zm8")
    }

    @Test func `secrets are compared whole`() {
        #expect(SecretText.areSame("abc", "abc"))
        for other in ["abd", "ab", "abcd", "", "Abc"] { #expect(!SecretText.areSame("abc", other)) }
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
        let server = ScriptedTransport { request in
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
