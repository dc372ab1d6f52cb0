import Testing

@testable import SubmitRecipes

@Suite struct ExpressionTests {
    static let place = RecipePlace(path: "x", line: 1, column: 1)

    static var scope: ExpressionScope {
        var scope = ExpressionScope()
        scope["file"] = .map(["name": .text("a b.jpg"), "size": .integer(1000), "kind": .text("photo")])
        scope["meta"] = .map(["caption": .null, "tags": .list([.text("sea"), .text("old town")])])
        scope["up"] = .map(["id": .text("7"), "list": .list([.integer(1), .integer(2)]), "empty": .text("")])
        scope["status"] = .integer(409)
        scope["now"] = .integer(1_700_000_000)
        scope.setLookup("body") { key in key == "/error/code" ? .integer(4) : .null }
        return scope
    }

    static func evaluate(_ text: String) throws(RecipeFault) -> RecipeValue {
        let formula = try Formula(text, at: place) { RecipePlace(path: "x", line: 1, column: $0 + 1) }
        return try formula.evaluate(in: scope)
    }

    @Test(
        arguments: [
            ("1", .integer(1)), ("16MiB", .integer(16 << 20)), ("5KB", .integer(5000)), ("2GiB", .integer(2 << 30)),
            ("5m", .integer(300)), ("2h", .integer(7200)), ("3s", .integer(3)), ("1d", .integer(86400)),
            ("'it\\'s'", .text("it's")), ("\"a\\nb\"", .text("a\nb")), ("true", .bool(true)), ("null", .null),
            ("[1, 'a', []]", .list([.integer(1), .text("a"), .list([])])),
            ("file.size", .integer(1000)), ("file['size']", .integer(1000)), ("up.list[1]", .integer(2)),
            ("up.list[2]", .null), ("up.nothing", .null), ("up.nothing.deeper", .null),
            ("body['/error/code']", .integer(4)),
            ("body['/other']", .null), ("{{ file.size }}", .integer(1000)), ("  {{file.size}}  ", .integer(1000)),
        ] as [(String, RecipeValue)])
    func `Literals and names are worth what they say`(_ text: String, _ value: RecipeValue) throws {
        #expect(try Self.evaluate(text) == value)
    }

    @Test(arguments: [
        "up.id == 7", "7 == up.id", "'7' == up.id", "true == 'true'", "true == 1", "'0' == false", "null == up.nothing",
        "[1] == ['1']", "not (up.id == 8)", "up.id != 8", "'' != null", "'a' != 'A'", "status == 409", "'07' == 7",
        "2 < 10", "'2' < '10'", "'a' < 'b'", "2 <= 2", "3 >= 2", "3 > 2", "not 3 < 2", "file.size <= 1KiB",
        "'sea' in meta.tags", "'hill' not in meta.tags", "status in [404, 409]", "'own' in 'town'", "'id' in up",
        "not ('x' in null)", "7 in ['7']",
    ])
    func `It compares as services mean it`(_ text: String) throws {
        #expect(try Self.evaluate(text) == .bool(true))
    }

    @Test(
        arguments: [
            ("1 + 2 * 3", .integer(7)), ("(1 + 2) * 3", .integer(9)), ("10 - 2 - 3", .integer(5)),
            ("-2 + 5", .integer(3)),
            ("2 * -3", .integer(-6)), ("'2' + 3", .integer(5)),
            ("1 + 1 == 2", .bool(true)), ("true or false and false", .bool(true)), ("not true or true", .bool(true)),
            ("not false and true", .bool(true)), ("not 1 == 2", .bool(true)),
            ("meta.caption ?? 'none'", .text("none")), ("up.empty ?? 'none'", .text("none")), ("0 ?? 5", .integer(0)),
            ("false ?? 5", .bool(false)), ("null ?? null ?? 3", .integer(3)), ("meta.caption ?? 1 + 1", .integer(2)),
            ("meta.caption ?? 'a' == 'a'", .bool(true)), ("file.name ?? 'x' | upper", .text("a b.jpg")),
            ("'a' | upper == 'A'", .bool(true)), ("true or nobody", .bool(true)), ("false and nobody", .bool(false)),
            ("1 ?? nobody", .integer(1)),
        ] as [(String, RecipeValue)])
    func `Precedence is as documented, and what does not count is not looked at`(_ text: String, _ value: RecipeValue)
        throws
    {
        #expect(try Self.evaluate(text) == value)
    }

    @Test(arguments: [
        ("nobody", "1: “nobody” stands for nothing at this time."),
        (
            "1 < null",
            "3: “<” compares two numbers or two texts, and there are a number and nothing: say with “??” what then."
        ),
        ("'a' < 1", "5: “<” compares two numbers or two texts, and there are a text and a number."),
        ("1 + 'a'", "3: “+” takes two whole numbers, and there are a number and a text."),
        ("9223372036854775807 + 1", "21: “+” makes a number too large to hold."),
        ("9223372036854775807 * 2", "21: “*” makes a number too large to hold."),
        ("1 in 2", "3: “in” looks into a list, a text or a map, and there is a number."),
        ("", "1: An expression is missing."), ("1 +", "4: A value is missing at the end."),
        ("(1", "3: “)” is missing after what stands in “(”."),
        ("[1 2]", "4: “,” is missing after an element of a list, before “2”."),
        ("1 2", "3: “2” cannot stand here: the expression ends before it."),
        ("a.", "3: The name of a member is missing after “.”."),
        ("'abc", "1: This text is opened by ' and never closed."),
        ("'\\x'", "2: After “\\” there may be \\, ', \", n or t."),
        ("a && b", "3: “&” has no meaning in an expression: say “and”."),
        ("a = b", "3: “=” has no meaning in an expression: say “==”."),
        ("!a", "1: “!” has no meaning in an expression: say “not”."),
        ("1 == 2 == 3", "8: Two comparisons stand in a row: join them with “and”, before “==”."),
        ("1.5", "1: There are whole numbers only: use a smaller unit."),
        (
            "16Mib",
            "3: “Mib” is no unit: there are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB for sizes and s, m, h, d for times."
        ),
        ("99999999999TiB", "1: This number is too large."), ("99999999999999999999", "1: This number is too large."),
        (
            "a | uper",
            "5: There is no filter “uper” (did you mean “upper”?); there are as_given, base64, basename, bool01, hashtags, header_safe, "
                + "hex, int, iso8601, join, json, json_ascii, lower, md5, pad, quote_tags, rfc1123, seconds, sha1, sha256, trim, "
                + "truncate, unhex, unix, upper, url, url_path, uuid, xml."
        ),
        ("a | truncate", "5: This filter is written “truncate(n)”."),
        ("a | lower(1)", "5: This filter is written “lower”."),
        ("{{ 1", "1: “{{” is opened and never closed by “}}”."),
        ("{{ 1 }} 2", "9: This must be one expression: nothing may stand after “}}”."),
    ])
    func `What cannot be read or made says where and why`(_ text: String, _ sentence: String) {
        let fault = #expect(throws: RecipeFault.self) { try Self.evaluate(text) }
        #expect(fault.map { "\($0.place.column): \($0.message)" } == sentence)
    }

    @Test(arguments: [
        String(repeating: "(", count: 300) + "1" + String(repeating: ")", count: 300),
        String(repeating: "[", count: 300), String(repeating: "not ", count: 300) + "1",
        "1" + String(repeating: " + 1", count: 300), "1" + String(repeating: " ?? 1", count: 300),
        "a" + String(repeating: ".a", count: 300), "'a'" + String(repeating: " | trim", count: 300),
        "a" + String(repeating: "[a", count: 300),
    ])
    func `An expression nested too deep is refused`(_ text: String) {
        let fault = #expect(throws: RecipeFault.self) { try Self.evaluate(text) }
        #expect(fault?.message == "This expression is nested more than 64 deep: split it.")
    }

    @Test func `An expression too long is refused, and so is a text that grows without end`() {
        let long = "'" + String(repeating: "a", count: 5000) + "' == 1"
        #expect(throws: RecipeFault(Self.place, "This expression has more than 4096 characters.")) {
            try Self.evaluate(long)
        }
        let growing = "'\(String(repeating: "\\\"", count: 1000))'" + String(repeating: " | json", count: 30)
        let fault = #expect(throws: RecipeFault.self) { try Self.evaluate(growing) }
        #expect(fault?.message == "This makes a text of more than 1 MiB.")
        let hex = "'\(String(repeating: "a", count: 1000))'" + String(repeating: " | hex", count: 30)
        let other = #expect(throws: RecipeFault.self) { try Self.evaluate(hex) }
        #expect(other?.message == "“hex” makes a text of more than 1 MiB.")
    }
}
