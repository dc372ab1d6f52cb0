import GRDB
import SubmitCatalogue
import Testing

@testable import SubmitJournal

/// What is asked all the time costs the same beside a million pictures.
@Suite struct CataloguePlanTests {
    private static let few = 300
    private static let many = 6000

    private static let benches = Result { try [few: make(few), many: make(many)] }

    private static func bench(_ count: Int) throws -> CatalogueBench { try #require(try benches.get()[count]) }

    private static func make(_ count: Int) throws -> CatalogueBench {
        let bench = try CatalogueBench()
        try bench.insert(
            (1...Int64(count)).map { id in
                .plain(id) {
                    $0.caption = id % 50 == 0 ? "the harbour at night" : "a caption"
                    $0.tags = ["all"] + (id % 50 == 0 ? ["some"] : []) + (id % 2 == 0 ? ["half"] : [])
                    $0.albums = ["album \(id % 20)"]
                    $0.owner = "owner \(id % 20)"
                    $0.kind = id % 10 == 0 ? "video" : "photo"
                    $0.captured = id % 10 == 0 ? nil : WallClockTime(seconds: id * 7919 % 1_000_003)
                    $0.place = CataloguePlace(latitude: Double(id % 170) - 85, longitude: Double(id % 350) - 175)
                    $0.copies = [CatalogueCopy(destination: "nas", evidence: "verified")]
                }
            })
        return bench
    }

    /// A question, and what of the tables it goes through from an end, to stop after a page.
    static let standard: [(json: String, walks: String?)] = [
        (#"{"order": "id DESC"}"#, "SCAN picture"), ("{}", "SCAN picture"),
        (#"{"order": "captured DESC"}"#, "SCAN picture USING INDEX picture_captured"),
        (#"{"order": "captured"}"#, "SCAN picture USING INDEX picture_captured"),
        (#"{"order": "accepted DESC"}"#, "SCAN picture USING INDEX picture_accepted"),
        (#"{"order": "owner"}"#, "SCAN picture USING INDEX picture_owner"),
        (#"{"where": {"owner": "owner 3"}, "order": "id DESC"}"#, nil),
        (#"{"where": {"tags": "all"}, "order": "id DESC"}"#, nil),
        (#"{"where": {"tags": "some"}, "order": "id DESC"}"#, nil),
        (#"{"where": {"and": [{"tags": "all"}, {"tags": "some"}]}, "order": "id DESC"}"#, nil),
        (#"{"where": {"owner": "owner 3"}, "order": "captured DESC"}"#, nil),
        (#"{"search": "night", "where": {"tags": "some"}, "order": "id DESC"}"#, nil),
        (#"{"where": {"albums": "album 7"}, "order": "id DESC"}"#, nil), (#"{"where": {"id": 77}}"#, nil),
        (#"{"where": {"kind": "video"}, "order": "id DESC"}"#, nil),
        (#"{"where": {"captured": {"gt": "1970-01-03"}}, "order": "captured DESC"}"#, nil),
        (#"{"where": {"captured": "1970-01-05"}, "order": "captured"}"#, nil),
        (#"{"search": "harbour", "order": "id DESC"}"#, "SCAN picture_search VIRTUAL"),
        (#"{"search": "caption", "order": "id DESC"}"#, "SCAN picture_search VIRTUAL"),
        (#"{"search": "caption", "where": {"tags": "all"}, "order": "id DESC"}"#, "SCAN picture_search"),
    ]

    @Test(arguments: standard.indices)
    func `a page looks at no more pictures than it tells of, the first one and the ones after it`(number: Int) throws {
        let (json, walks) = Self.standard[number]
        var query = try QuestionReader.utc.query(json)
        query.limit = 5
        var steps: [[Int]] = []
        for count in [Self.few, Self.many] {
            let bench = try Self.bench(count)
            query.mark = nil
            var taken: [Int] = []
            while taken.count < 8 {
                try bench.read { reading in
                    let statements = try reading.statements(query)
                    for (place, statement) in statements.enumerated() {
                        let plan = try String.fetchAll(
                            reading.db, sql: "EXPLAIN QUERY PLAN \(statement.text)",
                            arguments: StatementArguments(Array(repeating: 0, count: statement.values.count)),
                            adapter: SuffixRowAdapter(fromIndex: 3))
                        for detail in plan {
                            let isWalk = walks.map(detail.hasPrefix) ?? false
                            let what: Comment = "\(json), \(place): \(statement.text): \(detail)"
                            #expect(!detail.hasPrefix("SCAN") || isWalk || detail == "SCAN CONSTANT ROW", what)
                            #expect(!detail.contains("TEMP B-TREE"), what)
                        }
                    }
                    var wanted = query.limit + 1
                    taken.append(0)
                    for statement in statements where wanted > 0 {
                        taken[taken.count - 1] += try reading.rows("\(statement) LIMIT \(.integer(Int64(wanted)))") {
                            _ in wanted -= 1
                        }
                    }
                }
                guard let next = try bench.page(query).next else { break }
                query.mark = next
            }
            steps.append(taken)
        }
        let (few, many) = (steps[0].max() ?? 0, steps[1].max() ?? 0)
        #expect(many <= max(2 * few, 600), "\(json): \(steps)")
    }

    @Test(arguments: ["tags", "albums", "owner", "kind", "type"])
    func `the values of a field are gone through from one to the next`(name: String) throws {
        let field = try #require(CatalogueField(named: name))
        let steps = try [Self.few, Self.many].map { count in
            let bench = try Self.bench(count)
            return try bench.read { reading in
                try reading.rows("\(try reading.distinctStatement(field, .everything, nil, after: nil)) LIMIT 1000") {
                    _ in
                }
            }
        }
        #expect(steps[1] <= 2 * steps[0] + 50, "\(steps)")
    }

    @Test func `what is near is looked up by its degrees`() throws {
        let query = try QuestionReader.utc.query(#"{"where": {"location": {"near": "10,20", "maxDistance": 50}}}"#)
        try Self.bench(Self.few).read { reading in
            let statement = try reading.statements(query)[0]
            let plan = try Self.plan(reading.db, statement.text, values: statement.values.count)
            #expect(plan.first?.contains("picture_near") == true, "\(plan)")
        }
    }

    @Test(arguments: [["all", "half"], ["half", "all"], ["some", "half"], ["all", "some", "half"]])
    func `of several tags the rarest leads, and each other is one look`(tags: [String]) throws {
        let parts = tags.map { #"{"tags": "\#($0)"}"# }.joined(separator: ",")
        let query = try QuestionReader.utc.query(#"{"where": {"and": [\#(parts)]}, "order": "id DESC"}"#)
        try Self.bench(Self.many).read { reading in
            let rarest = try #require(["some", "half"].first(where: tags.contains))
            let source = try reading.source(query.filter, nil)
            #expect(
                source.held == (try QuestionReader.utc.filter(json: #"{"tags": "\#(rarest)"}"#).required.first?.meaning)
            )
            let statement = try reading.statements(query)[0]
            let plan = try Self.plan(reading.db, statement.text, values: statement.values.count)
            let looks = plan.count { $0 == "SEARCH picture_tag USING PRIMARY KEY (tag=? AND picture=?)" }
            #expect(looks == tags.count - 1, "\(plan)")
        }
    }

    @Test(arguments: [
        #"{"tags": "all"}"#, #"{"albums": "album 7"}"#, #"{"and": [{"tags": "all"}, {"tags": "some"}]}"#,
        #"{"and": [{"tags": "half"}, {"tags": {"neq": "some"}}]}"#,
    ])
    func `pictures of which nothing but tags and albums is asked are counted without them`(json: String) throws {
        let filter = try QuestionReader.utc.filter(json: json)
        try Self.bench(Self.many).read { reading in
            let statement = try reading.countStatement(filter, nil)
            let plan = try Self.plan(reading.db, statement.text, values: statement.values.count)
            #expect(!plan.contains { $0.contains(" picture ") }, "\(plan)")
        }
    }

    @Test(arguments: CataloguePicture.NamedLink.allCases)
    func `the tags and albums of a picture lie in their order`(link: CataloguePicture.NamedLink) throws {
        try Self.bench(Self.few).read { reading in
            let plan = try Self.plan(reading.db, link.names, values: 1)
            #expect(plan.first?.contains("COVERING INDEX") == true, "\(plan)")
            #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
        }
    }

    private static func plan(_ db: Database, _ sql: String, values: Int) throws -> [String] {
        try String.fetchAll(
            db, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: StatementArguments(Array(repeating: 0, count: values)),
            adapter: SuffixRowAdapter(fromIndex: 3))
    }
}
