import Foundation
import SubmitCatalogue
import TestServers
import Testing

/// Records, and JSON that others write.
@Suite struct RecordTests {
    @Test func `what is written as JSON reads as the same, here and elsewhere`() throws {
        for text in DrawnTexts.all + ["\u{202E}gpj.exe", "\u{2066}x\u{2069}", "\u{7F}\u{9B}31m", "\u{2028}"] {
            let value = RecordValue.list([.text(text), .object([RecordMember(text, .number("9.90"))]), .truth(true)])
            let json = value.json
            #expect(!json.unicodeScalars.contains { $0.value < 0x20 || (0x202A...0x202E).contains($0.value) })
            #expect(try RecordValue(json: Array(json.utf8), limit: 1000) == value)
            let foundation = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [Any])
            #expect((foundation[0] as? String).map { Array($0.utf8) } == Array(text.utf8))
        }
    }

    @Test func `half a character does not make a page unreadable, and what is no JSON does`() throws {
        let half = try RecordValue(json: Array(#"["a\ud83dz", "\ud83d\u0041", "\udc00"]"#.utf8), limit: 100)
        #expect(half == .list([.text("a\u{FFFD}z"), .text("\u{FFFD}A"), .text("\u{FFFD}")]))
        for wrong in ["", "{", "<html>", "[1,]", "{\"a\":1,\"a\":2}", "NaN", "[1] x"] {
            #expect(throws: CatalogueFault.self) { try RecordValue(json: Array(wrong.utf8), limit: 100) }
        }
        #expect(throws: CatalogueFault.self) { try RecordValue(json: Array("[1,2]".utf8), limit: 4) }
        let many = "[" + String(repeating: "0,", count: CatalogueLimits.jsonValues) + "0]"
        #expect(throws: CatalogueFault.self) { try RecordValue(json: Array(many.utf8), limit: 16 << 20) }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: CatalogueFault.self) { try RecordValue(json: Array(deep.utf8), limit: 1 << 20) }
    }

    @Test func `a dotted path leads into a record`() throws {
        let json = #"{"a.b": 1, "a": {"b": 2, "c": [{"d": 3}]}, "n": 9.90}"#
        let record = try #require(DatasourceRecord(try RecordValue(json: Array(json.utf8), limit: 100)))
        #expect(record["a.b"] == .number("1"))
        #expect(record["a.c.0.d"] == .number("3"))
        #expect(record["a.c.1.d"] == nil)
        #expect(record["n"] == .number("9.90"))
        #expect(record.only(["n", "x"]).members == [RecordMember("n", .number("9.90")), RecordMember("x", .null)])
    }

    @Test func `a picture is a record, and tells its place where the owner or its showing says so`() throws {
        let picture = CataloguePicture.plain(7) {
            $0.place = CataloguePlace(latitude: 53.55, longitude: 9.99)
            $0.placeName = "Hamburg"
            $0.captured = WallClockTime(seconds: 1_767_225_600, offset: -34_200)
            $0.accepted = 1_767_225_600_123_000_000
            $0.copies = [CatalogueCopy(destination: "nas", evidence: "verified", url: "https://x.example/7")]
        }
        let own = picture.record(revealsPlace: true)
        #expect(own["id"] == .number("7"))
        #expect(own["location.lng"] == .number("9.99"))
        #expect(own["captured"] == .text("2026-01-01T00:00:00-09:30"))
        #expect(own["accepted"] == .text("2026-01-01T00:00:00.123Z"))
        #expect(own["urls"] == .list([.text("https://x.example/7")]))
        #expect(own["placeShown"] == .truth(false))
        let others = picture.record([.id, .place, .location, .latitude, .longitude], revealsPlace: false)
        #expect(others.members.dropFirst().allSatisfy { $0.value == .null })
    }
}
