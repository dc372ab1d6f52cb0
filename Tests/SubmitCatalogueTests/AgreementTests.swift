import GRDB
import TestServers
import Testing

@testable import SubmitCatalogue
@testable import SubmitJournal

/// SQLite and the evaluator answer the same, whatever is asked.
@Suite struct AgreementTests {
    static let seed = UInt64.random(in: 0..<1_000_000)

    @Test(arguments: 0..<20)
    func `ten thousand drawn questions have the same rows in the same order from both`(world: UInt64) throws {
        let seed = Self.seed &* 20 &+ world
        var drawn = DrawnCatalogue(numbers: SeededNumbers(seed: seed))
        let pictures = (1...24).map { drawn.picture($0) }
        let bench = try CatalogueBench()
        try bench.insert(pictures)
        let before = try bench.contents()
        #expect(try bench.page(CatalogueQuery(limit: 1000)).pictures == pictures, "seed \(seed)")
        for number in 0..<500 {
            let query = try drawn.query()
            try compare(query, pictures, bench, number, "seed \(seed), question \(number)")
        }
        #expect(try bench.contents() == before)
    }

    private func compare(
        _ query: CatalogueQuery, _ pictures: [CataloguePicture], _ bench: CatalogueBench, _ number: Int, _ what: Comment
    ) throws {
        var query = query
        for _ in 0..<(number % 3 == 0 ? 3 : 1) {
            let (ours, theirs) = (try bench.page(query), try query.answer(pictures))
            guard ours == theirs else {
                Issue.record("\(what), \(query): \(ours.pictures.map(\.id)), evaluated \(theirs.pictures.map(\.id))")
                return
            }
            guard let next = ours.next else { break }
            query.skip = 0
            query.mark = try PageMark(next.text)
            #expect(query.mark == next, what)
        }
        guard number % 5 == 0 else { return }
        let all = pictures.filter { query.filter.matches($0) && query.search?.matches($0) ?? true }
        #expect(try bench.read { try $0.count(query.filter, query.search) } == all.count, what)
    }

    @Test func `the values of each field are the same from both, with and without conditions`() throws {
        for world in 0..<10 {
            let seed = Self.seed &* 10 &+ UInt64(world)
            var drawn = DrawnCatalogue(numbers: SeededNumbers(seed: seed))
            let pictures = (1...40).map { drawn.picture($0) }
            let bench = try CatalogueBench()
            try bench.insert(pictures)
            for field in CatalogueField.allCases where ![.location, .copies].contains(field) {
                for filter in [.everything, try drawn.filter(depth: 2)] {
                    let chosen = pictures.filter(filter.matches)
                    let keys = chosen.flatMap { picture in
                        field.holds == .texts ? picture.texts(field).map(CatalogueKey.text) : [picture.key(field)]
                    }
                    let values = keys.sorted { $0.isBefore($1) }.reduce(into: [CatalogueKey]()) { known, key in
                        if key != .null, known.last?.isBefore(key) ?? true { known.append(key) }
                    }
                    let found = try bench.read { try $0.distinct(field, filter, limit: 1000) }
                    #expect(found == values, "seed \(seed), \(field) of \(filter)")
                    guard let first = values.first else { continue }
                    let rest = try bench.read { try $0.distinct(field, filter, after: first, limit: 3) }
                    #expect(rest == Array(values.dropFirst().prefix(3)), "seed \(seed), \(field) of \(filter)")
                }
            }
        }
    }

    @Test(arguments: ["harbour", "harbours", "harbourside", "日本語の港町です", "\"so\"\"so\""])
    func `a long word is found where it stands as a whole`(word: String) throws {
        let (begin, end) = (word.prefix(3), word.suffix(3))
        let rest = word.dropFirst(3)
        let threes = word.indices.map { String(word[$0...].prefix(3)) }.joined(separator: " ")
        let texts: [String] = [
            word, "at the \(word), late", "\(rest)\(begin)", threes, String(word.dropLast()),
            "\(word.dropLast())x\(end)",
        ]
        let bench = try CatalogueBench()
        let pictures = texts.enumerated().map { index, text in
            CataloguePicture.plain(Int64(index + 1)) { $0.placeName = text }
        }
        try bench.insert(pictures)
        for includesPlace in [true, false] {
            var search = try SearchWords(word)
            search.includesPlace = includesPlace
            for order in [[], [CatalogueOrder.newest], [try CatalogueOrder(.size)]] {
                let found = try bench.page(CatalogueQuery(search: search, order: order)).pictures.map(\.id)
                #expect(found.sorted() == (includesPlace ? [1, 2] : []))
            }
            #expect(try bench.read { try $0.count(.everything, search) } == (includesPlace ? 2 : 0))
        }
    }

    @Test(arguments: ["so\u{600}\"so", "\u{70f}\"\" OR x", "a\"\u{e0061}bcd*", "\u{600}\"x\" NEAR \"y"])
    func `a word is no language of the index, whatever is joined to its signs`(word: String) throws {
        let bench = try CatalogueBench()
        let picture = CataloguePicture.plain(1) { $0.title = word }
        try bench.insert([picture, .plain(2) { $0.title = "x y so" }])
        let search = try SearchWords(word)
        let expected = [picture].filter(search.matches).map(\.id)
        #expect(try bench.page(CatalogueQuery(search: search)).pictures.map(\.id) == expected && expected == [1])
        #expect(try bench.read { try $0.count(.everything, search) } == 1)
    }

    @Test func `SQL is the same whatever the values are`() throws {
        for field in CatalogueField.allCases where field.holds == .text || field.holds == .texts {
            func statements(_ text: String) throws -> [String] {
                let value = RecordValue.text(field.known?.first ?? text)
                let pattern = RecordValue.text(LikePattern(containing: text, isFolded: true).text)
                let tests: [(CatalogueTest, RecordValue)] = [
                    (.eq, value), (.neq, value), (.gt, value), (.between, .list([value, value])),
                    (.inq, .list([value, value])), (.nin, .list([value])), (.ilike, pattern), (.nilike, pattern),
                ]
                return try tests.flatMap { test, value in
                    let filter = CatalogueFilter.condition(try CatalogueCondition(field, test, value))
                    let search = try SearchWords("abc")
                    return try [0, CatalogueSource.few].flatMap { count in
                        let source = CatalogueSource(filter, search, isPage: true) { _ in .init(rows: count, last: 0) }
                        return try CatalogueQuery(filter, search: search).statements(source).map(\.text)
                    }
                }
            }
            let plain = try statements("x")
            for hostile in DrawnTexts.all { #expect(try statements(hostile) == plain) }
        }
    }
}

extension CatalogueBench {
    /// All that is written down, to see that nothing changes it.
    fileprivate func contents() throws -> [String] {
        try database.read { db in
            try [
                "picture", "tag", "picture_tag", "album", "picture_album", "picture_item", "submission",
                "picture_words",
            ].map {
                table in
                let columns = try db.columns(in: table).map { "hex(\($0.name))" }.joined(separator: " || ',' || ")
                let statement = try DirectStatement("SELECT group_concat(\(columns)) FROM \(table)", db)
                return try statement.next() ? statement.text(0) ?? "" : ""
            }
        }
    }
}
