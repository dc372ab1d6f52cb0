import Testing

@testable import WebDAVSubmitter

@Suite struct `A WebDAV path` {
    private func path(_ href: String) -> DAVPath { DAVPath(href: href) ?? .root }

    @Test func `encodes all but unreserved characters and ends with a slash for a collection`() {
        let path = DAVPath(["dav", "a b", "50%", "#?+&é写😀'~"], isCollection: false)
        #expect(path.encoded == "/dav/a%20b/50%25/%23%3F%2B%26%C3%A9%E5%86%99%F0%9F%98%80%27~")
        #expect(path.parent?.encoded == "/dav/a%20b/50%25/")
        #expect(path.ancestors.map(\.encoded) == ["/dav/", "/dav/a%20b/", "/dav/a%20b/50%25/"])
        #expect(path.name == "#?+&é写😀'~" && DAVPath.root.name == nil && DAVPath.root.parent == nil)
        #expect(DAVPath.root.encoded == "/")
        #expect(DAVPath(["a"], isCollection: true).encoded == "/a/")
        #expect(DAVPath([], isCollection: false) == .root)
    }

    @Test func `keeps a slash in a name and the Unicode form, and takes no dots for names`() {
        #expect(DAVPath.root.appending("a/b").encoded == "/a%2Fb")
        #expect(DAVPath.root.appending("e\u{301}").encoded == "/e%CC%81")
        #expect(DAVPath.root.appending("..").appending(".").appending("") == .root)
        #expect(DAVPath(["..", "a", "..."], isCollection: false).encoded == "/a/...")
    }

    @Test func `is equal to itself in every encoding`() {
        let plain = DAVPath(["dav", "It's~é.jpg"], isCollection: false)
        for href in [
            "/dav/It's~é.jpg", "/dav/It%27s%7E%C3%A9.jpg", "/%64av/It%27s%7e%c3%a9%2Ejpg",
            "https://h:8443/dav/It's~é.jpg",
            "//h/dav/It's~é.jpg", "HTTP://u:p@[::1]/dav//It's~%C3%A9.jpg?x=/y", "dav/It's~é.jpg",
        ] {
            #expect(DAVPath(href: href) == plain, "\(href)")
        }
        #expect(path("/dav/It's~é.jpg/").isCollection)
    }

    @Test func `keeps bytes that are no UTF-8 as they came`() {
        #expect(path("/caf%e9/a").segments == ["caf%E9", "a"])
        #expect(path("/caf%e9/a").encoded == "/caf%E9/a")
        #expect(path("/caf%25E9").segments == ["caf%E9"])
        #expect(path("/caf%25E9") != path("/caf%E9"))
    }

    @Test(arguments: ["", " ", "/a/../b", "/a/%2e%2E", "..", "http://h/.."])
    func `is none for an empty text and for a way upwards`(href: String) {
        #expect(DAVPath(href: href) == nil)
    }

    @Test(arguments: ["%", "%4", "%zz", "/%+1", "://", ":", "a:b", "http:", "http://", "?", "#", "\0", "/%00"])
    func `out of odd texts is one that is read again as it was written`(href: String) throws {
        let path = try #require(DAVPath(href: href))
        #expect(DAVPath(href: path.encoded) == path && path.ancestors.count == max(0, path.segments.count - 1))
    }

    @Test func `takes a percent sign without digits for one`() {
        #expect(path("/50%/%zz/%+1/%4").segments == ["50%", "%zz", "%+1", "%4"])
        #expect(path("/a:b/c://d").segments == ["a:b", "c:", "d"])
    }

    @Test func `knows itself and its members whatever a proxy does to the beginning`() {
        let asked = DAVPath(["remote", "dav", "Ä b"], isCollection: true)
        for same in ["/remote/dav/Ä%20b", "/dav/A%CC%88%20b/", "/Ä b", "/x/remote/dav/%C3%84%20b", "/"] {
            #expect(path(same).relation(to: asked) == .itself, "\(same)")
        }
        for member in ["/remote/dav/Ä%20b/c%20d/", "/dav/Ä b/c d", "/Ä b/c d", "/x/remote/dav/Ä b/c d", "/c d"] {
            #expect(path(member).relation(to: asked) == .member("c d"), "\(member)")
        }
        for other in ["/remote/dav/other/c", "/remote/dav/Ä b/c/d", "/remote/dav/other", "/b/b"] {
            #expect(path(other).relation(to: asked) == .elsewhere || path(other).segments.count == 1, "\(other)")
        }
        #expect(path("/a").relation(to: .root) == .member("a"))
        #expect(path("/a/b").relation(to: .root) == .elsewhere)
    }

    @Test func `of one base is the same below another`() {
        #expect(path("/a/b").below(path("/x/")).encoded == "/x/a/b")
        #expect(DAVPath.root.below(path("/x/")).encoded == "/x/")
    }
}
