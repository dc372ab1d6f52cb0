internal import SubmitCatalogue

extension CatalogueReading {
    /// The values that a field has in some pictures, each once, in order; null is none.
    ///
    /// Of all pictures the values of `tags`, `albums`, `owner`, `kind`, `type`, `captured`, `accepted` and `item` are gone through
    /// from one to the next, however many pictures have each. Otherwise all pictures are looked at that the conditions leave.
    ///
    /// - Parameters:
    ///   - after: those after this one.
    ///   - limit: how many at most.
    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter = .everything, _ search: SearchWords? = nil,
        after: CatalogueKey? = nil, limit: Int
    ) throws -> [CatalogueKey] {
        let statement = try distinctStatement(field, filter, search, after: after)
        var values: [CatalogueKey] = []
        try rows("\(statement) LIMIT \(.integer(Int64(limit)))") { row in values.append(try row.key(0, field)) }
        return values
    }

    func distinctStatement(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, after: CatalogueKey?
    ) throws -> BoundSQL {
        if filter == .everything, search == nil, let quick = Self.quick(field, after: after) { return quick }
        let source = try source(filter, search)
        let conditions: BoundSQL = """
            \(source.condition) AND \(filter.sql(source)) AND \(source.words)
            """
        if let link = field.link {
            return """
                SELECT DISTINCT \(link.text) \
                FROM (SELECT picture.id FROM \(source.tables) WHERE \(conditions)) AS picture CROSS JOIN \(link.tables) \
                WHERE \(link.picture) = picture.id AND \(link.condition) AND \(after.map { "\(link.text) > \($0)" } ?? "1") ORDER BY 1
                """
        }
        let column = field.column ?? "NULL"
        return """
            SELECT DISTINCT \(column) FROM \(source.tables) WHERE \(column) IS NOT NULL AND \(conditions) \
            AND \(after.map { "\(column) > \($0)" } ?? "1") ORDER BY 1
            """
    }

    /// From value to value.
    private static func quick(_ field: CatalogueField, after: CatalogueKey?) -> BoundSQL? {
        func names(_ table: BoundSQL, _ link: BoundSQL) -> BoundSQL {
            """
            SELECT name FROM \(table) WHERE \(after.map { "name > \($0)" } ?? "1") \
            AND EXISTS (SELECT 1 FROM \(link) = \(table).id) ORDER BY name
            """
        }
        switch field {
        case .tags: return names("tag", "picture_tag WHERE picture_tag.tag")
        case .albums: return names("album", "picture_album WHERE picture_album.album")
        default:
            guard field.isIndexed, let column = field.column else { return nil }
            return """
                WITH RECURSIVE known (value) AS (\
                SELECT (SELECT min(\(column)) FROM picture WHERE \(after.map { "\(column) > \($0)" } ?? "1")) \
                UNION ALL SELECT (SELECT min(\(column)) FROM picture WHERE \(column) > value) FROM known \
                WHERE value IS NOT NULL) SELECT value FROM known WHERE value IS NOT NULL
                """
        }
    }
}

extension DirectStatement {
    /// What a column of a field's values holds.
    fileprivate func key(_ column: Int, _ field: CatalogueField) throws -> CatalogueKey {
        switch field.holds {
        case .text, .texts: try text(column).map(CatalogueKey.text) ?? .null
        case .digest: try bytes(column).map(CatalogueKey.bytes) ?? .null
        case .number where [.latitude, .longitude].contains(field): try real(column).map(CatalogueKey.real) ?? .null
        case .number, .time, .truth: try integer(column).map(CatalogueKey.integer) ?? .null
        case .place, .objects: .null
        }
    }
}
