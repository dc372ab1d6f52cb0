import SubmitXML
import Testing

@testable import WebDAVSubmitter

@Suite struct `A request document` {
    private func children(_ body: [UInt8]) throws -> (root: XMLName, children: [XMLElement]) {
        var children: [XMLElement] = []
        let root = try XMLReader.elements(body) { children.append($0) }
        return (root, children)
    }

    @Test func `asks for properties by namespace`() throws {
        let names = [XMLName.dav("getetag"), .ownCloud("fileid"), XMLName("bare"), .ownCloud("checksums")]
        let found = try children(PropfindBody(properties: names).bytes)
        #expect(found.root == .dav("propfind"))
        #expect(found.children == [XMLElement(.dav("prop"), children: names.map { XMLElement($0) })])
    }

    @Test func `sets and removes properties`() throws {
        let caption = XMLName("caption", namespace: "urn:a&\"b<'")
        let body = ProppatchBody(set: [.init(name: caption, text: "x")], remove: [.dav("displayname")]).bytes
        let found = try children(body)
        #expect(found.root == .dav("propertyupdate"))
        #expect(
            found.children == [
                XMLElement(
                    .dav("set"), children: [XMLElement(.dav("prop"), children: [XMLElement(caption, text: "x")])]),
                XMLElement(
                    .dav("remove"),
                    children: [XMLElement(.dav("prop"), children: [XMLElement(.dav("displayname"))])]),
            ])
    }

    @Test func `brings every character over that XML can hold, and drops the others`() throws {
        let text = " <a b='&amp;'>]]>\r\n\t\u{85}\u{2028}é😀\u{FFFD}\u{10FFFF} "
        let forbidden = "\0\u{1}\u{B}\u{1F}\u{FFFE}\u{FFFF}"
        let name = XMLName("caption", namespace: "urn:x")
        let body = ProppatchBody(set: [.init(name: name, text: forbidden + text + forbidden)]).bytes
        let value = try children(body).children.first?.first(.dav("prop"))?.first(name)?.text
        #expect(value == text && value.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `asks for a lock in words of the owner`() throws {
        let found = try children(LockBody(owner: "submit & <co>").bytes)
        #expect(found.root == .dav("lockinfo") && found.children.last?.text == "submit & <co>")
    }
}
