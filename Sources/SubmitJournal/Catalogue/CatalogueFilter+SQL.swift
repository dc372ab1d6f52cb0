internal import SubmitCatalogue

extension CatalogueFilter {
    /// The condition on a row of `picture`: true where ``matches(_:)`` is, false or NULL where it is not.
    ///
    /// - Parameter source: where the row comes from.
    func sql(_ source: CatalogueSource) -> BoundSQL { sql(source.id, besides: source.held) }

    /// - Parameters:
    ///   - id: the picture's number.
    ///   - held: what is known to hold.
    private func sql(_ id: BoundSQL, besides held: PictureCondition? = nil) -> BoundSQL {
        switch self {
        case .and(let parts): parts.isEmpty ? "1" : "(\(parts.map { $0.sql(id, besides: held) }.joined(by: " AND ")))"
        case .or(let parts): parts.isEmpty ? "0" : "(\(parts.map { $0.sql(id) }.joined(by: " OR ")))"
        // Here NULL has to be what it means.
        case .nor(let parts): parts.isEmpty ? "1" : "NOT ifnull((\(parts.map { $0.sql(id) }.joined(by: " OR "))), 0)"
        case .condition(let condition): condition.meaning == held ? "1" : condition.meaning?.sql(id) ?? "0"
        }
    }
}

extension PictureCondition {
    /// - Parameter id: the picture's number.
    fileprivate func sql(_ id: BoundSQL) -> BoundSQL {
        if case .near(let nearness) = bound { return nearness.sql }
        if let link = field.link { return bound.sql(link, of: id) }
        guard let column = field.column else { return bound.sql("picture.lat", folded: "NULL", isOptional: true) }
        return bound.sql(column, folded: field.foldedColumn, isOptional: field.isOptional)
    }
}

extension Nearness {
    /// First what an index tells.
    fileprivate var sql: BoundSQL {
        guard let most else { return "\(CatalogueOrder.distance(from: place)) >= \(.real(least))" }
        let box = PlaceBox(around: place, within: most)
        let longitudes = box.longitudes.map { range -> BoundSQL in
            "(picture.lng >= \(.real(range.lowerBound)) AND picture.lng <= \(.real(range.upperBound)))"
        }
        return """
            (picture.lat >= \(.real(box.latitudes.lowerBound)) AND picture.lat <= \(.real(box.latitudes.upperBound)) \
            AND (\(longitudes.joined(by: " OR "))) \
            AND \(CatalogueOrder.distance(from: place)) BETWEEN \(.real(least)) AND \(.real(most)))
            """
    }
}

extension CatalogueOrder {
    /// NULL where it is not known where a picture was taken.
    static func distance(from place: CataloguePlace) -> BoundSQL {
        "catalogue_distance(picture.lat, picture.lng, \(.real(place.latitude)), \(.real(place.longitude)))"
    }
}

extension CatalogueBound {
    /// Of a column that holds one value or NULL.
    func sql(_ column: BoundSQL, folded: BoundSQL, isOptional: Bool) -> BoundSQL {
        func parts(_ parts: [CatalogueBound]) -> [BoundSQL] {
            parts.map { $0.sql(column, folded: folded, isOptional: isOptional) }
        }
        switch self {
        case .isNull: return "\(column) IS NULL"
        case .isNotNull: return "\(column) IS NOT NULL"
        case .equals(let key): return "\(column) = \(key)"
        case .above(let key): return "\(column) > \(key)"
        case .atLeast(let key): return "\(column) >= \(key)"
        case .below(let key): return "\(column) < \(key)"
        case .atMost(let key): return "\(column) <= \(key)"
        case .all(let all): return "(\(parts(all).joined(by: " AND ")))"
        case .any(let any): return "(\(parts(any).joined(by: " OR ")))"
        case .oneOf(let keys): return "\(column) IN (\(keys.map { "\($0)" }.joined(by: ", ")))"
        case .not(.equals(let key)): return "\(column) IS NOT \(key)"
        case .not(let part):
            let inner = part.sql(column, folded: folded, isOptional: isOptional)
            return isOptional ? "(\(column) IS NULL OR NOT (\(inner)))" : "NOT (\(inner))"
        case .like(let pattern): return "catalogue_like(\(pattern.isFolded ? folded : column), \(.text(pattern.text)))"
        case .matches(let expression):
            return
                "catalogue_matches(\(column), \(.text(expression.pattern)), \(.integer(expression.isCaseless ? 1 : 0)))"
        case .near: return "0"
        case .constant(let isTrue): return isTrue ? "1" : "0"
        }
    }

    /// Of the texts that a picture has several of.
    ///
    /// - Parameter id: the picture's number.
    fileprivate func sql(_ link: CatalogueLink, of id: BoundSQL) -> BoundSQL {
        func exists(_ condition: BoundSQL) -> BoundSQL {
            """
            EXISTS (SELECT 1 FROM \(link.tables) \
            WHERE \(link.picture) = \(id) AND \(link.condition) AND \(condition))
            """
        }
        switch self {
        case .isNull: return "NOT \(exists("1"))"
        case .isNotNull: return exists("1")
        case .not(let part): return "NOT \(part.sql(link, of: id))"
        case .constant(let isTrue): return isTrue ? "1" : "0"
        case .equals(let text):
            guard let names = link.names else { fallthrough }
            return """
                EXISTS (SELECT 1 FROM \(names.link) \
                WHERE \(names.link).picture = \(id) AND \(names.link).\(names.name) = \(names.number(of: text)))
                """
        default: return exists(sql(link.text, folded: link.folded, isOptional: false))
        }
    }
}
