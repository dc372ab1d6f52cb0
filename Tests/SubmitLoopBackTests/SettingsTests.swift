import Submit
import SubmitCatalogue
import SubmitCurl
import SubmitHTTP
import SubmitLoopBack
import TestServers
import Testing

/// Services as they are configured.
@Suite struct SettingsTests {
    private func catalogue(
        _ values: [String: String], secrets: [String: String] = [:]
    ) throws -> LoopBackCatalogue {
        try LoopBackCatalogue(
            DestinationSettings(destination: "shop", values: values, secrets: secrets),
            transport: try CurlTransport(CurlConfiguration(userAgent: "test")))
    }

    @Test func `all that is configured is heeded`() async throws {
        let shop = try Shop(saying: "[]")
        let catalogue = try catalogue(
            [
                "url": shop.server.endpoint + "/api/Products", "fields": "sku: text, price: number,tags :texts",
                "where": #"{"price": {"gt": 0}}"#, "search": "sku, name", "id": "sku", "image": "img",
                "image_base": "https://cdn.example/a", "token_header": "X-Access-Token", "distinct_path": "/values of",
            ], secrets: ["token": "sesame-1234"])
        _ = try await catalogue.page(try catalogue.question(words: "price<5 tea"), after: nil)
        #expect(shop.requests.last?["X-Access-Token"] == "sesame-1234")
        #expect(
            shop.lastFilter
                == #"{"where":{"and":[{"and":[{"price":{"gt":0}},{"price":{"lt":5}}]},{"or":[{"sku":{"ilike":"%tea%"}},{"name":{"ilike":"%tea%"}}]}]},"order":["sku ASC"],"limit":20}"#
        )
        _ = try await catalogue.distinct("tags", of: try DatasourceQuestion(), limit: 5)
        #expect(shop.requests.last?.target.hasPrefix("/api/Products/values%20of?field=tags&filter=") == true)
        #expect(
            catalogue.image(of: DatasourceRecord([RecordMember("img", .text("b.jpg"))]))
                == "https://cdn.example/a/b.jpg")
        let keys = Set(LoopBackCatalogue.settings.map(\.name))
        #expect(
            keys.isSuperset(of: ["url", "fields", "where", "search", "id", "image", "image_base", "distinct_path"]))
    }

    @Test func `a user's password goes by Basic`() async throws {
        let shop = try Shop(saying: "[]")
        let catalogue = try catalogue(
            ["url": shop.server.endpoint, "user": "ann"], secrets: ["password": "sesame-5678"])
        _ = try await catalogue.page(try DatasourceQuestion(), after: nil)
        #expect(shop.requests.last?["Authorization"] == "Basic YW5uOnNlc2FtZS01Njc4")
    }

    @Test(
        arguments: [
            ([:], [:], "url"), (["url": "ftp://x"], [:], "url"),
            (["url": "http://x.example"], ["token": "sesame-1234"], "url"),
            (["fields": "name"], [:], "fields"), (["fields": "name: string"], [:], "fields"),
            (["fields": "a: text, a: text"], [:], "fields"), (["where": "{"], [:], "where"),
            (["fields": "a: text", "where": #"{"b": 1}"#], [:], "where"), (["insecure": "perhaps"], [:], "insecure"),
            ([:], ["password": "sesame-5678"], "user"), ([:], ["token": "sesame-1", "password": "sesame-2"], "token"),
            (["token_header": "X: y"], ["token": "sesame-1234"], "token_header"),
            (["distinct_path": "x?y"], [:], "distinct_path"),
            (["image_base": "x"], [:], "image_base"),
        ] as [([String: String], [String: String], String)])
    func `a setting that cannot be used is named`(values: [String: String], secrets: [String: String], name: String) {
        var all = values
        if name != "url" { all["url"] = "https://shop.example/api" }
        let failure = #expect(throws: SubmitFailure.self) { try catalogue(all, secrets: secrets) }
        #expect(failure?.code == "configuration")
        #expect(failure?.message.hasPrefix("The setting “\(name)” of the destination “shop” ") == true)
        #expect(failure?.message.contains("sesame") == false)
    }
}
