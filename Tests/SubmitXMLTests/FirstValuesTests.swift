import SubmitXML
import Testing

@Suite
struct FirstValuesTests {
    private func values(_ text: String) throws -> [String: String] { try XMLReader.firstValues(Array(text.utf8)) }

    @Test func `texts and attributes stand under their paths, the first of several`() throws {
        let values = try values(
            """
            <?xml version="1.0" encoding="utf-8" ?>
            <rsp stat="fail" xmlns:h="urn:x"><err code="98" msg="Bad &amp; &lt;worse&gt; &#233;" h:more="m"/>
            <photo><id>1</id></photo><photo><id>2</id></photo></rsp>
            """)
        #expect(values["rsp@stat"] == "fail")
        #expect(values["rsp/err@code"] == "98")
        #expect(values["rsp/err@msg"] == "Bad & <worse> é")
        #expect(values["rsp/err@more"] == "m")
        #expect(values["rsp/err"] == "")
        #expect(values["rsp/photo/id"] == "1")
        #expect(values["rsp@xmlns"] == nil)
        #expect(values["rsp@h"] == nil)
    }

    @Test func `namespaces do not matter, and text around elements counts`() throws {
        let values = try values("<a:e xmlns:a='urn:a'>x<b xmlns='urn:b' c='d'>y</b>z</a:e>")
        #expect(values["e"] == "xz")
        #expect(values["e/b"] == "y")
        #expect(values["e/b@c"] == "d")
    }

    @Test(arguments: ["<a b='c'>", "<!DOCTYPE a><a b='c'/>", ""])
    func `what cannot be read gives nothing`(text: String) {
        #expect(throws: XMLFailure.self) { try values(text) }
    }

    @Test func `attributes belong to the element that has just started`() throws {
        let reader = XMLReader(Array("<a b='c'>t<d/></a>".utf8))
        var found: [Int] = []
        while try reader.next() != nil { found.append(reader.startedAttributes().count) }
        #expect(found == [1, 0, 0, 0, 0])
    }
}
