import SubmitHTTP
import Testing

@Suite struct `Allowed origins` {
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
}
