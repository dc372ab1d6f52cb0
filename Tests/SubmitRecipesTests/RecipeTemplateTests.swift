import Testing

@testable import SubmitRecipes

@Suite struct RecipeTemplateTests {
    static func template(_ text: String) throws(RecipeFault) -> RecipeTemplate {
        try RecipeTemplate(text, at: ExpressionTests.place) { RecipePlace(path: "x", line: 1, column: $0 + 1) }
    }

    @Test(
        arguments: [
            ("plain", .text("plain")), ("{{ file.size }}", .integer(1000)),
            ("{{ meta.tags }}", .list([.text("sea"), .text("old town")])),
            ("{{ true }}", .bool(true)), ("{{ null }}", .null), ("{{ file.size }} bytes", .text("1000 bytes")),
            ("a {{ '}}' }} b", .text("a }} b")), ("{ x }", .text("{ x }")), ("{{ true }}{{ 1 }}", .text("true1")),
            ("", .text("")),
        ] as [(String, RecipeValue)])
    func `A template of one expression keeps its kind, and others are texts`(_ text: String, _ value: RecipeValue)
        throws
    {
        #expect(try Self.template(text).evaluate(in: ExpressionTests.scope) == value)
    }

    @Test(arguments: [
        ("a{{ null }}", "A text cannot hold nothing: say with “??” what then."),
        ("a{{ meta.tags }}", "A text cannot hold a list: use “join” or “json”, or a member of it."),
        ("a{{ 'aa' | unhex }}", "A text cannot hold bytes: use “base64” or “hex”."),
        ("{{ file.base64 }}", "“file.base64” stands only in a body's “template”, on its own in {{ }}."),
    ])
    func `A text says what it cannot hold`(_ text: String, _ sentence: String) {
        let fault = #expect(throws: RecipeFault.self) { try Self.template(text).evaluate(in: ExpressionTests.scope) }
        #expect(fault?.message == sentence)
    }

    @Test(arguments: [
        ("/a/{{ file.name }}?q={{ 'x&y=z' }}", "/a/a%20b.jpg?q=x%26y%3Dz"), ("/{{ 'a/b' }}", "/a%2Fb"),
        ("/{{ 'a/b c' | url_path }}/x", "/a/b%20c/x"), ("/{{ 'a b' | url }}", "/a%20b"),
        ("/v1/{{ 'up:1?s=2' | as_given }}", "/v1/up:1?s=2"),
        ("{{ 'https://h.example/s?id=1' }}", "https://h.example/s?id=1"),
        ("{{ 'https://h/s' }}/{{ 'a b' }}", "https://h/s/a%20b"),
    ])
    func `A URL encodes what is put into it`(_ text: String, _ url: String) throws {
        #expect(try Self.template(text).url(in: ExpressionTests.scope) == url)
    }

    @Test(arguments: [
        ("/a/{{ null }}", "A part of the URL is nothing."), ("/a/{{ '' }}", "A part of the URL is nothing."),
        ("/a/{{ '..' }}/b", "This makes a URL with “.” or “..” for a segment of its path."),
        ("/a/.{{ '.' }}", "This makes a URL with “.” or “..” for a segment of its path."),
        ("{{ 'https://h/a b' }}", "This makes a URL with characters that URLs do not have: use the filter “url”."),
        ("{{ 'https://h/a\\nb' }}", "This makes a URL with characters that URLs do not have: use the filter “url”."),
    ])
    func `A URL that leads elsewhere is refused`(_ text: String, _ sentence: String) {
        let fault = #expect(throws: RecipeFault.self) { try Self.template(text).url(in: ExpressionTests.scope) }
        #expect(fault?.message == sentence)
    }

    @Test(arguments: ["{{ 'a\\nb' }}", "a\r\nX: b", "{{ 'é' }}", "a\u{0}"])
    func `A header with a line's end in it is refused`(_ text: String) throws {
        #expect(throws: RecipeFault.self) { try Self.template(text).header(in: ExpressionTests.scope) }
        #expect(try Self.template("{{ null }}").header(in: ExpressionTests.scope) == nil)
        #expect(try Self.template("a b").header(in: ExpressionTests.scope) == "a b")
    }

    @Test func `JSON leaves out what expressions make nothing of, and keeps what is written`() throws {
        func leaf(_ text: String) throws -> JSONTemplate { .value(try Self.template(text)) }
        let json = JSONTemplate.map([
            ("path", try leaf("")), ("caption", try leaf("{{ meta.caption }}")), ("empty", try leaf("{{ up.empty }}")),
            ("size", try leaf("{{ file.size }}")), ("tags", try leaf("{{ meta.tags }}")),
            ("ids", .list([try leaf("{{ up.id }}"), try leaf("{{ up.nothing }}")])), ("none", .map([])),
            ("flag", try leaf("{{ false }}")), ("zero", try leaf("{{ 0 }}")),
        ])
        #expect(
            try json.json(in: ExpressionTests.scope)
                == #"{"path":"","size":1000,"tags":["sea","old town"],"ids":["7"],"none":{},"flag":false,"zero":0}"#)
        #expect(try JSONTemplate.value(Self.template("{{ null }}")).json(in: ExpressionTests.scope) == "null")
    }
}
