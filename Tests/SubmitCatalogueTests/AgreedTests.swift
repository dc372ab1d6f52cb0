import SubmitCatalogue
import Testing

/// Where LoopBack's own semantics and ours agree. The rows are those that loopback-datasource-juggler 4.26.0 answered from its
/// in-memory connector, of the same records with what is null left out.
@Suite struct AgreedTests {
    static let pictures: [CataloguePicture] = [
        .plain(1) { ($0.caption, $0.tags, $0.width, $0.size) = ("The harbour", ["harbour", "night"], 4, 5) },
        .plain(2) { ($0.caption, $0.tags, $0.width, $0.size) = ("the HARBOUR", ["Harbour"], 5, 5) },
        .plain(3) { ($0.caption, $0.tags, $0.width, $0.size) = ("100% harbour", [], 6, 7) },
        .plain(4) { ($0.caption, $0.tags, $0.width, $0.size) = (nil, ["night"], nil, 8) },
        .plain(5) { ($0.caption, $0.width, $0.size, $0.isPlaceShown) = ("Straße", 7, 9, true) },
    ]

    @Test(arguments: [
        ("{}", [1, 2, 3, 4, 5]), (#"{"width":5}"#, [2]), (#"{"width":null}"#, [4]),
        (#"{"width":{"neq":5}}"#, [1, 3, 4, 5]), (#"{"width":{"neq":null}}"#, [1, 2, 3, 5]),
        (#"{"width":{"gt":4}}"#, [2, 3, 5]), (#"{"width":{"gte":5}}"#, [2, 3, 5]), (#"{"width":{"lt":6}}"#, [1, 2]),
        (#"{"width":{"lte":5}}"#, [1, 2]), (#"{"width":{"between":[5,6]}}"#, [2, 3]),
        (#"{"width":{"inq":[4,7,7]}}"#, [1, 5]), (#"{"width":{"inq":[]}}"#, []),
        (#"{"width":{"nin":[5,6]}}"#, [1, 4, 5]), (#"{"width":{"nin":[]}}"#, [1, 2, 3, 4, 5]),
        (#"{"size":5,"width":5}"#, [2]), (#"{"caption":"Straße"}"#, [5]), (#"{"caption":{"gt":"The"}}"#, [1, 2]),
        (#"{"caption":{"lte":"100% harbour"}}"#, [3]), (#"{"caption":{"neq":"Straße"}}"#, [1, 2, 3, 4]),
        (#"{"caption":{"between":["A","Z"]}}"#, [1, 5]), (#"{"tags":"night"}"#, [1, 4]),
        (#"{"tags":{"inq":["harbour","Harbour"]}}"#, [1, 2]), (#"{"tags":"harbour","width":4}"#, [1]),
        (#"{"and":[{"tags":"harbour"},{"tags":"night"}]}"#, [1]),
        (#"{"or":[{"width":{"gt":6}},{"tags":"night"}]}"#, [1, 4, 5]),
        (#"{"and":[{"or":[{"size":5},{"size":9}]},{"width":{"neq":4}}]}"#, [2, 5]), (#"{"size":{"gt":7.5}}"#, [4, 5]),
        (#"{"placeShown":true}"#, [5]), (#"{"caption":{"like":"%harbour%"}}"#, [1, 3]),
        (#"{"caption":{"ilike":"%harb%"}}"#, [1, 2, 3]), (#"{"caption":{"regexp":"^The"}}"#, [1]),
        (#"{"caption":{"regexp":"/^the/i"}}"#, [1, 2]),
    ])
    func `a filter has the rows that LoopBack has, as it is and as it is written`(json: String, rows: [Int64]) throws {
        let reader = QuestionReader.utc
        let filter = try reader.filter(json: json)
        #expect(Self.pictures.filter(filter.matches).map(\.id) == rows)
        let written = try filter.withoutNor().json?.json ?? "{}"
        #expect(Self.pictures.filter(try reader.filter(json: written).matches).map(\.id) == rows)
        #expect(try QuestionReader(.any).filter(json: written).json?.json ?? "{}" == written)
    }

    @Test(arguments: [
        (#"{"order":"size ASC"}"#, [1, 2, 3, 4, 5]), (#"{"order":["size ASC","width DESC"]}"#, [2, 1, 3, 4, 5]),
        (#"{"order":"width ASC"}"#, [4, 1, 2, 3, 5]), (#"{"order":"caption DESC"}"#, [2, 1, 5, 3, 4]),
        (#"{"skip":2}"#, [3, 4, 5]), (#"{"skip":1,"limit":2}"#, [2, 3]), (#"{"offset":1,"limit":2}"#, [2, 3]),
    ])
    func `an order and a part are those that LoopBack has`(json: String, rows: [Int64]) throws {
        let question = try QuestionReader.utc.question(json: json)
        #expect(try CatalogueQuery(question).answer(Self.pictures).pictures.map(\.id) == rows)
        #expect(try QuestionReader.utc.question(json: question.json.json) == question)
    }

    @Test(arguments: [#"{"limit":-1}"#, #"{"limit":1.5}"#, #"{"skip":-1}"#, #"{"order":"size UP"}"#])
    func `what LoopBack refuses is refused`(json: String) {
        #expect(throws: CatalogueFault.self) { try QuestionReader.utc.query(json) }
        #expect(throws: CatalogueFault.self) { try QuestionReader(.any).question(json: json) }
    }
}
