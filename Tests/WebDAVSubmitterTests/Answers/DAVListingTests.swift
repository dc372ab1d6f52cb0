import Submit
import Testing

@testable import WebDAVSubmitter

@Suite struct `A listing` {
    private func listing(_ hrefs: [String], of asked: [String]) -> DAVListing {
        listing(hrefs.map { Multistatus.Response(href: $0) }, of: asked)
    }

    private func listing(_ responses: [Multistatus.Response], of asked: [String]) -> DAVListing {
        DAVListing(responses, of: DAVPath(asked, isCollection: true), now: Timestamp(nanoseconds: 0))
    }

    @Test func `tells the collection from its members in any order`() {
        let found = listing(["/dav/f/b/", "/dav/f/", "/dav/f/a.jpg"], of: ["dav", "f"])
        #expect(found.itself?.path.encoded == "/dav/f/")
        #expect(found.members.map(\.path.encoded) == ["/dav/f/b/", "/dav/f/a.jpg"])
    }

    @Test func `has its members below the path that was asked about`() {
        let found = listing(["https://inner:8080/f/", "https://inner:8080/f/a%2Db"], of: ["dav", "f"])
        #expect(found.itself != nil && found.members.map(\.path.encoded) == ["/dav/f/a-b"])
        let added = listing(["/srv/dav/", "/srv/dav/a"], of: [])
        #expect(added.itself != nil && added.members.map(\.path.encoded) == ["/a"])
    }

    @Test func `finds a member that is called as its collection`() {
        let found = listing(["/", "/photos", "/a"], of: ["photos"])
        #expect(found.members.map(\.path.encoded) == ["/photos/photos", "/photos/a"])
    }

    @Test func `may lack the collection and may be of a file`() {
        let found = listing(["/dav/a", "/dav/b"], of: ["dav"])
        #expect(found.itself == nil && found.members.count == 2)
        #expect(listing(["/dav/a"], of: ["dav", "a"]).itself != nil)
        #expect(listing([String](), of: ["dav"]).members.isEmpty)
    }

    @Test func `tells that a server lost addresses of what is there`() {
        #expect(listing(["/dav/", "/dav/a"], of: ["dav"]).isWhole)
        #expect(!listing(["/dav/", ""], of: ["dav"]).isWhole)
    }

    @Test func `leaves out what is elsewhere and keeps apart what is refused`() {
        let responses = [
            Multistatus.Response(href: "/dav/"), .init(href: "/dav/a", status: 403), .init(href: "/dav/b", status: 404),
            .init(href: "/dav/c", status: 200), .init(href: "/../x"),
        ]
        let found = listing(responses, of: ["dav"])
        #expect(found.members.map(\.path.name) == ["c"] && found.refused == ["a": 403])
        #expect(listing(["/dav/x/", "/dav/x/y/z", "/other/q"], of: ["dav", "x"]).members.isEmpty)
    }
}
