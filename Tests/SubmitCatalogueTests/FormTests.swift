import SubmitCatalogue
import Testing

/// How texts, expressions, places and marks are compared.
@Suite struct FormTests {
    @Test(arguments: [
        ("Straße", "STRASSE", true), ("σίσυφος", "ΣΊΣΥΦΟΣ", true), ("ﬁsh", "FISH", true), ("e\u{301}", "\u{C9}", true),
        ("Zürich", "Zurich", false), ("\u{212B}", "å", true), ("①", "1", true), ("ſ", "S", true), ("a", "b", false),
    ])
    func `case and compatibility forms fold together, accents do not`(one: String, other: String, isSame: Bool) {
        #expect(TextFolding.folded(one).isSame(as: TextFolding.folded(other)) == isSame)
    }

    @Test func `words are found without accents, and what is no letter is a blank`() {
        #expect(TextFolding.searchable("Zürich\0Ñandú ❤️\n").isSame(as: "zurich nandu ❤ "))
        #expect(TextFolding.composed("e\u{301}").unicodeScalars.count == 1)
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "ab", false), ("abc", "a%", true), ("abc", "%c", true), ("abc", "a_c", true),
        ("a🌊c", "a_c", true), ("ac", "a_c", false), ("", "%", true), ("", "", true), ("", "_", false),
        ("a%c", #"a\%c"#, true),
        ("abc", #"a\%c"#, false), (#"a\c"#, #"a\\c"#, true), ("aXbXc", "%X%X%", true), ("ab", "%b%b", false),
        ("a\0b", "a_b", true),
        ("mississippi", "%iss%ip%", true), ("ABC", "abc", false), ("％", "%", true), ("x％", #"x\％"#, true),
        ("x", "％", false),
        ("e\u{301}", "\u{E9}", true), ("e\u{301}", "_", true),
    ])
    func `like matches from beginning to end`(text: String, pattern: String, isMatch: Bool) throws {
        #expect(try #require(LikePattern(pattern, isFolded: false)).matches(TextFolding.composed(text)) == isMatch)
    }

    @Test func `no pattern takes long`() throws {
        let text = String(repeating: "a", count: 5000)
        let time = try ContinuousClock().measure {
            let pattern = try #require(LikePattern(String(repeating: "%a", count: 99) + "%b", isFolded: false))
            #expect(!pattern.matches(text))
            #expect(try !LinearExpression("(a*)*(a|a)*(a?){20}b").isFound(in: text))
        }
        #expect(time < .seconds(20))
    }

    @Test(arguments: [
        ("abc", "b", true), ("abc", "^b", false), ("abc", "^a.c$", true), ("a\nc", "a.c", false),
        ("color colour", "colou?r$", true),
        ("aaa", "^a{3}$", true), ("aaaa", "^a{2,3}$", false), ("aaaa", "^a{2,}$", true), ("", "^$", true),
        ("x", "^$", false),
        ("cat", "^(cat|dog)$", true), ("dogs", "^(?:cat|dog)$", false), ("a-b", "[a\\-]-", true),
        ("5", "\\d", true), ("x", "[^x]", false), ("Ä", "[ä]", false), ("a.b", "a\\.b", true),
        ("abab", "^(ab)+$", true),
        ("", "(a|)", true), ("x", "(^x$|y)", true), ("a🌊b", "a.b", true), ("ab", "a^b", false),
        ("ab", "^(a|b)*?$", true),
    ])
    func `an expression is found as anywhere else`(text: String, pattern: String, isFound: Bool) throws {
        #expect(try LinearExpression(pattern).isFound(in: text) == isFound)
        let standard = try Regex(pattern).matchingSemantics(.unicodeScalar)
        #expect(text.contains(standard) == isFound, "Swift's own")
    }

    @Test(arguments: [
        "(", ")", "[", "*", "a**", "\\", "(?=x)", "a{3,2}", "a{", "(a{999}){999}", "[z-a]", "[]", "\\b", "\\1",
    ])
    func `an expression that is none, or too much, is refused`(pattern: String) {
        #expect(throws: CatalogueFault.self) { try LinearExpression(pattern) }
    }

    @Test func `caseless expressions disregard case`() throws {
        #expect(try LinearExpression("^[a-z]Ä$", isCaseless: true).isFound(in: "Xä"))
        #expect(try !LinearExpression("^[a-z]Ä$").isFound(in: "Xä"))
    }

    @Test func `a box has all that is near, also at the poles and the date line`() throws {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let center = CataloguePlace(
                latitude: [90, -90, 0, 89.9, Double.random(in: -90...90, using: &numbers)].randomElement(
                    using: &numbers)!,
                longitude: [180, -180, 0, 179.9, Double.random(in: -180...180, using: &numbers)].randomElement(
                    using: &numbers)!)!
            let reach = Double.random(in: 0...3, using: &numbers)
            let other = CataloguePlace(
                latitude: min(90, max(-90, center.latitude + Double.random(in: -reach...reach, using: &numbers))),
                longitude: Double.random(in: -180...180, using: &numbers))!
            let distance = center.distance(to: other)
            let box = PlaceBox(around: center, within: distance)
            #expect(
                box.latitudes.contains(other.latitude) && box.longitudes.contains { $0.contains(other.longitude) },
                "\(center) \(other) \(distance)")
            #expect(distance == center.distance(to: other))
        }
        let hamburg = CataloguePlace(latitude: 53.55, longitude: 9.99)!
        let berlin = CataloguePlace(latitude: 52.52, longitude: 13.405)!
        #expect(abs(hamburg.distance(to: berlin) - 255_000) < 2000)
    }

    @Test func `a mark belongs to its question`() throws {
        let reader = QuestionReader.utc
        var query = try reader.query(#"{"where": {"tags": "a"}, "order": "caption"}"#)
        let picture = CataloguePicture.plain(7) { $0.caption = "\0é🌊" }
        let mark = query.mark(after: picture)
        #expect(try PageMark(mark.text) == mark)
        query.mark = mark
        #expect(try query.start() == [.text("\0é🌊"), .integer(7)])
        for other in [
            #"{"where": {"tags": "b"}, "order": "caption"}"#, #"{"where": {"tags": "a"}, "order": "title"}"#, "{}",
        ] {
            var query = try reader.query(other)
            query.mark = mark
            let fault = #expect(throws: CatalogueFault.self) { try query.start() }
            #expect(fault?.sentence == "The mark of the next page is of another question: ask from the beginning.")
        }
        for wrong in [
            "", "x", mark.text + "x", String(mark.text.dropLast(3)), "//", "AQ==", "äöü",
            String(repeating: "A", count: 99_999),
        ] {
            #expect(throws: CatalogueFault.self) { try PageMark(wrong) }
        }
        #expect(throws: CatalogueFault.self) { try CatalogueQuery(skip: 1, mark: mark) }
    }

    @Test func `what does not fit a field cannot be asked of it`() {
        #expect(throws: CatalogueFault.self) { try CatalogueCondition(.size, .eq, .text("5")) }
        #expect(throws: CatalogueFault.self) { try CatalogueCondition(.location, .gt, .integer(1)) }
        #expect(throws: CatalogueFault.self) { try CatalogueCondition(.tags, .gt, .integer(1)) }
        #expect(throws: CatalogueFault.self) { try CatalogueCondition(.size, .gt, .real(.nan)) }
    }

    @Test func `a question says whether it tells where pictures were taken`() throws {
        let fields = #""fields": ["id", "caption"]"#
        for (json, tells) in [
            ("{\(fields)}", false), ("{}", true), (#"{"fields": ["place"]}"#, true),
            (#"{"where": {"nor": [{"lat": 5}]}, \#(fields)}"#, true), (#"{"order": "lng", \#(fields)}"#, true),
            (#"{"where": {"tags": "a"}, \#(fields)}"#, false), (#"{"search": "a", \#(fields)}"#, true),
        ] { #expect(try QuestionReader.utc.query(json).tellsPlace == tells, "\(json)") }
    }
}
