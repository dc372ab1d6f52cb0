import SubmitCatalogue
import TestServers

/// A kind of question, each time with other values.
struct DrawnQuestion: Sendable {
    enum Asked: Sendable {
        case page(CatalogueQuery)
        case count(CatalogueQuery)
        case distinct(CatalogueField, limit: Int)
    }

    let name: String
    /// Whether it is asked all the time, and people wait for the answer.
    let hasGoal: Bool
    let draw: @Sendable (inout QuestionDrawing) async throws -> Asked

    private init(
        _ name: String, goal hasGoal: Bool = true,
        _ draw: @escaping @Sendable (inout QuestionDrawing) async throws -> Asked
    ) { (self.name, self.hasGoal, self.draw) = (name, hasGoal, draw) }

    static let all = feed + persons + tags + searches + places + values + others

    private static let feed = [
        DrawnQuestion("feed, newest") { .page(try $0.newest("")) },
        DrawnQuestion("feed, 900,000 further, by mark") {
            .page(try await $0.deep($0.newest(""), $0.part(of: "", from: 0.85, to: 0.95)))
        },
        DrawnQuestion("feed, 900,000 further, by skip", goal: false) {
            var query = try $0.newest("")
            query.skip = try await $0.part(of: "", from: 0.85, to: 0.95)
            return .page(query)
        },
    ]

    private static let persons = [
        DrawnQuestion("owner, any, newest") { .page(try $0.newest($0.owner(among: 0..<500))) },
        DrawnQuestion("owner, one of 10 largest, newest") { .page(try $0.newest($0.owner(among: 0..<10))) },
        DrawnQuestion("owner, one of 10 largest, deep") {
            let words = $0.owner(among: 0..<10)
            return .page(try await $0.deep($0.newest(words), $0.part(of: words, from: 0.5, to: 0.95)))
        },
        DrawnQuestion("owner, any, by captured") {
            .page(try $0.query($0.owner(among: 0..<500), .captured))
        },
    ]

    private static let tags = [
        DrawnQuestion("tag of all, newest") { .page(try $0.newest($0.tag(among: 0..<1))) },
        DrawnQuestion("tag of all, deep") {
            let words = $0.tag(among: 0..<1)
            return .page(try await $0.deep($0.newest(words), $0.part(of: words, from: 0.5, to: 0.95)))
        },
        DrawnQuestion("tag, common, newest") { .page(try $0.newest($0.tag(among: 1..<20))) },
        DrawnQuestion("tag, common, deep") {
            let words = $0.tag(among: 1..<20)
            return .page(try await $0.deep($0.newest(words), $0.part(of: words, from: 0.5, to: 0.95)))
        },
        DrawnQuestion("tag, rare, newest") { .page(try $0.newest($0.tag(among: 2000..<5000))) },
        DrawnQuestion("tag, rare, deep") {
            let words = $0.tag(among: 2000..<5000)
            return .page(try await $0.deep($0.newest(words), $0.part(of: words, from: 0.2, to: 0.8)))
        },
        DrawnQuestion("two tags, both common") {
            .page(try $0.newest("\($0.tag(among: 1..<10)) \($0.tag(among: 10..<20))"))
        },
        DrawnQuestion("two tags, of all and rare") {
            .page(try $0.newest("\($0.tag(among: 0..<1)) \($0.tag(among: 2000..<5000))"))
        },
        DrawnQuestion("two tags, common and rare") {
            .page(try $0.newest("\($0.tag(among: 1..<20)) \($0.tag(among: 2000..<5000))"))
        },
        DrawnQuestion("tag of all, by captured", goal: false) {
            .page(try $0.query($0.tag(among: 0..<1), .captured))
        },
        DrawnQuestion("tag, common, by captured", goal: false) {
            .page(try $0.query($0.tag(among: 1..<20), .captured))
        },
        DrawnQuestion("tag, 1 in 1,000, by captured", goal: false) {
            .page(try $0.query($0.tag(among: 180..<220), .captured))
        },
        DrawnQuestion("tag, rare, by captured", goal: false) {
            .page(try $0.query($0.tag(among: 2000..<5000), .captured))
        },
        DrawnQuestion("album, newest") { .page(try $0.newest($0.album())) },
        DrawnQuestion("album, by captured", goal: false) { .page(try $0.query($0.album(), .captured)) },
    ]

    private static let searches = [
        DrawnQuestion("search, common word") { .page(try $0.newest($0.word(among: 0..<50))) },
        DrawnQuestion("search, rare word") { .page(try $0.newest($0.word(among: 10_000..<20_000))) },
        DrawnQuestion("search, three words of one caption") { .page(try $0.newest(try await $0.threeWords())) },
        DrawnQuestion("search, two common words") {
            .page(try $0.newest("\($0.word(among: 0..<25)) \($0.word(among: 25..<50))"))
        },
        DrawnQuestion("search, common word, deep") {
            let words = $0.word(among: 0..<50)
            return .page(try await $0.deep($0.newest(words), $0.part(of: words, from: 0.5, to: 0.95)))
        },
        DrawnQuestion("search, common word, common tag") {
            .page(try $0.newest("\($0.word(among: 0..<50)) \($0.tag(among: 1..<20))"))
        },
        DrawnQuestion("search, rare word, common tag") {
            .page(try $0.newest("\($0.word(among: 10_000..<20_000)) \($0.tag(among: 1..<20))"))
        },
        DrawnQuestion("search, common word, rare tag") {
            .page(try $0.newest("\($0.word(among: 0..<50)) \($0.tag(among: 2000..<5000))"))
        },
        DrawnQuestion("search, no such word") { .page(try $0.newest($0.unknownWord())) },
    ]

    private static let places = [
        DrawnQuestion("near, 10 km, city", goal: false) { .page(try $0.near(isCity: true)) },
        DrawnQuestion("near, 10 km, sea", goal: false) { .page(try $0.near(isCity: false)) },
    ]

    private static let values = [
        DrawnQuestion("distinct owner") { _ in .distinct(.owner, limit: 1000) },
        DrawnQuestion("distinct tags, the first 100") { _ in .distinct(.tags, limit: 100) },
        DrawnQuestion("distinct tags, all 5,000") { _ in .distinct(.tags, limit: 10_000) },
        DrawnQuestion("distinct albums, the first 100") { _ in .distinct(.albums, limit: 100) },
        DrawnQuestion("distinct albums, all 2,000") { _ in .distinct(.albums, limit: 10_000) },
        DrawnQuestion("distinct type") { _ in .distinct(.type, limit: 1000) },
    ]

    private static let others = [
        DrawnQuestion("count of all", goal: false) { .count(try $0.question("")) },
        DrawnQuestion("count of an owner", goal: false) { .count(try $0.question($0.owner(among: 0..<500))) },
        DrawnQuestion("count of the tag of all", goal: false) { .count(try $0.question($0.tag(among: 0..<1))) },
        DrawnQuestion("count of a common tag", goal: false) { .count(try $0.question($0.tag(among: 1..<20))) },
        DrawnQuestion("count of a rare tag", goal: false) { .count(try $0.question($0.tag(among: 2000..<5000))) },
        DrawnQuestion("count of a common word", goal: false) { .count(try $0.question($0.word(among: 0..<50))) },
        DrawnQuestion("no tags (all have one)", goal: false) { .page(try $0.newest("no tags")) },
        DrawnQuestion("caption~ without a hit", goal: false) {
            .page(try $0.newest("caption~\"\($0.unknownWord())\""))
        },
    ]
}

/// Draws values of questions.
struct QuestionDrawing {
    let pictures: any PictureStore
    let library: DrawnLibrary
    var numbers: SeededNumbers

    private static let reader = QuestionReader(.pictures)

    func question(_ words: String) throws -> CatalogueQuery { try CatalogueQuery(Self.reader.question(words: words)) }

    /// From the greatest.
    func query(_ words: String, _ order: CatalogueField) throws -> CatalogueQuery {
        let typed = try question(words)
        return try CatalogueQuery(
            typed.filter, search: typed.search, order: [CatalogueOrder(order, isDescending: true)])
    }

    func newest(_ words: String) throws -> CatalogueQuery { try query(words, .id) }

    private mutating func one(of values: [String], _ range: Range<Int>) -> String {
        values[Int.random(in: range, using: &numbers)]
    }

    mutating func owner(among range: Range<Int>) -> String { "owner=\"\(one(of: library.owners, range))\"" }

    mutating func tag(among range: Range<Int>) -> String { "tag=\"\(one(of: library.tags, range))\"" }

    mutating func album() -> String { "album=\"\(one(of: library.albums, 0..<library.albums.count))\"" }

    mutating func word(among range: Range<Int>) -> String { "\"\(one(of: library.words, range))\"" }

    /// Of letters whose sequences come often.
    mutating func unknownWord() -> String {
        one(of: library.words, 0..<100) + one(of: ["q", "x", "y"], 0..<3) + one(of: library.words, 0..<100)
    }

    mutating func near(isCity: Bool) throws -> CatalogueQuery {
        let place = DrawnLibrary.placeOnEarth(&numbers)
        let spread = Double.random(in: -0.02...0.02, using: &numbers)
        let latitude = isCity ? library.city.latitude + spread : place?.latitude ?? 0
        let longitude = isCity ? library.city.longitude + spread : place?.longitude ?? 0
        let typed = try question("near=\(latitude),\(longitude),10km")
        return try CatalogueQuery(typed.filter)
    }

    /// So many of the pictures that are meant.
    mutating func part(of words: String, from least: Double, to most: Double) async throws -> Int {
        let typed = try question(words)
        let count = try await pictures.count(typed.filter, typed.search)
        return Int(Double(count) * .random(in: least..<most, using: &numbers))
    }

    /// The page after so many.
    func deep(_ query: CatalogueQuery, _ depth: Int) async throws -> CatalogueQuery {
        var (before, query) = (query, query)
        (before.skip, before.limit) = (max(0, depth - 1), 1)
        query.mark = try await pictures.page(before).next
        return query
    }

    /// Of one caption, so that there is a picture with all of them.
    mutating func threeWords() async throws -> String {
        var query = try newest("has caption id<=\(try await part(of: "", from: 0.01, to: 1))")
        query.limit = 1
        let words = try await pictures.page(query).pictures.first?.caption?.split(separator: " ") ?? []
        return words.shuffled(using: &numbers).prefix(3).map { "\"\($0)\"" }.joined(separator: " ")
    }
}
