import SubmitCatalogue
import Testing

@testable import SubmitJournal

/// What people type.
@Suite struct PlainWordsTests {
    /// Friday, 2026-11-27, one hour before midnight in UTC, which is Saturday in a zone east of it.
    static let now: Int64 = 1_795_820_400
    static let reader = QuestionReader(.pictures, clock: .utc(now: now))

    private static func same(_ words: String, _ json: String) throws -> (CatalogueFilter, CatalogueFilter) {
        (try reader.question(words: words).filter, try QuestionReader.utc.filter(json: json))
    }

    @Test(arguments: [
        ("tag=harbour", #"{"tags": "harbour"}"#), ("tag=harbour,night", #"{"tags": {"inq": ["harbour", "night"]}}"#),
        (#"tag != "a b", c"#, #"{"tags": {"nin": ["a b", "c"]}}"#), ("size>5", #"{"size": {"gt": 5}}"#),
        ("size >= 5 size <= 7", #"{"and": [{"size": {"gte": 5}}, {"size": {"lte": 7}}]}"#),
        ("size=1kB..2MiB", #"{"size": {"between": [1000, 2097152]}}"#), ("size<1.5M", #"{"size": {"lt": 1500000}}"#),
        (#"place~"Ham%""#, #"{"place": {"ilike": "%ham\\%%"}}"#), ("place!~x", #"{"place": {"nilike": "%x%"}}"#),
        ("caption=~the_%", #"{"caption": {"ilike": "the_%"}}"#), ("has caption", #"{"caption": {"exists": true}}"#),
        ("no tags", #"{"tags": {"exists": false}}"#), ("not tag=x", #"{"nor": [{"tags": "x"}]}"#),
        ("tag=a or tag=b and tag=c", #"{"or": [{"tags": "a"}, {"and": [{"tags": "b"}, {"tags": "c"}]}]}"#),
        (
            "(tag=a or tag=b) not (tag=c)",
            #"{"and": [{"or": [{"tags": "a"}, {"tags": "b"}]}, {"nor": [{"tags": "c"}]}]}"#
        ),
        ("captured>2026-01", #"{"captured": {"gt": "2026-01"}}"#), ("taken 2026", #"{"captured": "2026"}"#),
        ("taken in 2026-01..2026-03", #"{"captured": {"between": ["2026-01", "2026-03"]}}"#),
        ("taken since 2026-05-01", #"{"captured": {"gte": "2026-05-01"}}"#),
        ("taken before 2026", #"{"captured": {"lt": "2026"}}"#), ("taken today", #"{"captured": "2026-11-27"}"#),
        ("taken yesterday", #"{"captured": "2026-11-26"}"#), ("taken last year", #"{"captured": "2025"}"#),
        ("taken last month", #"{"captured": "2026-10"}"#), ("uploaded this month", #"{"accepted": "2026-11"}"#),
        ("placeShown=yes", #"{"placeShown": true}"#),
        ("at=nas proven=cloud", #"{"and": [{"destinations": "nas"}, {"proven": "cloud"}]}"#),
        ("near=53.55,9.99,5km", #"{"location": {"near": "53.55,9.99", "maxDistance": 5, "unit": "kilometers"}}"#),
        ("near=53.55,-9.99", #"{"location": {"near": "53.55,-9.99"}}"#),
        (#"tag="\"so\" \\""#, #"{"tags": "\"so\" \\"}"#),
        ("owner=Zoë", #"{"owner": "Zoë"}"#), ("", "{}"), ("NOT tag=x", #"{"nor": [{"tags": "x"}]}"#),
        ("tag=a OR tag=b And tag=c", #"{"or": [{"tags": "a"}, {"and": [{"tags": "b"}, {"tags": "c"}]}]}"#),
        ("Taken Since Yesterday", #"{"captured": {"gte": "2026-11-26"}}"#),
        ("uploaded before last month", #"{"accepted": {"lt": "2026-10"}}"#),
        ("taken 2024 to 2026", #"{"captured": {"between": ["2024", "2026"]}}"#),
        ("kind!=video evidence=size", #"{"and": [{"kind": {"neq": "video"}}, {"evidence": "size"}]}"#),
    ])
    func `words mean what they say`(words: String, json: String) throws {
        let (one, other) = try Self.same(words, json)
        #expect(one == other)
    }

    @Test func `weeks begin on Monday, and days where the asker is`() throws {
        func matches(_ words: String, _ reader: QuestionReader, _ day: String) throws -> Bool {
            let time = try #require(
                try QuestionReader.utc.filter(json: #"{"captured": "\#(day)"}"#).required.first?.meaning?.bound)
            guard case .all(let parts) = time, case .atLeast(.integer(let seconds)) = parts[0] else { return false }
            let picture = CataloguePicture.plain(1) { $0.captured = WallClockTime(seconds: seconds) }
            return try reader.question(words: words).filter.matches(picture)
        }
        for (day, isLast) in [("2026-11-15", false), ("2026-11-16", true), ("2026-11-22", true), ("2026-11-23", false)]
        {
            #expect(try matches("taken last week", Self.reader, day) == isLast, "\(day)")
        }
        for (day, isThere) in [
            ("2026-11-24", false), ("2026-11-25", true), ("2026-11-27", true), ("2026-11-28", false),
        ] {
            #expect(try matches("taken last 3 days", Self.reader, day) == isThere, "\(day)")
        }
        let east = QuestionReader(.pictures, clock: AskersClock(now: Self.now) { _ in 7200 })
        #expect(try matches("taken today", east, "2026-11-28"))
        #expect(try !matches("taken today", east, "2026-11-27"))
        let filter = try east.question(words: "uploaded=2026-11-28").filter
        #expect(filter.matches(.plain(1) { $0.accepted = (Self.now - 3600) * 1_000_000_000 }))
        #expect(!filter.matches(.plain(1) { $0.accepted = (Self.now - 3601) * 1_000_000_000 }))
    }

    @Test func `days begin by the clock that is turned forward and back`() throws {
        // In Berlin in 2026: forward on March 29 at 1:00 UTC, back on October 25 at 1:00 UTC.
        let clock = AskersClock(now: 0) { (1_774_746_000..<1_792_890_000).contains($0) ? 7200 : 3600 }
        for (text, first, last) in [
            ("2026-03-29", 1_774_738_800, 1_774_821_599), ("2026-10-25", 1_792_879_200, 1_792_969_199),
            ("2026-10-25T02:30", 1_792_888_200, 1_792_888_259), ("2026-07-01", 1_782_856_800, 1_782_943_199),
        ] {
            let filter = try QuestionReader(.pictures, clock: clock).question(words: "uploaded=\(text)").filter
            let found = [first - 1, first, last, last + 1].map { (seconds: Int) in
                filter.matches(.plain(1) { $0.accepted = Int64(seconds) * 1_000_000_000 })
            }
            #expect(found == [false, true, true, false], "\(text)")
        }
    }

    @Test func `words beside conditions are looked for`() throws {
        let question = try Self.reader.question(words: #"harbour tag=x "at night" Ümlaut"#)
        #expect(try CatalogueQuery(question).search?.words == ["harbour", "at", "night", "umlaut"])
        #expect(try question.filter == QuestionReader.utc.filter(json: #"{"tags": "x"}"#))
        #expect(try Self.reader.question(words: ##""OR" "not" "#1""##).search == "OR not #1")
    }

    @Test(arguments: [
        ("¦tga=x", "There is no field “tga”."), ("size=¦x", "size holds a number, and this is a text."),
        ("tag=¦", "Here a value is missing."), ("¦=x", "Before = there comes the name of a field."),
        ("tag=a or¦", "Here a condition is missing."), ("(tag=a¦", "There is a ( without a )."),
        ("tag=a¦)", "There is a ) without a (."), ("(¦)", "Here a condition is missing."),
        ("not¦", "After not there comes a condition."),
        (#"tag=¦"a"#, "The quotation mark that stands here has no second one."),
        ("taken last ¦moon", "After last there comes week, month, year or a number of days, weeks, months or years."),
        ("taken ¦sometime", "“sometime” is no time such as 2026, 2026-01, 2026-01-05 or 2026-01-05T18:30:07."),
        (
            "¦x or tag=a",
            "Words that are looked for stand beside all conditions, not within or, not or brackets: say caption~word."
        ),
        (
            "not ¦x",
            "Words that are looked for stand beside all conditions, not within or, not or brackets: say caption~word."
        ),
        ("¦size~5", "size holds a number, of which “ilike” cannot be asked."),
        ("has¦", "After has there comes the name of a field."),
        ("near=¦53", "A place is asked for as near=53.55,9.99,5km."),
        ("tag=ü ¦captoin=x", "There is no field “captoin”."),
        ("¦#night", "To search for a tag, write tag=…."), ("kind=¦film", "kind is never “film”."),
        ("size!=1..2¦", "Not between is asked as not size=…."), ("tag=a and¦", "After and there comes a condition."),
    ])
    func `what is wrong is told with its place`(marked: String, sentence: String) throws {
        let (words, offset) = marked.withoutMark
        let fault = #expect(throws: CatalogueFault.self) { try Self.reader.question(words: words) }
        #expect(fault?.sentence == sentence)
        #expect(fault?.offset == offset)
    }

    @Test func `no text stops the readers`() throws {
        var numbers = SystemRandomNumberGenerator()
        let pieces = [
            "(", ")", "not ", "or ", "and ", "tag=", "x", "\"", "\\", ",", "..", "taken ", "last ", "~", "=", "{", "}",
            "[", "]", ":", "\0", "🌊", "\u{301}", "1", "null", "has ", "size>",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in pieces.randomElement(using: &numbers)! }
                .joined()
            _ = try? Self.reader.question(words: text)
            _ = try? QuestionReader.utc.query(text)
            _ = try? QuestionReader.utc.question(parameters: "filter[where]" + text)
            _ = try? LinearExpression(text).isFound(in: text)
        }
        let turns = (0..<14).reduce("tag=x") { inner, _ in "(tag=a or tag=b size>1 \(inner))" }
        #expect(throws: CatalogueFault.self) { try Self.reader.question(words: turns) }
        let deep = String(repeating: "(", count: 100_000)
        #expect(throws: CatalogueFault.self) { try Self.reader.question(words: deep) }
        #expect(throws: CatalogueFault.self) {
            try Self.reader.question(words: String(repeating: "not ", count: 100_000))
        }
    }
}
