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
        let reader = QuestionReader.utc
        var plain = 0
        for number in 0..<1000 {
            let filter = try drawn.filter(depth: 3)
            try filter.check()
            let json = filter.json?.json ?? "{}"
            let read = try reader.filter(json: json)
            #expect(read == filter, "seed \(seed), filter \(number): \(json)")
            // Without nor and exists it is the same, but of several values, whose opposites say something else.
            guard filter.conditions.allSatisfy({ $0.meaning?.field.holds != .texts }),
                let simple = try? filter.withoutNor(),
                (try? simple.check()) != nil
            else { continue }
            plain += 1
            let text = simple.json?.json ?? "{}"
            #expect(!text.contains(#"{"nor":["#) && !text.contains(#":{"exists":"#))
            let asked = try reader.filter(json: text)
            #expect(
                pictures.allSatisfy { asked.matches($0) == filter.matches($0) },
                "without nor, seed \(seed), filter \(number): \(json), \(text)")
        }
        #expect(plain > 200)
    }

    @Test func `a question keeps its order, its part and its fields`() throws {
        let json =
            #"{"where":{"tags":"a\"}{"},"search":"der hafen","order":["captured DESC","name ASC"],"skip":5,"limit":7,"fields":["id","tags"]}"#
        #expect(try QuestionReader.utc.question(json: json).json.json == json)
    }

    @Test func `an object never has two operators, of which LoopBack would honour one`() throws {
        let filter = try QuestionReader.utc.filter(json: #"{"captured": "2026", "size": {"gt": 4, "lt": 6}}"#)
        #expect(
            filter.json?.json == #"{"and":[{"captured":"2026"},{"size":{"gt":4}},{"size":{"lt":6}}]}"#)
    }

    @Test func `nothing is no empty condition`() throws {
        #expect(CatalogueFilter.everything.json == nil)
        #expect(throws: CatalogueFault.self) { try CatalogueFilter.or([]).check() }
        #expect(throws: CatalogueFault.self) { try CatalogueFilter.or([.and([])]).check() }
        #expect(throws: CatalogueFault.self) { try CatalogueCondition("and", .eq, .text("x")) }
        #expect(throws: CatalogueFault.self) { try CatalogueCondition("", .eq, .text("x")) }
    }

    @Test(arguments: [
        (CatalogueTest.between, RecordValue.list([.text("a")])), (.inq, .text("a")), (.inq, .list([.null])),
        (.exists, .text("true")), (.like, .number("5")), (.gt, .null), (.eq, .list([])), (.gt, .number("1e999")),
        (.near, .object([])), (.nin, .list(Array(repeating: .text("x"), count: 1001))),
    ])
    func `a condition with a value that its test can't take cannot be made`(test: CatalogueTest, value: RecordValue) {
        #expect(throws: CatalogueFault.self) { try CatalogueCondition("price", test, value) }
    }
}
