import SubmitXML
import Testing

@testable import WebDAVSubmitter

@Suite struct `A multistatus` {
    private func document(_ responses: some Sequence<String>) -> [UInt8] {
        Array("<D:multistatus xmlns:D='DAV:'>\(responses.joined())</D:multistatus>".utf8)
    }

    @Test func `may have twenty thousand responses`() throws {
        let body = document((0..<20_000).map { "<D:response><D:href>/dav/\($0)</D:href></D:response>" })
        let responses = try Multistatus.parse(body)
        #expect(responses.count == 20_000 && responses.last?.href == "/dav/19999")
    }

    @Test func `with more nodes or bytes than allowed is refused`() {
        let body = document((0..<20_000).map { "<D:response><D:href>/dav/\($0)</D:href></D:response>" })
        for limits in [XMLLimits(nodes: 1000), XMLLimits(bytes: 1000)] {
            let failure = #expect(throws: XMLFailure.self) { try Multistatus.parse(body, limits: limits) }
            guard case .tooLarge = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
        }
    }

    @Test func `that is something else says so and not that nothing is there`() {
        #expect(throws: XMLFailure.otherDocument(root: "html")) { try Multistatus.parse(Array("<html/>".utf8)) }
    }

    @Test func `finds an element inside of a property`() throws {
        let body = document([
            "<D:response><D:href>/a</D:href><D:propstat><D:prop><D:a><D:b/><D:b><D:c>x</D:c></D:b></D:a></D:prop>"
                + "</D:propstat></D:response>"
        ])
        let response = try #require(try Multistatus.parse(body).first)
        #expect(response.element(.dav("a"), .dav("b")) != nil)
        #expect(response.element(.dav("a"), .dav("c")) == nil && response.element() == nil)
    }
}
