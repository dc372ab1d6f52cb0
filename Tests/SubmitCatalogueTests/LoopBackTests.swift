import SubmitCatalogue
import Testing

@testable import SubmitJournal

/// What LoopBack's clients ask, and what it means here: the table of the catalogue's semantics.
@Suite struct LoopBackTests {
    /// In the order of their numbers.
    static let pictures: [CataloguePicture] = [
        .plain(1) { ($0.caption, $0.tags, $0.width, $0.size) = ("The harbour", ["harbour", "night"], 4, 5) },
        .plain(2) { ($0.caption, $0.tags, $0.width, $0.size) = ("the HARBOUR", ["Harbour"], 5, 5) },
        .plain(3) { ($0.caption, $0.tags, $0.width, $0.size) = ("100% harbour", [], 6, 7) },
        .plain(4) { ($0.caption, $0.tags, $0.width, $0.size) = (nil, ["night"], nil, 8) },
        .plain(5) {
            ($0.caption, $0.width, $0.size) = ("Straße", 7, 9)
            $0.place = CataloguePlace(latitude: 53.55, longitude: 9.99)
            $0.captured = WallClockTime(seconds: 1_767_225_600)
            $0.accepted = 1_767_225_600_000_000_001
        },
    ]

    @Test(arguments: [
        // Without a condition all of them, in the order of their numbers.
        ("{}", [1, 2, 3, 4, 5]),
        // LoopBack's in-memory store: neq matches null. SQL stores of LoopBack do not.
        (#"{"width": {"neq": 5}}"#, [1, 3, 4, 5]),
        (#"{"width": {"nin": [5, 6]}}"#, [1, 4, 5]),
        (#"{"caption": {"nlike": "%harbour"}}"#, [2, 4, 5]),
        (#"{"width": null}"#, [4]), (#"{"width": {"neq": null}}"#, [1, 2, 3, 5]),
        (#"{"width": {"exists": false}}"#, [4]), (#"{"tags": {"exists": true}}"#, [1, 2, 4]),
        // Two operators hold together. LoopBack honours one.
        (#"{"width": {"gt": 4, "lt": 6}}"#, [2]), (#"{"width": {"between": [4, 5]}}"#, [1, 2]),
        (#"{"size": 5, "width": 5}"#, [2]),
        // Of no value: none and all, as in LoopBack's in-memory store.
        (#"{"width": {"inq": []}}"#, []), (#"{"width": {"nin": []}}"#, [1, 2, 3, 4, 5]),
        (#"{"width": {"inq": [4, 7, 7]}}"#, [1, 5]),
        // nor is the opposite of or, also where something is null. LoopBack's SQL stores drop it.
        (#"{"nor": [{"width": {"gt": 4}}, {"size": 5}]}"#, [4]),
        (#"{"or": [{"width": {"gt": 6}}, {"tags": "night"}]}"#, [1, 4, 5]),
        (#"{"and": [{"tags": "harbour"}, {"tags": "night"}]}"#, [1]),
        // like is anchored and minds the case; in LoopBack's in-memory store it does not.
        (#"{"caption": {"like": "harbour"}}"#, []), (#"{"caption": {"like": "%harbour"}}"#, [1, 3]),
        (#"{"caption": {"like": "_he %"}}"#, [1, 2]), (#"{"caption": {"ilike": "%HARBOUR"}}"#, [1, 2, 3]),
        (#"{"caption": {"like": "100\\%%"}}"#, [3]), (#"{"caption": {"like": "10_\\% %"}}"#, [3]),
        (#"{"caption": {"ilike": "STRASSE"}}"#, [5]), (#"{"caption": {"nilike": "%harbour%"}}"#, [4, 5]),
        // Of several texts any; their opposites: none.
        (#"{"tags": "harbour"}"#, [1]), (#"{"tags": {"neq": "night"}}"#, [2, 3, 5]),
        (#"{"tags": {"ilike": "harb%"}}"#, [1, 2]), (#"{"tags": {"inq": ["harbour", "Harbour"]}}"#, [1, 2]),
        // Numbers are what they are, and no texts.
        (#"{"size": 5.0}"#, [1, 2]), (#"{"size": {"gt": 7.5}}"#, [4, 5]),
        (#"{"size": {"lt": 1e300}}"#, [1, 2, 3, 4, 5]),
        (#"{"size": {"gt": 9223372036854775808}}"#, []),
        // A date is all the time that is called so.
        (#"{"captured": "2026"}"#, [5]), (#"{"captured": {"gt": "2026-01"}}"#, []),
        (#"{"captured": {"gte": "2026-01-01T00:00:00.000Z"}}"#, [5]), (#"{"captured": {"lt": "2026-01-01"}}"#, []),
        (#"{"accepted": {"gt": "2026-01-01T00:00:00.000000000Z"}}"#, [5]),
        (#"{"accepted": {"gte": "2026-01-01T01:00+01:00"}}"#, [5]),
        // Miles, where nothing else is said.
        (#"{"location": {"near": "53.55,9.98", "maxDistance": 1}}"#, [5]),
        (#"{"location": {"near": {"lat": 53.55, "lng": 9.98}, "maxDistance": 100, "unit": "meters"}}"#, []),
        (#"{"location": {"near": [53.55, 9.98], "minDistance": 100, "unit": "meters"}}"#, [5]),
        (#"{"location.lat": {"gt": 53}, "caption": {"regexp": "^str/"}}"#, []),
        (#"{"caption": {"regexp": "/^str|night/i"}}"#, [5]),
    ])
    func `a filter means the same to both stores`(json: String, expected: [Int64]) throws {
        let filter = try QuestionReader.utc.filter(json: json)
        #expect(Self.pictures.filter(filter.matches).map(\.id) == expected)
        let bench = try CatalogueBench()
        try bench.insert(Self.pictures)
        #expect(try bench.ids(filter) == expected)
    }

    @Test(arguments: [
        (#"{¦"captoin": "x"}"#, "where.captoin", "There is no field “captoin”."),
        (#"{"caption": {¦"lik": "x"}}"#, "where.caption.lik", "caption holds a text, of which “lik” cannot be asked."),
        (#"{"size": {¦"like": "x"}}"#, "where.size.like", "size holds a number, of which “like” cannot be asked."),
        (#"{"size": ¦"5"}"#, "where.size", "size holds a number, and this is a text."),
        (#"{"caption": ¦5}"#, "where.caption", "caption holds a text, and this is a number."),
        (#"{"caption": {"inq": ["x", ¦null]}}"#, "where.caption.inq[1]", "caption holds a text, and this is null."),
        (#"{"width": {"gt": ¦null}}"#, "where.width.gt", "width holds a number, and this is null."),
        (#"{"or": ¦[]}"#, "where.or", "or of nothing is no condition."),
        (#"{"and": ¦[]}"#, "where.and", "and of nothing is no condition."),
        (#"{"and": ¦{"size": 1}}"#, "where.and", "Here stands an object, and a list should."),
        (#"{"or": [¦{}]}"#, "where.or[0]", "Here stands an empty condition."),
        (#"{"caption": ¦{}}"#, "where.caption", "Here stands an empty condition."),
        (#"¦[{"size": 1}]"#, "where", "Here stands a list, and an object should."),
        (#"{"size": ¦[1, 2]}"#, "where.size", "One of several values is asked for with inq."),
        (#"{"size": {"between": ¦[1]}}"#, "where.size.between", "between has the first and the last value."),
        (#"{"size": {"exists": ¦"yes"}}"#, "where.size.exists", "Here stands a text, and true or false should."),
        (#"{"size": ¦1e999}"#, "where.size", "“1e999” is too large for a number."),
        (
            #"{"caption": {"like": ¦"x\\"}}"#, "where.caption.like",
            "The pattern ends with a \\, which takes the meaning from nothing."
        ),
        (#"{"caption": {"regexp": ¦"x"}}"#, "where.caption.regexp", "regexp is not offered here: like and ilike are."),
        (
            #"{"captured": ¦"last week"}"#, "where.captured",
            "“last week” is no time such as 2026, 2026-01, 2026-01-05 or 2026-01-05T18:30:07."
        ),
        (
            #"{"captured": ¦"2026-02-30"}"#, "where.captured",
            "“2026-02-30” is no time such as 2026, 2026-01, 2026-01-05 or 2026-01-05T18:30:07."
        ),
        (
            #"{"captured": ¦"2026-01-01T10:00+02:00"}"#, "where.captured",
            "captured is what the camera's clock showed: leave the offset away."
        ),
        (#"{"item": ¦"abc"}"#, "where.item", "item is a digest of 64 hexadecimal digits, and “abc” is none."),
        (
            #"{"location": {"near": ¦"91,0"}}"#, "where.location.near",
            "A place is “latitude,longitude” in degrees, such as “53.55,9.99”."
        ),
        (#"{"size": 1, ¦"size": 2}"#, "", "“size” stands twice in one object."),
        (#"{"size": 1,¦}"#, "", "A key in quotation marks is missing."),
        (#"{"size": 0¦1}"#, "", "A number does not begin with 0."),
        (#"{"size": 1} ¦x"#, "", "There is more after the end of the JSON."), ("¦", "", "The JSON ends too early."),
        (#"{"caption": "¦\ud83d"}"#, "", "This is half of a character."),
        (#"{"caption": ¦'x'}"#, "", "This is no JSON."),
    ])
    func `what is wrong is told with its place, and is never a wider answer`(
        marked: String, path: String, sentence: String
    ) throws {
        let (json, offset) = marked.withoutMark
        let fault = #expect(throws: CatalogueFault.self) {
            try QuestionReader(.pictures, clock: .utc(now: 0), offersExpressions: false).filter(json: json)
        }
        #expect(fault?.sentence == sentence)
        #expect(fault?.offset == offset)
        #expect(fault?.path == path)
    }

    @Test func `a name that is none is told with those that may be meant`() throws {
        let json = #"{"captoin": "x"}"#
        let fault = #expect(throws: CatalogueFault.self) { try QuestionReader.utc.filter(json: json) }
        #expect(fault?.known.contains("caption") == true)
        let told = fault?.explained(of: json) { name, known in
            name == "captoin" && known.contains("caption") ? " (did you mean “caption”?)" : ""
        }
        #expect(
            told == "There is no field “captoin” (did you mean “caption”?). It is at character 2, in where.captoin.")
    }

    @Test func `what is too much is refused`() throws {
        let reader = QuestionReader.utc
        func nested(_ depth: Int) -> String {
            String(repeating: #"{"or": ["#, count: depth) + #"{"size": 1}"# + String(repeating: "]}", count: depth)
        }
        _ = try reader.filter(json: nested(16))
        #expect(throws: CatalogueFault.self) { try reader.filter(json: nested(17)) }
        #expect(throws: CatalogueFault.self) { try reader.filter(json: nested(100_000)) }
        #expect(throws: CatalogueFault.self) { try reader.filter(json: String(repeating: "[", count: 900_000)) }
        func terms(_ count: Int) -> String {
            #"{"or": [\#(repeatElement(#"{"size": 1}"#, count: count).joined(separator: ","))]}"#
        }
        _ = try reader.filter(json: terms(100))
        #expect(throws: CatalogueFault.self) { try reader.filter(json: terms(101)) }
        func values(_ count: Int) -> String { "[\(repeatElement("1", count: count).joined(separator: ","))]" }
        _ = try reader.filter(json: #"{"size": {"inq": \#(values(1000))}}"#)
        #expect(throws: CatalogueFault.self) { try reader.filter(json: #"{"size": {"inq": \#(values(1001))}}"#) }
        let lists = repeatElement(#"{"size": {"inq": \#(values(1000))}}"#, count: 11).joined(separator: ",")
        #expect(throws: CatalogueFault.self) { try reader.filter(json: #"{"or": [\#(lists)]}"#) }
        _ = try reader.filter(json: #"{"name": {"like": "\#(String(repeating: "🌊", count: 200))"}}"#)
        #expect(throws: CatalogueFault.self) {
            try reader.filter(json: #"{"name": {"like": "\#(String(repeating: "x", count: 201))"}}"#)
        }
        #expect(throws: CatalogueFault.self) {
            try reader.filter(json: #"{"name": "\#(String(repeating: "x", count: 1 << 20))"}"#)
        }
    }

    @Test func `a whole question says what, in which order and how much`() throws {
        let query = try QuestionReader.utc.query(
            #"{"where": {"tags": "x"}, "order": ["taken DESC", "name"], "limit": 20, "offset": 5, "fields": ["id", "tags"]}"#
        )
        #expect(
            query.wholeOrder == [try CatalogueOrder(.captured, isDescending: true), try CatalogueOrder(.name), .oldest])
        #expect(query.limit == 20)
        #expect(query.skip == 5)
        #expect(query.fields == [.id, .tags])
        // As in LoopBack: 100 where nobody says how many, in the order of the numbers.
        let plain = try QuestionReader.utc.query("{}")
        #expect(plain.limit == 100)
        #expect(plain.wholeOrder == [.oldest])
        #expect(
            try QuestionReader.utc.query(#"{"order": "size desc, id ASC"}"#).order.map(\.isDescending) == [true, false])
        #expect(
            try QuestionReader.utc.query(#"{"fields": {"caption": false}}"#).fields?.count == CatalogueField.allCases
                .count - 1)
        #expect(try QuestionReader.utc.query(#"{"search": "Der Hafen der"}"#).search?.words == ["der", "hafen"])
    }

    @Test(arguments: [
        #"{"limit": 0}"#, #"{"limit": -1}"#, #"{"limit": 1.5}"#, #"{"limit": 1001}"#, #"{"limit": "5"}"#,
        #"{"skip": -1}"#,
        #"{"skip": 1, "offset": 1}"#, #"{"order": "size UP"}"#, #"{"order": "tags"}"#, #"{"order": "nothing"}"#,
        #"{"order": [""]}"#, #"{"fields": []}"#, #"{"fields": {"id": true, "size": false}}"#, #"{"fields": "id"}"#,
        #"{"include": "owner"}"#, #"{"were": {}}"#, #"{"next": "x"}"#, #"{"search": " "}"#, "[]", "null",
    ])
    func `a question that is none is refused with its place`(json: String) throws {
        let fault = #expect(throws: CatalogueFault.self) { try QuestionReader.utc.query(json) }
        #expect(fault?.offset != nil)
    }

    @Test func `a question may stand in an address, as JSON or taken apart`() throws {
        let reader = QuestionReader.utc
        let json = #"{"where": {"and": [{"size": {"gt": 5}}, {"tags": "a&b"}]}, "limit": 7}"#
        let expected = try reader.question(json: json)
        let encoded = "filter=" + json.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(try reader.question(parameters: "access_token=x&\(encoded)") == expected)
        let apart = "filter[where][and][0][size][gt]=5&filter%5Bwhere%5D[and][1][tags]=a%26b&filter[limit]=7"
        #expect(try reader.question(parameters: apart) == expected)
        #expect(try reader.question(parameters: "x=1") == reader.question(json: "{}"))
        let dated = try reader.question(
            parameters: "filter[where][captured][between][]=2026&filter[where][captured][between][]=2027")
        #expect(dated == (try reader.question(json: #"{"where": {"captured": {"between": ["2026", "2027"]}}}"#)))
    }

    @Test(arguments: [
        "filter[where][size]=x", "filter[where][size]=1&filter[where][size]=2", "filter[where=1", "filter[where]x=1",
        "filter=%", "filter=%FF", "filter[where][and]=x", "filter=", "filter={}&filter[limit]=1",
        (0...20).map { "filter[where][size][inq][\($0)]=\($0)" }.joined(separator: "&"),
    ])
    func `parameters that are no filter are refused`(parameters: String) {
        #expect(throws: CatalogueFault.self) { try QuestionReader.utc.question(parameters: parameters) }
    }
}

extension String {
    /// The text without its `¦`, and the bytes before that.
    var withoutMark: (text: String, offset: Int?) {
        (replacing("¦", with: ""), firstIndex(of: "¦").map { utf8.distance(from: startIndex, to: $0) })
    }
}
