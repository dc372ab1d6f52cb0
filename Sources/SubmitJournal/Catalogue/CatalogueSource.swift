internal import Submit
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
    let held: PictureCondition?
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
    /// - Parameters:
    ///   - isPage: a page is wanted, in the order of the feed; otherwise all rows are.
    ///   - rarity: of a table's rows. It is asked only where it decides.
    init(
        _ filter: CatalogueFilter, _ search: SearchWords?, isPage: Bool,
        rarity: (CatalogueSource) throws -> Rarity = { _ in Rarity(rows: 0, last: 0) }
    ) rethrows {
        let byWords = search.flatMap { CatalogueSource(words: $0, isPage: isPage) }
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
        _ table: BoundSQL, where condition: BoundSQL, id: BoundSQL, held: PictureCondition? = nil,
        _ search: SearchWords?, _ words: [String], isOfPictures: Bool = false
    ) {
        (self.table, self.condition, self.id, self.held) = (table, condition, id, held)
        self.words = search?.condition(words, of: id) ?? "1"
        self.isOfPictures = isOfPictures
    }

    /// `nil` where no word is known to the index.
    private init?(words search: SearchWords, isPage: Bool) {
        let parts = search.words.map { SearchWords.parts($0, areFew: isPage) }
        guard let match = search.match(parts.flatMap(\.self)) else { return nil }
        self.init(
            "picture_search", where: "picture_search MATCH \(.text(match))", id: "picture_search.rowid", search,
            zip(search.words, parts).filter { $1 != [$0] }.map(\.0))
    }

    /// Those of tags and albums, a few of them.
    private static func links(_ filter: CatalogueFilter, _ search: SearchWords?) -> [CatalogueSource] {
        filter.required.compactMap(\.meaning).compactMap { condition in
            guard case .equals(let name) = condition.bound, let names = condition.field.link?.names else { return nil }
            return CatalogueSource(
                "\(names.link) AS leading", where: "leading.\(names.name) = \(names.number(of: name))",
                id: "leading.picture", held: condition, search, search?.words ?? [])
        }
    }
}

extension SearchWords {
    /// What the index is asked instead of a word; the word itself where it needs not be looked at again; nothing of one that has
    /// no three letters, which the index knows.
    ///
    /// All pictures that have three letters in a row are gone through for each three of a word. Where few pictures are wanted it
    /// takes half the time to ask for each letter of a long word once, and to look whether what is left has the word.
    fileprivate static func parts(_ word: String, areFew: Bool) -> [String] {
        let letters = Array(word.unicodeScalars)
        if letters.count < 3 { return [] }
        if letters.count < 6 || !areFew { return [word] }
        return stride(from: 0, to: letters.count, by: 3).map { start in
            var part = String.UnicodeScalarView()
            part.append(contentsOf: letters[min(start, letters.count - 3)...].prefix(3))
            return String(part)
        }
    }

    /// What the index is asked for, each as a text, whatever it means elsewhere; `nil` where there is nothing.
    fileprivate func match(_ parts: [String]) -> String? {
        if parts.isEmpty { return nil }
        let quoted = parts.map { "\"\($0.escaping(.ofDoubledQuotes))\"" }
        return quoted.map { includesPlace ? $0 : "words : \($0)" }.joined(separator: " AND ")
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
