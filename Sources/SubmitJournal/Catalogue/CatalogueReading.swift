internal import GRDB
internal import SubmitCatalogue

/// Questions to the catalogue, asked of one state of the journal.
struct CatalogueReading {
    let db: Database

    /// - Parameter db: a connection that knows ``CatalogueFunctions``.
    init(_ db: Database) { self.db = db }

    /// A part of the answer, in order.
    ///
    /// Looks at as many pictures as it tells of where the order is that of the feed, of `captured`, `accepted`, `owner`, `kind` or
    /// `type` and the conditions are no others than one tag, album, owner or long word. Otherwise it goes through what those leave.
    func page(_ query: CatalogueQuery) throws -> CataloguePage {
        var pictures: [CataloguePicture] = []
        // One more tells whether there is a next page.
        let wanted = query.limit + 1
        for segment in try query.statements() where pictures.count < wanted {
            let rest = Int64(wanted - pictures.count)
            try rows("\(segment) LIMIT \(.integer(rest)) OFFSET \(.integer(Int64(query.skip)))") { row in
                pictures.append(CataloguePicture(row))
            }
        }
        let isMore = pictures.count > query.limit
        pictures.removeLast(max(0, pictures.count - query.limit))
        let fields = query.fields.map { Set($0) }
        for index in pictures.indices { try pictures[index].readLinks(fields, db) }
        return CataloguePage(pictures: pictures, next: isMore ? pictures.last.map(query.mark) : nil)
    }

    /// How many there are. Goes through what tags, albums, owners and words leave.
    func count(_ filter: CatalogueFilter, _ search: SearchWords? = nil) throws -> Int {
        let source = CatalogueSource(filter, search)
        var count = 0
        try rows(
            """
            SELECT count(*) FROM \(source.tables) WHERE \(source.condition) AND \(filter.sql) \
            AND \(search?.shortWords ?? "1")
            """
        ) { row in count = Int(row.integer(0) ?? 0) }
        return count
    }

    /// Runs a statement.
    ///
    /// - Returns: the steps that SQLite took.
    @discardableResult
    func rows(_ sql: BoundSQL, _ take: (DirectStatement) -> Void) throws -> Int {
        let statement = try DirectStatement(sql.text, db, isKept: false)
        for value in sql.values { statement.bind(value) }
        while try statement.next() { take(statement) }
        return statement.steps
    }
}

extension DirectStatement {
    func bind(_ key: CatalogueKey) {
        switch key {
        case .null: bind(nil as Int64?)
        case .integer(let number): bind(number)
        case .real(let number): bind(real: number)
        case .text(let text): bind(text)
        case .bytes(let bytes): bind(bytes)
        }
    }
}
