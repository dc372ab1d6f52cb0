internal import SubmitCatalogue

/// From which table a question is answered: the one with the fewest rows to look at, in the order of the feed.
struct CatalogueSource {
    /// The table whose rows are looked at; `picture` itself, or one that has numbers of pictures.
    let table: BoundSQL
    /// Which of its rows.
    let condition: BoundSQL
    /// The picture's number as this table has it in order. What is asked of it alone is asked before the picture is looked up.
    let id: BoundSQL
    /// What is so of all these rows, and need not be looked at again.
    let held: CatalogueCondition?
    /// The words that are still to be looked for in each picture.
    let words: BoundSQL

    /// What stands after FROM, with all that is known of the pictures.
    var tables: BoundSQL { isOfPictures ? table : "\(table) CROSS JOIN picture ON picture.id = \(id)" }

    private let isOfPictures: Bool

    /// Up to how many rows are counted to know whether they are few.
    static let few = 1000

    /// How often something comes.
    struct Rarity {
        /// How many rows there are, up to ``few``.
        let rows: Int
        /// The last one of these, from the newest picture on: what comes seldom comes to so many further back.
        let last: Int64

        fileprivate func isRarer(than other: Rarity) -> Bool { (rows, last) < (other.rows, other.last) }
    }

    /// A tag or an album that all pictures have to have is looked up, of several the rarest; otherwise words that are long enough
    /// are, also where the rarest tag is not rare; otherwise pictures are gone through, by whatever index there is.
    ///
    /// - Parameter rarity: of a table's rows. It is asked only where it decides.
    init(
        _ filter: CatalogueFilter, _ search: SearchWords?,
        rarity: (CatalogueSource) throws -> Rarity = { _ in Rarity(rows: 0, last: 0) }
    ) rethrows {
        let byWords = search.flatMap(CatalogueSource.init(words:))
        var links = Self.links(filter, search)
        if byWords != nil || links.count > 1 {
            let all = try links.map { (link: $0, rarity: try rarity($0)) }
            let rarest = all.min { $0.rarity.isRarer(than: $1.rarity) }
            links = rarest.map { byWords != nil && $0.rarity.rows >= Self.few ? [] : [$0.link] } ?? []
        }
        self =
            links.first ?? byWords
            ?? CatalogueSource(
                "picture", where: "1", id: "picture.id", search, search?.words ?? [], isOfPictures: true)
    }

    private init(
        _ table: BoundSQL, where condition: BoundSQL, id: BoundSQL, held: CatalogueCondition? = nil,
        _ search: SearchWords?, _ words: [String], isOfPictures: Bool = false
    ) {
        (self.table, self.condition, self.id, self.held) = (table, condition, id, held)
        self.words = search?.condition(words, of: id) ?? "1"
        self.isOfPictures = isOfPictures
    }

    /// `nil` where no word is known to the index.
    private init?(words search: SearchWords) {
        guard let match = search.match else { return nil }
        self.init(
            "picture_search", where: "picture_search MATCH \(.text(match))", id: "picture_search.rowid", search,
            search.words.filter { !SearchWords.isWhole($0) })
    }

    /// Those of tags and albums, a few of them.
    private static func links(_ filter: CatalogueFilter, _ search: SearchWords?) -> [CatalogueSource] {
        filter.required.compactMap { condition in
            guard case .equals(let value?) = condition.test, case .composed(let name) = value,
                let names = condition.field.link?.names
            else { return nil }
            return CatalogueSource(
                "\(names.link) AS leading", where: "leading.\(names.name) = \(names.number(of: .text(name)))",
                id: "leading.picture", held: condition, search, search?.words ?? [])
        }
    }
}

extension SearchWords {
    /// Trigrams have three letters.
    private static func isIndexed(_ word: String) -> Bool { word.unicodeScalars.count >= 3 }

    /// Whether the index finds the word itself, and need not be looked at again.
    fileprivate static func isWhole(_ word: String) -> Bool { (3...5).contains(word.unicodeScalars.count) }

    /// The words that an index knows, each as a text, whatever it means elsewhere; `nil` where there is none.
    fileprivate var match: String? {
        let quoted = words.filter(Self.isIndexed).flatMap(Self.parts).map {
            "\"\($0.replacing("\"", with: "\"\""))\""
        }
        if quoted.isEmpty { return nil }
        return quoted.map { includesPlace ? $0 : "words : \($0)" }.joined(separator: " AND ")
    }

    /// What is looked up of a word. Of a long one each letter once: all pictures that have three letters in a row are gone
    /// through, which takes longer than to look whether those that are left have the word.
    private static func parts(_ word: String) -> [String] {
        if isWhole(word) { return [word] }
        let letters = Array(word.unicodeScalars)
        return stride(from: 0, to: letters.count, by: 3).map { start in
            var part = String.UnicodeScalarView()
            part.append(contentsOf: letters[min(start, letters.count - 3)...].prefix(3))
            return String(part)
        }
    }

    /// Looks at what is written down of a picture.
    fileprivate func condition(_ words: [String], of id: BoundSQL) -> BoundSQL {
        if words.isEmpty { return "1" }
        let conditions = words.map { word -> BoundSQL in
            let key = CatalogueKey.text(word)
            return includesPlace ? "(instr(words, \(key)) > 0 OR instr(place, \(key)) > 0)" : "instr(words, \(key)) > 0"
        }
        return """
            EXISTS (SELECT 1 FROM picture_words WHERE picture_words.picture = \(id) \
            AND \(conditions.joined(by: " AND ")))
            """
    }
}
