internal import SubmitCatalogue

/// From which table a question is answered: the one with the fewest rows to look at, in the order of the feed.
struct CatalogueSource {
    /// What stands after FROM.
    let tables: BoundSQL
    /// The condition that holds by itself.
    let condition: BoundSQL
    /// The picture's number as this table has it in order.
    let id: BoundSQL

    /// Words that are long enough are looked up, and so is a tag or an album that all pictures have to have; otherwise pictures are
    /// gone through, by whatever index there is.
    init(_ filter: CatalogueFilter, _ search: SearchWords?) {
        if let search, let match = search.match {
            tables = "picture_search CROSS JOIN picture ON picture.id = picture_search.rowid"
            condition = "picture_search MATCH \(.text(match))"
            id = "picture_search.rowid"
            return
        }
        for case .equals(.composed(let text)?) in filter.required.filter({ $0.field == .tags }).map(\.test) {
            tables = "picture_tag CROSS JOIN picture ON picture.id = picture_tag.picture"
            condition = "picture_tag.tag = (SELECT id FROM tag WHERE name = \(.text(text)))"
            id = "picture_tag.picture"
            return
        }
        for case .equals(.composed(let text)?) in filter.required.filter({ $0.field == .albums }).map(\.test) {
            tables = "picture_album CROSS JOIN picture ON picture.id = picture_album.picture"
            condition = "picture_album.album = (SELECT id FROM album WHERE name = \(.text(text)))"
            id = "picture_album.picture"
            return
        }
        (tables, condition, id) = ("picture", "1", "picture.id")
    }
}

extension SearchWords {
    /// Trigrams have three letters.
    private static func isIndexed(_ word: String) -> Bool { word.unicodeScalars.count >= 3 }

    /// The words that an index knows, each as a text, whatever it means elsewhere; `nil` where there is none.
    fileprivate var match: String? {
        let quoted = words.filter(Self.isIndexed).map { "\"\($0.replacing("\"", with: "\"\""))\"" }
        if quoted.isEmpty { return nil }
        return quoted.map { includesPlace ? $0 : "words : \($0)" }.joined(separator: " AND ")
    }

    /// Those that it does not know: what is written down of each picture is looked at.
    var shortWords: BoundSQL {
        let conditions = words.filter { !Self.isIndexed($0) }.map { word -> BoundSQL in
            let key = CatalogueKey.text(word)
            return includesPlace ? "(instr(words, \(key)) > 0 OR instr(place, \(key)) > 0)" : "instr(words, \(key)) > 0"
        }
        if conditions.isEmpty { return "1" }
        return """
            EXISTS (SELECT 1 FROM picture_words WHERE picture_words.picture = picture.id \
            AND \(conditions.joined(by: " AND ")))
            """
    }
}
