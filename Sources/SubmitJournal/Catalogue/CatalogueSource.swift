internal import SubmitCatalogue

/// From which table a question is answered: the one with the fewest rows to look at, in the order of the feed.
struct CatalogueSource {
    /// What stands after FROM.
    let tables: BoundSQL
    /// The condition that holds by itself.
    let condition: BoundSQL
    /// The picture's number as this table has it in order.
    let id: BoundSQL
    /// The words that are still to be looked for in each picture.
    let words: BoundSQL

    /// Up to how many rows are counted to know whether they are few.
    static let few = 1000

    /// A tag or an album that all pictures have to have is looked up, of several the rarest; otherwise words that are long enough
    /// are, also where the rarest tag is not rare; otherwise pictures are gone through, by whatever index there is.
    ///
    /// - Parameter count: how many rows a table has, up to ``few``. It is asked only where it decides.
    init(
        _ filter: CatalogueFilter, _ search: SearchWords?, count: (CatalogueSource) throws -> Int = { _ in 0 }
    ) rethrows {
        let byWords = search.flatMap(CatalogueSource.init(words:))
        var links = Self.links(filter, search)
        if byWords != nil || links.count > 1 {
            let counted = try links.map { (link: $0, count: try count($0)) }
            let rarest = counted.min { $0.count < $1.count }
            links = rarest.map { byWords != nil && $0.count >= Self.few ? [] : [$0.link] } ?? []
        }
        self =
            links.first ?? byWords
            ?? CatalogueSource(
                tables: "picture", condition: "1", id: "picture.id",
                words: search?.condition(search?.words ?? []) ?? "1")
    }

    private init(tables: BoundSQL, condition: BoundSQL, id: BoundSQL, words: BoundSQL) {
        (self.tables, self.condition, self.id, self.words) = (tables, condition, id, words)
    }

    /// `nil` where no word is known to the index.
    private init?(words search: SearchWords) {
        guard let match = search.match else { return nil }
        self.init(
            tables: "picture_search CROSS JOIN picture ON picture.id = picture_search.rowid",
            condition: "picture_search MATCH \(.text(match))", id: "picture_search.rowid",
            words: search.condition(search.words.filter { !SearchWords.isIndexed($0) }))
    }

    /// Those of tags and albums, a few of them.
    private static func links(_ filter: CatalogueFilter, _ search: SearchWords?) -> [CatalogueSource] {
        let words = search?.condition(search?.words ?? []) ?? "1"
        return filter.required.compactMap { condition in
            guard case .equals(.composed(let name)?) = condition.test else { return nil }
            switch condition.field {
            case .tags:
                return CatalogueSource(
                    tables: "picture_tag CROSS JOIN picture ON picture.id = picture_tag.picture",
                    condition: "picture_tag.tag = (SELECT id FROM tag WHERE name = \(.text(name)))",
                    id: "picture_tag.picture", words: words)
            case .albums:
                return CatalogueSource(
                    tables: "picture_album CROSS JOIN picture ON picture.id = picture_album.picture",
                    condition: "picture_album.album = (SELECT id FROM album WHERE name = \(.text(name)))",
                    id: "picture_album.picture", words: words)
            default: return nil
            }
        }
    }
}

extension SearchWords {
    /// Trigrams have three letters.
    fileprivate static func isIndexed(_ word: String) -> Bool { word.unicodeScalars.count >= 3 }

    /// The words that an index knows, each as a text, whatever it means elsewhere; `nil` where there is none.
    fileprivate var match: String? {
        let quoted = words.filter(Self.isIndexed).map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        if quoted.isEmpty { return nil }
        return quoted.map { includesPlace ? $0 : "words : \($0)" }.joined(separator: " AND ")
    }

    /// Looks at what is written down of a picture.
    fileprivate func condition(_ words: [String]) -> BoundSQL {
        if words.isEmpty { return "1" }
        let conditions = words.map { word -> BoundSQL in
            let key = CatalogueKey.text(word)
            return includesPlace ? "(instr(words, \(key)) > 0 OR instr(place, \(key)) > 0)" : "instr(words, \(key)) > 0"
        }
        return """
            EXISTS (SELECT 1 FROM picture_words WHERE picture_words.picture = picture.id \
            AND \(conditions.joined(by: " AND ")))
            """
    }
}
