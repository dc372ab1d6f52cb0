import Submit
import SubmitCatalogue
import SubmitHTTP
import SubmitLoopBack
import TestServers
import Testing

/// What is asked of a service, and how it is asked.
@Suite struct AskingTests {
    @Test func `a question is one GET with one parameter, and nothing is kept from before`() async throws {
        let shop = try Shop(saying: #"[{"id": 1, "name": "Tea"}]"#)
        let catalogue = try shop.catalogue {
            $0.base = .condition(try! CatalogueCondition("shown", .eq, .truth(true)))
            $0.searchable = ["name", "text"]
        }
        let question = try catalogue.question(words: #"price<10 name!="a\"}&filter={" green tea"#)
        let page = try await catalogue.page(question, after: nil)
        #expect(page.records.first?["name"] == .text("Tea"))
        let request = try #require(shop.requests.first)
        #expect(request.method == "GET")
        #expect(request["Cache-Control"] == "no-cache, no-store")
        #expect(request.target.hasPrefix("/api/Products?filter=%7B%22where%22%3A"))
        #expect(!request.target.dropFirst(21).contains("&"))
        #expect(
            shop.lastFilter
                == #"{"where":{"and":[{"and":[{"shown":true},{"and":[{"price":{"lt":10}},{"name":{"neq":"a\"}&filter={"}}]}]},{"and":[{"or":[{"name":{"ilike":"%green%"}},{"text":{"ilike":"%green%"}}]},{"or":[{"name":{"ilike":"%tea%"}},{"text":{"ilike":"%tea%"}}]}]}]},"order":["id ASC"],"limit":20}"#
        )
    }

    @Test func `how many there are is asked as LoopBack counts`() async throws {
        let shop = try Shop(saying: #"{"count": 7}"#)
        let catalogue = try shop.catalogue()
        #expect(try await catalogue.count(of: try catalogue.question(words: "price<10")) == 7)
        #expect(shop.requests.last?.target == "/api/Products/count?where=%7B%22price%22%3A%7B%22lt%22%3A10%7D%7D")
        #expect(try await catalogue.count(of: try DatasourceQuestion()) == 7)
        #expect(shop.requests.last?.target == "/api/Products/count")
        let other = try Shop(saying: "[]").catalogue()
        await #expect(throws: DatasourceFault.self) { try await other.count(of: try DatasourceQuestion()) }
    }

    @Test(arguments: [
        ("price=5", #"{"price":5}"#), ("price=\"5\"", #"{"price":"5"}"#), ("sku=007", #"{"sku":"007"}"#),
        ("a=true", #"{"a":true}"#), ("a.b>=1e3", #"{"a.b":{"gte":1e3}}"#), ("a=1..5", #"{"a":{"between":[1,5]}}"#),
        ("a=x,y", #"{"a":{"inq":["x","y"]}}"#), ("a!=x,y", #"{"a":{"nin":["x","y"]}}"#),
        ("a~\"50%\"", #"{"a":{"ilike":"%50_%"}}"#), ("a=~x%", #"{"a":{"ilike":"x%"}}"#),
        ("a=1 or b=2", #"{"or":[{"a":1},{"b":2}]}"#), ("not a=1", #"{"a":{"neq":1}}"#),
        ("not (a=1 or b=2)", #"{"and":[{"a":{"neq":1}},{"b":{"neq":2}}]}"#),
        ("not a>1", #"{"or":[{"a":{"lte":1}},{"a":null}]}"#), ("has a", #"{"a":{"neq":null}}"#),
        ("no a", #"{"a":null}"#), ("not has a", #"{"a":null}"#), ("", nil),
    ])
    func `what people type is asked in a form that all of LoopBack's stores understand`(
        words: String, json: String?
    ) async throws {
        let shop = try Shop(saying: "[]")
        let catalogue = try shop.catalogue { $0.identity = nil }
        _ = try await catalogue.page(try catalogue.question(words: words), after: nil)
        #expect(shop.lastFilter == json.map { #"{"where":\#($0),"limit":20}"# } ?? #"{"limit":20}"#)
    }

    @Test(arguments: [
        #"{"where":{"a":{"regexp":"^x"}}}"#, #"{"where":{"or":[{"a":{"like":"x%"}},{"b.c":null}]},"limit":3,"skip":7}"#,
        #"{"where":{"nor":[{"a":{"nin":[]}}]},"order":["a DESC","id ASC"],"fields":["a","id"]}"#,
        #"{"where":{"at":{"near":{"lat":5.5,"lng":7},"maxDistance":3,"unit":"kilometers"}}}"#, "{}",
    ])
    func `a filter of LoopBack's is taken as it is`(json: String) throws {
        let question = try QuestionReader(.any).question(json: json)
        #expect(try QuestionReader(.any).question(json: question.json.json) == question)
        let written = question.json.json
        if json.contains("limit") {
            #expect(written == json.replacing(#","limit":3,"skip":7"#, with: #","skip":7,"limit":3"#))
        }
    }

    @Test(arguments: [
        (#"{"where":{"a":{¦}}}"#, "Here stands an empty condition."),
        (#"{"where":{"a":{¦"$gt":1}}}"#, "“$gt” cannot be asked of a field."),
        (#"{"where":{"or":¦[]}}"#, "or of nothing is no condition."),
        (#"{"where":¦[]}"#, "Here stands a list, and an object should."),
        (#"{"where":{"and":[¦{}]}}"#, "Here stands an empty condition."),
        (#"{"limit":¦0}"#, "A page has 1 to 1000 pictures."),
        (#"{"skip":¦-1}"#, "As many are left out as a whole number from 0 says."),
        (#"{"order":¦"a UP"}"#, "An order is a field's name, and ASC or DESC after it."),
        (#"{¦"include":"x"}"#, "A filter has no “include”."),
        (#"{"where":{"a":{"inq":¦"x"}}}"#, "inq has a list of values, and this is a text."),
        (#"{"where":{"a":¦[1]}}"#, "One of several values is asked for with inq."),
        (#"{"fields":¦[]}"#, "There is no field left."),
    ])
    func `what is none is told with its place, before anything is sent`(marked: String, sentence: String) throws {
        let offset = marked.firstIndex(of: "¦").map { marked.utf8.distance(from: marked.startIndex, to: $0) }
        let fault = #expect(throws: CatalogueFault.self) {
            try QuestionReader(.any).question(json: marked.replacing("¦", with: ""))
        }
        #expect(fault?.sentence == sentence)
        if marked.contains("{¦}") { return }
        #expect(fault?.offset == offset)
    }

    @Test func `fields that were written down are the only ones, and hold what was said`() throws {
        let reader = QuestionReader(
            try DatasourceFields(written: [
                "name": "text", "price": "number", "tags": "texts", "added": "time", "shop": "place", "new": "truth",
            ]))
        let json =
            #"{"where":{"and":[{"price":{"gt":5}},{"added":{"gte":"2026-01"}},{"shop.lat":{"lt":5}},{"new":true}]}}"#
        #expect(
            try reader.question(json: json).filter.json?.json
                == #"{"and":[{"price":{"gt":5}},{"added":{"gte":"2026-01"}},{"shop.lat":{"lt":5}},{"new":true}]}"#)
        #expect(
            try reader.question(words: "price>5 name=5 new=yes shop=53.5,10,5km").filter.json?.json
                == #"{"and":[{"price":{"gt":5}},{"name":"5"},{"new":true},{"shop":{"near":{"lat":53.5,"lng":10.0},"maxDistance":5000.0,"unit":"meters"}}]}"#
        )
        for wrong in [
            #"{"where":{"prise":5}}"#, #"{"where":{"price":"5"}}"#, #"{"where":{"name":{"near":{"near":"1,1"}}}}"#,
            #"{"where":{"price":{"like":"5"}}}"#, #"{"where":{"added":{"lt":"soon"}}}"#,
            #"{"where":{"new":{"gt":true}}}"#,
            #"{"order":"prise"}"#, #"{"fields":["prise"]}"#, #"{"where":{"price":{"inq":[1,"2"]}}}"#,
        ] { #expect(throws: CatalogueFault.self, "\(wrong)") { try reader.question(json: wrong) } }
        for wrong in [
            "prise=5", "price~5", "price=x", "added<soon", "new=maybe", "price=5 or", "(price=5", "not", "has",
        ] {
            #expect(throws: CatalogueFault.self, "\(wrong)") { try reader.question(words: wrong) }
        }
        let fault = #expect(throws: CatalogueFault.self) { try DatasourceFields(written: ["a": "string"]) }
        #expect(fault?.known.contains("text") == true)
    }

    @Test func `what is too much, or cannot be asked, is not sent`() async throws {
        let shop = try Shop(saying: "[]")
        let catalogue = try shop.catalogue()
        var long = try DatasourceQuestion()
        long.filter = .or(
            try (0..<90).map {
                .condition(try CatalogueCondition("a\($0)", .eq, .text(String(repeating: "é", count: 100))))
            })
        var endless = try DatasourceQuestion()
        endless.pageSize = 1001
        var deep = try DatasourceQuestion()
        for _ in 0..<20 { deep.filter = .or([deep.filter, .condition(try CatalogueCondition("a", .eq, .null))]) }
        let expression = try catalogue.question(json: #"{"where":{"nor":[{"a":{"regexp":"x"}}]}}"#)
        let words = try catalogue.question(words: "tea")
        for question in [long, endless, deep, expression, words] {
            let fault = await #expect(throws: DatasourceFault.self) { try await catalogue.page(question, after: nil) }
            guard case .question = fault else {
                Issue.record("\(String(describing: fault))")
                return
            }
        }
        await #expect(throws: DatasourceFault.self) {
            try await catalogue.page(try DatasourceQuestion(), after: DatasourceMark("-1"))
        }
        #expect(shop.requests.isEmpty)
    }

    @Test func `a name that is no field is not sent, wherever it stands`() async throws {
        let shop = try Shop(saying: "[]")
        let catalogue = try shop.catalogue {
            $0.fields = DatasourceFields(["price": .number, "at": .place, "maker.name": .text])
            $0.base = .condition(try! CatalogueCondition("shown", .eq, .truth(true)))
        }
        let stranger = try QuestionReader(.any).question(words: "prise=5")
        for question in [
            stranger, try DatasourceQuestion(order: [DatasourceOrder("prise")]),
            try DatasourceQuestion(fields: ["prise"]),
        ] {
            let fault = await #expect(throws: DatasourceFault.self) { try await catalogue.page(question, after: nil) }
            guard case .question(let fault) = fault else { continue }
            #expect(fault.known == ["at", "maker.name", "price"])
        }
        await #expect(throws: DatasourceFault.self) {
            try await catalogue.distinct("prise", of: try DatasourceQuestion(), limit: 5)
        }
        #expect(shop.requests.isEmpty)
        _ = try await catalogue.page(try DatasourceQuestion(fields: ["id", "price", "at.lat"]), after: nil)
        _ = try await catalogue.single("5")
        _ = try await catalogue.distinct("maker.name", of: try DatasourceQuestion(), limit: 5)
        #expect(shop.requests.count == 3)
    }

    @Test func `a secret goes in a header, and is in nothing that prints`() async throws {
        let shop = try Shop(saying: "[]")
        let ways: [(LoopBackAccess, String, String)] = [
            (.credentials(.bearer(token: "sesame-1234")), "Authorization", "Bearer sesame-1234"),
            (.credentials(.basic(user: "ann", password: "sesame-5678")), "Authorization", "Basic YW5uOnNlc2FtZS01Njc4"),
            (.header(name: "X-Access-Token", secret: "sesame-9012"), "X-Access-Token", "sesame-9012"),
        ]
        for (access, header, value) in ways {
            _ = try await shop.catalogue { $0.access = access }.page(try DatasourceQuestion(), after: nil)
            let request = try #require(shop.requests.last)
            #expect(request[header] == value)
            #expect(!request.target.contains("sesame"))
            #expect(!"\(access) \(String(reflecting: access))".contains("sesame"))
        }
        var settings = LoopBackSettings(try Endpoint("http://shop.example"))
        settings.access = .header(name: "X-Access-Token", secret: "sesame-9012")
        let plain = LoopBackCatalogue(settings, transport: Silence())
        #expect(await plain.refusal()?.code == "refused-authentication")
    }
}

/// What must not be asked.
private struct Silence: HTTPTransport {
    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse { throw .cannotConnect("it was asked") }
}
