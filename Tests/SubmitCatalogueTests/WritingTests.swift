import Submit
import SubmitCatalogue
import TestServers
import Testing

/// What is written for another catalogue is what was asked.
@Suite struct WritingTests {
    static let seed = UInt64.random(in: 0..<1_000_000)

    @Test(arguments: 0..<10)
    func `ten thousand drawn filters mean the same when they were written and read`(world: UInt64) throws {
        let seed = Self.seed &* 10 &+ world
        var drawn = DrawnCatalogue(numbers: SeededNumbers(seed: seed))
        let pictures = (1...24).map { drawn.picture($0) }
        let reader = LoopBackReader(offersExpressions: true)
        var plain = 0
        for number in 0..<1000 {
            let filter = try drawn.filter(depth: 3)
            let written = try filter.datasourceFilter()
            try written.check()
            let json = written.json?.json ?? "{}"
            let read = try reader.filter(json)
            #expect(
                read == filter || pictures.allSatisfy { read.matches($0) == filter.matches($0) },
                "seed \(seed), filter \(number): \(json)")
            #expect(
                try read.datasourceFilter() == written, "written once more, seed \(seed), filter \(number): \(json)")
            // Without nor and exists it is the same, but of several values, whose opposites say something else.
            guard filter.fields.allSatisfy({ $0.holds != .texts }), let simple = try? written.withoutNor(),
                (try? simple.check()) != nil
            else { continue }
            plain += 1
            let text = simple.json?.json ?? "{}"
            #expect(!text.contains(#"{"nor":["#) && !text.contains(#":{"exists":"#))
            let asked = try reader.filter(text)
            #expect(
                pictures.allSatisfy { asked.matches($0) == filter.matches($0) },
                "without nor, seed \(seed), filter \(number): \(json), \(text)")
        }
        #expect(plain > 200)
    }

    @Test func `a question keeps its order, its part and its fields`() throws {
        let json =
            #"{"where":{"tags":"a\"}{"},"search":"der hafen","order":["captured DESC","name ASC"],"skip":5,"limit":7,"fields":["id","tags"]}"#
        let query = try LoopBackReader().query(json)
        #expect(try query.datasourceQuestion().json.json == json)
    }

    @Test func `an object never has two operators, of which LoopBack would honour one`() throws {
        let filter = try LoopBackReader().filter(#"{"captured": "2026", "size": {"gt": 4, "lt": 6}}"#)
        #expect(
            try filter.datasourceFilter().json?.json
                == #"{"and":[{"and":[{"captured":{"gte":"2026-01-01T00:00:00Z"}},{"captured":{"lt":"2027-01-01T00:00:00Z"}}]},{"size":{"gt":4}},{"size":{"lt":6}}]}"#
        )
    }

    @Test func `nothing is no empty condition`() throws {
        #expect(try CatalogueFilter.everything.datasourceFilter().json == nil)
        #expect(try CatalogueFilter.or([]).datasourceFilter().json?.json == #"{"id":{"inq":[]}}"#)
        #expect(throws: CatalogueFault.self) { try DatasourceFilter.or([]).check() }
        #expect(throws: CatalogueFault.self) { try DatasourceFilter.or([.and([])]).check() }
        #expect(throws: CatalogueFault.self) { try DatasourceCondition("and", .eq, .text("x")) }
        #expect(throws: CatalogueFault.self) { try DatasourceCondition("", .eq, .text("x")) }
    }

    @Test(arguments: [
        (DatasourceTest.between, RecordValue.list([.text("a")])), (.inq, .text("a")), (.inq, .list([.null])),
        (.exists, .text("true")), (.like, .number("5")), (.gt, .null), (.eq, .list([])), (.gt, .number("1e999")),
        (.near, .object([])), (.nin, .list(Array(repeating: .text("x"), count: 1001))),
    ])
    func `a condition that is none cannot be made`(test: DatasourceTest, value: RecordValue) {
        #expect(throws: CatalogueFault.self) { try DatasourceCondition("price", test, value) }
    }
}
