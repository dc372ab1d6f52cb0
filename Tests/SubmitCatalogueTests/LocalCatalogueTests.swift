import Submit
import SubmitCatalogue
import TestServers
import Testing

/// The own catalogue as a source.
@Suite struct LocalCatalogueTests {
    private static let clock = AskersClock.utc(now: 1_767_225_600)

    private func catalogue(
        _ pictures: [CataloguePicture], base: CatalogueFilter = .everything, revealsPlaces: Bool = true
    ) -> LocalCatalogue {
        LocalCatalogue(
            PicturesInMemory(pictures: pictures), base: base, revealsPlaces: revealsPlaces, clock: Self.clock)
    }

    @Test func `drawn questions have the records of the pictures that are meant, over all pages`() async throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var drawn = DrawnCatalogue(numbers: SeededNumbers(seed: seed))
        let pictures = (1...30).map { drawn.picture($0) }
        let catalogue = catalogue(pictures)
        for number in 0..<200 {
            var query = try drawn.query()
            query.search?.includesPlace = true
            let order = query.order.compactMap { order in
                if case .field(let field) = order.key {
                    DatasourceOrder(field.rawValue, isDescending: order.isDescending)
                } else {
                    nil
                }
            }
            guard order.count == query.order.count else { continue }
            let question = try DatasourceQuestion(
                query.filter, search: query.search?.words.joined(separator: " "), order: order, skip: query.skip,
                pageSize: query.limit)
            query.limit = 1000
            let expected = try query.answer(pictures).pictures.map { $0.record(revealsPlace: true) }
            let found = try await catalogue.load(question, most: 1000)
            #expect(found.records == expected, "seed \(seed), question \(number): \(question.json.json)")
        }
    }

    @Test func `what people type and what programs write are the same question`() async throws {
        let catalogue = catalogue([])
        let typed = try catalogue.question(words: "tag=harbour size>5 night")
        let written = try catalogue.question(
            json: #"{"where": {"and": [{"tags": "harbour"}, {"size": {"gt": 5}}]}, "search": "night", "limit": 20}"#)
        #expect(typed == written)
        #expect(throws: CatalogueFault.self) { try catalogue.question(words: "price<5") }
        let stranger = try QuestionReader(.any).question(words: "price<5")
        let fault = await #expect(throws: DatasourceFault.self) { try await catalogue.page(stranger, after: nil) }
        #expect(fault?.description.hasPrefix("There is no field “price”.") == true)
    }

    @Test func `what always holds, holds of pages, values and single records`() async throws {
        let own = CatalogueFilter.condition(try CatalogueCondition(.owner, .eq, .text("me")))
        let pictures = [CataloguePicture.plain(1), .plain(2) { ($0.owner, $0.tags) = ("eve", ["hers"]) }]
        let catalogue = catalogue(pictures, base: own)
        let any = try catalogue.question(json: #"{"where": {"or": [{"owner": "eve"}, {"id": {"gt": 0}}]}}"#)
        #expect(try await catalogue.load(any, most: 9).records.compactMap { $0["id"] } == [.number("1")])
        #expect(try await catalogue.distinct("tags", of: any, limit: 9) == DistinctValues([], isCut: false))
        #expect(try await catalogue.single("1") != nil)
        #expect(try await catalogue.single("2") == nil)
        #expect(try await catalogue.single("x") == nil)
    }

    @Test func `others learn no place that its owner does not show, by no question`() async throws {
        let pictures = [
            CataloguePicture.plain(1) {
                ($0.place, $0.placeName) = (CataloguePlace(latitude: 53.55, longitude: 9.99), "Hamburg")
            },
            .plain(2) {
                ($0.place, $0.placeName) = (CataloguePlace(latitude: 53.55, longitude: 9.99), "Hamburg")
                $0.isPlaceShown = true
            },
        ]
        let (own, others) = (catalogue(pictures), catalogue(pictures, revealsPlaces: false))
        for json in [
            #"{"where": {"place": "Hamburg"}}"#, #"{"where": {"location": {"near": "53.55,9.99", "maxDistance": 5}}}"#,
            #"{"where": {"nor": [{"lat": {"lt": 5}}]}}"#, #"{"order": "lng"}"#,
        ] {
            let question = try own.question(json: json)
            #expect(try await own.load(question, most: 9).records.count == 2)
            #expect(try await own.count(of: question) == 2)
            #expect(try await others.count(of: question) == 1)
            #expect(
                try await others.load(question, most: 9).records.compactMap { $0["id"] } == [.number("2")], "\(json)")
        }
        let word = try own.question(words: "hamburg")
        #expect(try await own.load(word, most: 9).records.count == 2)
        #expect(try await others.load(word, most: 9).records.isEmpty)
        let all = try await others.load(try DatasourceQuestion(), most: 9).records
        #expect(all.map { $0["place"] } == [.null, .text("Hamburg")])
        #expect(all.map { $0["location"] == .null } == [true, false])
        let values = try await catalogue([pictures[0]], revealsPlaces: false).distinct(
            "place", of: try DatasourceQuestion(), limit: 9)
        #expect(values.values.isEmpty)
    }

    @Test func `values are cut where there are more, and a mark of another question is none`() async throws {
        let catalogue = catalogue((1...5).map { id in .plain(id) { $0.size = id } })
        let all = try DatasourceQuestion(pageSize: 2)
        #expect(
            try await catalogue.distinct("size", of: all, limit: 2)
                == DistinctValues([.number("1"), .number("2")], isCut: true))
        await #expect(throws: DatasourceFault.self) { try await catalogue.distinct("location", of: all, limit: 2) }
        let next = try #require(try await catalogue.page(all, after: nil).next)
        #expect(try await catalogue.page(all, after: next).records.first?["id"] == .number("3"))
        let other = try DatasourceQuestion(order: [DatasourceOrder("size")])
        await #expect(throws: DatasourceFault.self) { try await catalogue.page(other, after: next) }
    }
}

/// A store that asks the evaluator.
private struct PicturesInMemory: PictureStore {
    let pictures: [CataloguePicture]

    func page(_ query: CatalogueQuery) async throws(DatasourceFault) -> CataloguePage {
        do throws(CatalogueFault) {
            return try query.answer(pictures)
        } catch {
            throw .question(error)
        }
    }

    func count(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(DatasourceFault) -> Int {
        pictures.count { filter.matches($0) && search?.matches($0) ?? true }
    }

    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, limit: Int
    ) async throws(DatasourceFault) -> [RecordValue] {
        let keys = pictures.filter { filter.matches($0) && search?.matches($0) ?? true }.flatMap { picture in
            field.holds == .texts ? picture.texts(field).map(CatalogueKey.text) : [picture.key(field)]
        }
        let values = keys.filter { $0 != .null }.sorted { $0.isBefore($1) }.reduce(into: [CatalogueKey]()) {
            known, key in
            if known.last.map({ $0.isBefore(key) }) ?? true { known.append(key) }
        }
        return values.prefix(limit).map { RecordValue($0, of: field) }
    }
}
