import Testing

@testable import SubmitRecipes

@Suite struct ExpressionFilterTests {
    @Test(
        arguments: [
            ("'a b/ü' | url", .text("a%20b%2F%C3%BC")), ("'/a b//c/' | url_path", .text("a%20b/c")),
            ("meta.tags | json", .text("[\"sea\",\"old town\"]")), ("null | json", .text("null")),
            ("'é\"' | json", .text("\"é\\\"\"")), ("'é' | json_ascii", .text("\"\\u00e9\"")),
            ("'<a href=\"x\">&\\'' | xml", .text("&lt;a href=&quot;x&quot;&gt;&amp;&#39;")),
            ("'a\\nb;\"ü' | header_safe", .text("a_b___")), ("'x-1 (y)=z' | header_safe", .text("x-1 (y)=z")),
            ("'foobar' | base64", .text("Zm9vYmFy")), ("'f' | base64", .text("Zg==")), ("'ab' | hex", .text("6162")),
            ("'666f6f' | unhex | base64", .text("Zm9v")), ("'FF00' | unhex | hex", .text("ff00")),
            ("'AbÜ' | lower", .text("abü")), ("'abü' | upper", .text("ABÜ")), ("' a b\\n' | trim", .text("a b")),
            ("'  ' | trim", .text("")), ("'ab👨‍👩‍👧cd' | truncate(3)", .text("ab👨‍👩‍👧")), ("'ab' | truncate(0)", .text("")),
            ("meta.tags | join(', ')", .text("sea, old town")), ("'one' | join(',')", .text("one")),
            ("meta.tags | upper | join(' ')", .text("SEA OLD TOWN")), ("[] | join(',')", .text("")),
            ("meta.tags | quote_tags", .text("sea \"old town\"")), ("'a\"b c' | quote_tags", .text("\"ab c\"")),
            ("meta.tags | hashtags", .text("#sea #oldTown")), ("['a-b c', '!', '日本'] | hashtags", .text("#aBC #日本")),
            ("'upload:1?sig=2' | as_given", .text("upload:1?sig=2")),
            ("1704164645 | iso8601", .text("2024-01-02T03:04:05Z")),
            ("'1704164645' | iso8601", .text("2024-01-02T03:04:05Z")),
            ("'2024-01-02T03:04:05' | iso8601", .text("2024-01-02T03:04:05Z")),
            ("'2024-01-02T03:04:05+02:00' | iso8601", .text("2024-01-02T01:04:05Z")),
            ("'2024-01-02T03:04:05.123456Z' | unix", .integer(1_704_164_645)),
            ("-1 | iso8601", .text("1969-12-31T23:59:59Z")),
            ("1704164645 | rfc1123", .text("Tue, 02 Jan 2024 03:04:05 GMT")),
            ("'Tue, 02 Jan 2024 03:04:05 GMT' | unix", .integer(1_704_164_645)), ("'soon' | unix", .null),
            ("99999999999999 | iso8601", .null), ("15 | seconds", .integer(15)), ("'15' | seconds", .integer(15)),
            ("-3 | seconds", .integer(0)), ("1700000030 | seconds", .integer(30)),
            ("1600000000 | seconds", .integer(0)),
            ("'2023-11-14T22:14:20.000000Z' | seconds", .integer(60)),
            ("'Tue, 14 Nov 2023 22:14:20 GMT' | seconds", .integer(60)), ("'later' | seconds", .null),
            ("'job 1' | uuid", .text("5ba23c87-5f8c-86b6-95e6-a994edbf8d85")), ("true | bool01", .integer(1)),
            ("null | bool01", .integer(0)), ("'a/b/c.jpg' | basename", .text("c.jpg")), ("7 | pad(5)", .text("00007")),
            ("123456 | pad(5)", .text("123456")), ("' 12 ' | int", .integer(12)), ("'x' | int", .null),
            ("true | int", .integer(1)),
            ("'abc' | md5", .text("900150983cd24fb0d6963f7d28e17f72")),
            ("'abc' | sha1", .text("a9993e364706816aba3e25717850c26c9cd0d89d")),
            ("'abc' | sha256", .text("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")),
            ("null | upper", .null), ("null | url", .null),
        ] as [(String, RecipeValue)])
    func `Each filter makes what it promises`(_ text: String, _ value: RecipeValue) throws {
        #expect(try ExpressionTests.evaluate(text) == value)
    }

    @Test(arguments: [
        ("meta | lower", "“lower” takes a text, and there is a map."),
        ("[meta.tags] | lower", "“lower” takes a text, and there is a list."),
        ("'abc' | unhex", "“unhex” takes an even number of hexadecimal digits."),
        ("'zz' | unhex", "“unhex” takes an even number of hexadecimal digits."),
        ("'a' | truncate(-1)", "“truncate” takes a whole number from 0 to 1000000."),
        ("'a' | pad(101)", "“pad” takes a whole number from 0 to 100."),
        ("'a/../b' | url_path", "“url_path” takes no path with “.” or “..” in it."),
        ("'a b' | as_given", "“as_given” takes a part of a URL as the service gave it, without “//” and “#”."),
        ("'//evil' | as_given", "“as_given” takes a part of a URL as the service gave it, without “//” and “#”."),
        ("'00' | unhex | json", "JSON cannot hold bytes: use “base64” or “hex”."),
    ])
    func `A filter says what it does not take`(_ text: String, _ sentence: String) {
        let fault = #expect(throws: RecipeFault.self) { try ExpressionTests.evaluate(text) }
        #expect(fault?.message == sentence)
    }

    /// `facts/protocols.md` 9.4, after Dropbox's documentation.
    @Test func `JSON for headers is one line of ASCII`() throws {
        func json(_ path: String) throws -> String {
            var scope = ExpressionScope()
            scope["path"] = .text(path)
            let name = RecipeTemplate(
                place: ExpressionTests.place, pieces: [.value(.name("path", ExpressionTests.place))])
            return try JSONTemplate.map([("path", .value(name))]).json(in: scope, isASCII: true)
        }
        #expect(try json("/写真/é.jpg") == #"{"path":"/\u5199\u771f/\u00e9.jpg"}"#)
        #expect(try json("a\u{7f}b") == #"{"path":"a\u007fb"}"#)
        #expect(try json("😀") == #"{"path":"\ud83d\ude00"}"#)
        #expect(try json("a\r\n\"\\\t\u{1}") == #"{"path":"a\r\n\"\\\t\u0001"}"#)
    }
}
