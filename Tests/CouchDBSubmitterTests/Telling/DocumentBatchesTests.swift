import Foundation
import Submit
import Testing

@testable import CouchDBSubmitter

@Suite struct `Batches of documents` {
    @Test func `hold all in their order, at most 500, and not too many bytes`() {
        let small = (0..<1201).map { picture($0) }
        #expect(Array(DocumentBatches(small)) == [0..<500, 500..<1000, 1000..<1201])
        let large = (0..<9).map { picture($0, String(repeating: "x", count: 600 << 10)) }
        #expect(Array(DocumentBatches(large)) == [0..<3, 3..<6, 6..<9])
        // One that is larger than any goes alone, and is refused by what it is sent to.
        let larger = [picture(0), picture(1, String(repeating: "x", count: 8 << 20)), picture(2)]
        #expect(Array(DocumentBatches(larger)) == [0..<1, 1..<2, 2..<3])
        #expect(Array(DocumentBatches([])).isEmpty)
    }

    @Test func `count what a long history takes`() {
        var document = picture(1)
        document.revisions = (1...1000).reversed().map { "\($0)-\(String(repeating: "0", count: 32))" }
        let all = (0..<300).map { number in
            var copy = document
            copy.id = picture(number).id
            return copy
        }
        #expect(Array(DocumentBatches(all)).allSatisfy { $0.count < 60 })
    }

    @Test(arguments: ["{}", "{ }", "{\"a\":\"}\"}", "{\"a\":{\"b\":1}}", "{\"_id\":\"x\"}\n"])
    func `a body is sent with what it is under, which it cannot change`(_ body: String) throws {
        let document = CatalogueDocument(
            id: "album:a \"b\"\n\u{1}\\ü", revisions: ["2-b", "1-a"], body: body, isGone: true)
        let text = DocumentText(document, at: 0, path: ["2-b", "1-a"]).text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["_rev"] as? String == "2-b" && object["_deleted"] as? Bool == true)
        let revisions = try #require(object["_revisions"] as? [String: Any])
        #expect(revisions["start"] as? Int == 2 && revisions["ids"] as? [String] == ["b", "a"])
        #expect(text.hasSuffix("}") && text.contains("\"_id\":\"album:a \\\"b\\\"\\u000a\\u0001\\\\ü\""))
    }
}
