internal import GRDB
internal import SubmitCatalogue

/// Questions to the catalogue, asked of one state of the journal.
struct CatalogueReading {
    let db: Database

    /// - Parameter db: a connection that knows ``CatalogueFunctions``.
    init(_ db: Database) { self.db = db }

    /// A part of the answer, in order.
    ///
    /// It looks at as many pictures as it tells of where these are in order as they lie: all, those of one `owner`, `kind`, `type`,
    /// tag or album, and those with a word of three letters or more in the order of the feed; all in that of `captured`,
    /// `accepted`, `owner`, `kind` and `type`; those of one `owner` in that of `captured`. Another order sorts, and another
    /// condition goes through, what those leave: without any of them, all pictures.
    func page(_ query: CatalogueQuery) throws -> CataloguePage {
        var pictures: [CataloguePicture] = []
        // One more tells whether there is a next page.
        let wanted = query.limit + 1
        for segment in try statements(query) where pictures.count < wanted {
            let rest = Int64(wanted - pictures.count)
            try rows("\(segment) LIMIT \(.integer(rest)) OFFSET \(.integer(Int64(query.skip)))") { row in
                pictures.append(try CataloguePicture(row))
            }
        }
        let isMore = pictures.count > query.limit
        pictures.removeLast(max(0, pictures.count - query.limit))
        let fields = query.fields.map { Set($0) }
        for index in pictures.indices { try pictures[index].readLinks(fields, db) }
        return CataloguePage(pictures: pictures, next: isMore ? pictures.last.map(query.mark) : nil)
    }

    /// The one of a number, whole; `nil` where there is none.
    func picture(_ id: Int64) throws -> CataloguePicture? {
        var picture: CataloguePicture?
        try rows("SELECT \(CataloguePicture.columns) FROM picture WHERE picture.id = \(.integer(id))") { row in
            picture = try CataloguePicture(row)
        }
        try picture?.readLinks(nil, db)
        return picture
    }

    /// How many there are. Goes through what tags, albums, owners and words leave.
    func count(_ filter: CatalogueFilter, _ search: SearchWords? = nil) throws -> Int {
        var count = 0
        try rows(countStatement(filter, search)) { row in count = Int(try row.given(row.integer(0))) }
        return count
    }

    func countStatement(_ filter: CatalogueFilter, _ search: SearchWords?) throws -> BoundSQL {
        let source = try source(filter, search)
        // Nobody has to look up a million pictures of which nothing else is asked.
        let tables = filter.conditions.allSatisfy { $0.meaning?.field.link != nil } ? source.table : source.tables
        return """
            SELECT count(*) FROM \(tables) WHERE \(source.condition) AND \(filter.sql(source)) AND \(source.words)
            """
    }

    func statements(_ query: CatalogueQuery) throws -> [BoundSQL] {
        let isPage = query.skip == 0 && query.wholeOrder.count == 1
        return try query.statements(source(query.filter, query.search, isPage: isPage))
    }

    /// - Parameter isPage: see ``CatalogueSource/init(_:_:isPage:rarity:)``.
    func source(
        _ filter: CatalogueFilter, _ search: SearchWords?, isPage: Bool = false
    ) throws -> CatalogueSource {
        try CatalogueSource(filter, search, isPage: isPage) { source in
            var (count, last): (Int, Int64) = (0, 0)
            try rows(
                """
                SELECT \(source.id) FROM \(source.table) WHERE \(source.condition) ORDER BY 1 DESC \
                LIMIT \(.integer(Int64(CatalogueSource.few)))
                """
            ) { row in (count, last) = (count + 1, try row.given(row.integer(0))) }
            return CatalogueSource.Rarity(rows: count, last: last)
        }
    }

    /// Runs a statement.
    ///
    /// - Returns: the steps that SQLite took.
    @discardableResult
    func rows(_ sql: BoundSQL, _ take: (DirectStatement) throws -> Void) throws -> Int {
        let statement = try DirectStatement(sql.text, db, isKept: false)
        for value in sql.values { statement.bind(value) }
        while try statement.next() { try take(statement) }
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
