import Foundation
import Submit
import SubmitCatalogue
import SubmitHTTP
import SubmitLoopBack
import TestServers
import Testing

/// Pages, values and single records of a service.
@Suite struct PagesTests {
    /// A shop with so many records, which heeds `skip`, `limit` and, of one field, `gt` and `order`.
    private func shop(_ count: Int, cap: Int = 1000) throws -> Shop {
        let rows = (0..<count).map { #"{"id":\#($0),"kind":"k\#($0 % 3)","tags":["t\#($0 % 2)"]}"# }
        return try Shop { request in
            guard let filter = Shop.filter(of: request),
                let json = try? JSONSerialization.jsonObject(with: Data(filter.utf8)) as? [String: Any]
            else { return ScriptedServer.answer(400) }
            let (skip, limit) = (json["skip"] as? Int ?? 0, min(cap, json["limit"] as? Int ?? 100))
            var chosen = rows
            if (json["order"] as? [String])?.first == "kind ASC" {
                let after = filter.firstMatch(of: /"kind":\{"gt":"(k\d)"\}/).map { String($0.1) } ?? ""
                chosen = chosen.enumerated().map { ("k\($0.offset % 3)", $0.element) }.filter { $0.0 > after }
                    .sorted { $0.0 < $1.0 }.map(\.1)
            }
            return ScriptedServer.answer(200, [], "[\(chosen.dropFirst(skip).prefix(limit).joined(separator: ","))]")
        }
    }

    @Test(arguments: [(0, 1), (19, 2), (20, 2), (45, 4)])
    func `pages follow one another until there is none`(count: Int, requests: Int) async throws {
        let shop = try shop(count)
        let catalogue = try shop.catalogue()
        var seen: [String] = []
        for try await page in catalogue.pages(try DatasourceQuestion()) {
            seen += page.records.compactMap { $0["id"]?.json }
        }
        #expect(seen == (0..<count).map(String.init))
        #expect(shop.requests.count == requests)
    }

    @Test func `a service that gives fewer than were asked for loses none`() async throws {
        let shop = try shop(45, cap: 7)
        let catalogue = try shop.catalogue()
        let all = try await catalogue.load(try DatasourceQuestion(), most: 1000)
        #expect(all.records.count == 45)
        #expect(!all.isCut)
        let some = try await catalogue.load(try DatasourceQuestion(), most: 10)
        #expect(some.records.count == 10)
        #expect(some.isCut)
    }

    @Test func `who stops has asked for no more than was wanted`() async throws {
        let shop = try shop(1000)
        for try await _ in try shop.catalogue().pages(try DatasourceQuestion()) { break }
        #expect(shop.requests.count == 1)
    }

    @Test func `a service that knows no pages does not keep us for ever`() async throws {
        let same = try Shop(saying: #"[{"id":1}]"#)
        let fault = await #expect(throws: DatasourceFault.self) {
            try await same.catalogue().load(try DatasourceQuestion(), most: 1000)
        }
        guard case .source(let failure) = fault else { return }
        #expect(failure.code == "same-page")
        let whole = try Shop(saying: "[\(repeatElement("{}", count: 21).joined(separator: ","))]")
        #expect(try await whole.catalogue().refusal()?.code == "no-pages")
    }

    @Test func `the values of a field are found without going through all records`() async throws {
        let shop = try shop(3000)
        let catalogue = try shop.catalogue()
        let kinds = try await catalogue.distinct("kind", of: try DatasourceQuestion(), limit: 100)
        #expect(kinds == DistinctValues([.text("k0"), .text("k1"), .text("k2")], isCut: false))
        #expect(shop.requests.count == 4)
        #expect(
            shop.lastFilter
                == #"{"where":{"kind":{"gt":"k2"}},"order":["kind ASC","id ASC"],"limit":100,"fields":["kind"]}"#)
        let some = try await catalogue.distinct("kind", of: try DatasourceQuestion(), limit: 2)
        #expect(some == DistinctValues([.text("k0"), .text("k1")], isCut: true))
    }

    @Test
    func `values of fields that hold several are looked for in so many pages, and it is told where there are more`()
        async throws
    {
        let small = try shop(150)
        let few = try await small.catalogue().distinct("tags", of: try DatasourceQuestion(), limit: 100)
        #expect(few == DistinctValues([.text("t0"), .text("t1")], isCut: false))
        let large = try shop(100_000)
        let values = try await large.catalogue().distinct("tags", of: try DatasourceQuestion(), limit: 100)
        #expect(values == DistinctValues([.text("t0"), .text("t1")], isCut: true))
        #expect(large.requests.count == 50)
    }

    @Test func `a service that knows the values itself is asked for them`() async throws {
        let shop = try Shop(saying: #"["b", null, "a", "b"]"#)
        let catalogue = try shop.catalogue { $0.distinctPath = "/distinct" }
        let values = try await catalogue.distinct("a b", of: catalogue.question(words: "x=1"), limit: 9)
        #expect(values == DistinctValues([.text("b"), .text("a")], isCut: false))
        #expect(shop.requests.first?.target.hasPrefix("/api/Products/distinct?field=a%20b&filter=%7B%22where") == true)
    }

    @Test func `one record is asked for by its name`() async throws {
        let shop = try Shop { request in
            request.target.hasSuffix("/a%2F1")
                ? ScriptedServer.answer(200, [], #"{"id":"a/1"}"#) : ScriptedServer.answer(404)
        }
        #expect(try await shop.catalogue().single("a/1")?["id"] == .text("a/1"))
        #expect(try await shop.catalogue().single("b") == nil)
        let listed = try Shop(saying: #"[{"id":7}]"#)
        let catalogue = try listed.catalogue {
            $0.base = .condition(try! CatalogueCondition("shown", .eq, .truth(true)))
        }
        #expect(try await catalogue.single("7")?["id"] == .number("7"))
        #expect(listed.lastFilter?.contains(#"{"and":[{"shown":true},{"id":"7"}]}"#) == true)
    }

    @Test func `a picture's path is joined to where the records are, or to where pictures are`() throws {
        let shop = try Shop(saying: "[]")
        let record = DatasourceRecord([RecordMember("imageUrl", .text("../img/1.jpg"))])
        #expect(
            try shop.catalogue { $0.imageField = "imageUrl" }.image(of: record) == "\(shop.server.endpoint)/img/1.jpg")
        let elsewhere = try shop.catalogue {
            $0.imageField = "imageUrl"
            $0.imageBase = "https://cdn.example/a/b/"
        }
        #expect(elsewhere.image(of: record) == "https://cdn.example/a/img/1.jpg")
        #expect(elsewhere.image(of: DatasourceRecord([])) == nil)
    }
}
