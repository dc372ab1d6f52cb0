import Foundation
import SubmitCatalogue
import TestServers
import Testing

/// What is written for other programs.
@Suite struct PrintingTests {
    private func printed(
        _ records: [DatasourceRecord], _ format: RecordFormat, _ fields: [String]? = nil
    ) -> String {
        var printer = RecordPrinter(format, fields: fields)
        return printer.beginning() + records.map { printer.text(of: $0) }.joined() + printer.end()
    }

    private func record(_ json: String) throws -> DatasourceRecord {
        try #require(DatasourceRecord(try RecordValue(json: Array(json.utf8), limit: 10_000)))
    }

    @Test func `JSON and JSON lines are one record a line, whatever is in it`() throws {
        let records = DrawnTexts.all.map { DatasourceRecord([RecordMember("name", .text($0))]) }
        let lines = printed(records, .jsonLines).split(separator: "\n")
        #expect(lines.count == records.count)
        for (line, text) in zip(lines, DrawnTexts.all) {
            #expect(try RecordValue(json: Array(line.utf8), limit: 10_000)["name"] == .text(text))
        }
        let list = try RecordValue(json: Array(printed(records, .json).utf8), limit: 1 << 20)
        #expect(list == .list(records.map { .object($0.members) }))
        #expect(printed([], .json) == "[\n]\n")
        #expect(printed([], .jsonLines) == "")
    }

    @Test(arguments: [
        (#""plain""#, "plain"), (#""a,b""#, #""a,b""#), (#""say \"so\"""#, #""say ""so""""#),
        (#""two\nlines""#, "\"two\nlines\""), ("null", ""), ("true", "true"), ("-9.90", "-9.90"),
        (#""=1+1""#, "'=1+1"), (#""-1""#, "'-1"), (#""+1""#, "'+1"), (#""@x""#, "'@x"),
        (#""\tx""#, "\"'\tx\""), (#"" =x""#, "\"' =x\""), (#""＝x""#, "'＝x"), (#""a\u0000b""#, "a\u{FFFD}b"),
        (#""\u202Egpj""#, "\u{FFFD}gpj"), (#""👨‍👩‍👧""#, "👨‍👩‍👧"), (#"["a","b\""]"#, #""[""a"",""b\""""]""#), (#""""#, ""),
    ])
    func `a table's cell says what it may`(json: String, cell: String) throws {
        #expect(
            printed([try record(#"{"id": 1, "x": \#(json)}"#)], .csv, ["id", "x"]) == "id,x\r\n1,\(cell)\r\n")
    }

    @Test func `a table's columns are those named, or those of the first record, and what has none is told`() throws {
        let records = [try record(#"{"a": 1, "b": 2}"#), try record(#"{"b": 3, "c": 4}"#)]
        #expect(printed(records, .csv) == "a,b\r\n1,2\r\n,3\r\n")
        #expect(printed(records, .csv, ["c", "a"]) == "c,a\r\n,1\r\n4,\r\n")
        #expect(printed([], .csv, ["c", "a"]) == "c,a\r\n")
        #expect(printed([try record(#"{"a": null}"#)], .csv) == "a\r\n\"\"\r\n")
        var printer = RecordPrinter(.csv)
        for record in records { _ = printer.text(of: record) }
        #expect(printer.withoutColumn == ["c"])
    }

    @Test func `a map has longitude first, and nothing where there is no place`() throws {
        let records = [
            try record(#"{"id": 7, "name": "x", "location": {"lat": 53.55, "lng": 9.99}}"#),
            try record(#"{"id": "a", "location": null}"#),
            try record(#"{"location": {"lat": 91, "lng": 0}, "id": [1]}"#),
        ]
        #expect(
            printed(records, .geoJSON) == #"""
                {"type":"FeatureCollection","features":[
                {"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[9.99,53.55]},"properties":{"id":7,"name":"x"}},
                {"type":"Feature","id":"a","geometry":null,"properties":{"id":"a"}},
                {"type":"Feature","geometry":null,"properties":{"id":[1]}}
                ]}

                """#)
        #expect(
            printed(records, .geoJSON, ["name"]).contains(
                #""geometry":{"type":"Point","coordinates":[9.99,53.55]},"properties":{"name":"x"}"#), "a map needs it")
        #expect(printed([], .geoJSON) == "{\"type\":\"FeatureCollection\",\"features\":[\n]}\n")
    }
}
