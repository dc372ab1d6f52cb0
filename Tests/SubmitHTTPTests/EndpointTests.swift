import Submit
import SubmitHTTP
import Testing

struct EndpointTests {
    @Test(arguments: [
        ("https://photos.example", "https://photos.example"), ("HTTP://Photos.Example:80/", "http://photos.example"),
        ("https://h:8443//", "https://h:8443"), ("https://h/dav/f/me/", "https://h/dav/f/me"),
        ("http://[2001:DB8::1]:9000/a", "http://[2001:db8::1]:9000/a"), ("http://[::1]", "http://[::1]"),
        ("https://h:/a", "https://h/a"), ("http://10.0.0.1:443/a%20b/~c", "http://10.0.0.1:443/a%20b/~c"),
        ("https://h:80", "https://h:80"), ("https://a_b-c.example.", "https://a_b-c.example."),
    ])
    func `an endpoint is read and made into URLs again`(text: String, url: String) throws {
        #expect(try Endpoint(text).url("") == url)
        #expect(try Endpoint(text).url("/x?y") == url + "/x?y")
    }

    @Test(arguments: [
        ("", "begin with"), ("h", "begin with"), ("ftp://h", "begin with"), ("//h", "begin with"),
        (" https://h", "begin with"), ("https:h", "begin with"), ("https://h/?a", "query"), ("https://h#a", "fragment"),
        ("https://u:hidden@h/", "user name"), ("https://u@h/", "user name"), ("https://", "host"),
        ("https:///a", "host"), ("https://.", "host"), ("https://a b", "host"), ("https://é.example", "host"),
        ("https://[::1", "host"), ("https://[::g]", "host"), ("https://[fe80::1%25eth0]", "host"),
        ("https://a%2eb", "host"), ("https://h:0", "port"), ("https://h:65536", "port"), ("https://h:x", "port"),
        ("https://h:+1", "port"), ("https://::1", "host"), ("https://h/a b", "path"), ("https://h/é", "path"),
        ("https://h/%", "path"), ("https://h/%2", "path"), ("https://h/%zz", "path"), ("https://h/a/../b", "path"),
        ("https://h/.", "path"), ("https://h\\a", "host"), ("https://h/a\nb", "path"),
    ])
    func `what is none is refused with a reason`(text: String, reason: String) {
        #expect {
            _ = try Endpoint(text)
        } throws: { error in
            let complaint = (error as? Endpoint.Invalid)?.complaint ?? ""
            return complaint.contains(reason) && complaint.hasPrefix("must ") && !complaint.contains("hidden")
        }
    }

    @Test(arguments: [
        ("http://localhost", true), ("http://a.localhost:1", true), ("http://127.9.9.9", true),
        ("http://[::1]:1", true),
        ("http://128.0.0.1", false), ("http://localhost.example", false), ("http://127.example", false),
        ("http://[::2]", false),
    ])
    func `loopback is this machine only`(text: String, isLoopback: Bool) throws {
        #expect(try Endpoint(text).isLoopback == isLoopback)
    }

    @Test func `a URL's parts can be asked for`() throws {
        let endpoint = try Endpoint("https://[::1]:9000/base")
        #expect(endpoint.isSecure && endpoint.host == "::1" && endpoint.port == 9000)
        #expect(endpoint.authority == "[::1]:9000" && endpoint.basePath == "/base")
        #expect(try Endpoint("https://h:443").authority == "h")
    }

    @Test(arguments: [
        ("AZaz09-._~", "AZaz09-._~"), ("a b/c", "a%20b%2Fc"), ("é写😀", "%C3%A9%E5%86%99%F0%9F%98%80"),
        ("%+&=?#", "%25%2B%26%3D%3F%23"), ("\n\0", "%0A%00"), ("", ""),
    ])
    func `everything but the unreserved is percent-encoded`(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(
            PercentEncoding.encodePath(text)
                == encoded.split(separator: "%2F", omittingEmptySubsequences: false).joined(separator: "/"))
    }
}
