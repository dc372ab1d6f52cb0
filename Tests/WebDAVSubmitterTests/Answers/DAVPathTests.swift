import Testing

@testable import WebDAVSubmitter

@Suite struct `A WebDAV path` {
    @Test func `encodes all but unreserved characters and ends with a slash for a collection`() {
        let path = DAVPath(["dav", "a b", "50%", "#?+&é写😀'~"], isCollection: false)
        #expect(path.encoded == "/dav/a%20b/50%25/%23%3F%2B%26%C3%A9%E5%86%99%F0%9F%98%80%27~")
        #expect(path.parent?.encoded == "/dav/a%20b/50%25/")
        #expect(DAVPath.root.encoded == "/")
        #expect(DAVPath(["a"], isCollection: true).encoded == "/a/")
    }
}
