internal import SubmitCatalogue

extension CatalogueQuery {
    /// The statements whose rows, one after another, are the answer. More than one where a page goes on at a mark: those of the
    /// same first values, then those of later ones, each found by an index where there is one for the order.
    ///
    /// - Throws: where the mark is of another question.
    func statements(_ source: CatalogueSource) throws(CatalogueFault) -> [BoundSQL] {
        let order = wholeOrder
        let keys = order.map { $0.sql(source) }
        let segments = try start().map { Self.segments(after: $0, order, keys) } ?? ["1"]
        let direction = zip(order, keys).map { order, key -> BoundSQL in
            order.isDescending ? "\(key) DESC" : "\(key) ASC"
        }
        return segments.map { segment in
            """
            SELECT \(CataloguePicture.columns) FROM \(source.tables) WHERE \(source.condition) AND \(segment) \
            AND \(filter.sql(source)) AND \(source.words) ORDER BY \(direction.joined(by: ", "))
            """
        }
    }

    /// What comes after some values: where all but the last are the same, where all but the last two are, and so on.
    private static func segments(
        after values: [CatalogueKey], _ order: [CatalogueOrder], _ keys: [BoundSQL]
    ) -> [BoundSQL] {
        var segments: [BoundSQL] = []
        for last in order.indices.reversed() {
            let same = zip(keys, values).prefix(last).map { key, value -> BoundSQL in
                value == .null ? "\(key) IS NULL" : "\(key) = \(value)"
            }
            for later in order[last].later(than: values[last], keys[last]) {
                segments.append((same + [later]).joined(by: " AND "))
            }
        }
        return segments
    }
}

extension CatalogueOrder {
    fileprivate func sql(_ source: CatalogueSource) -> BoundSQL {
        switch key {
        case .field(.id): source.id
        case .field(let field): field.column ?? "NULL"
        case .distance(let place): Self.distance(from: place)
        }
    }

    /// What comes after a value, in order; null is the least.
    fileprivate func later(than value: CatalogueKey, _ key: BoundSQL) -> [BoundSQL] {
        switch (value, isDescending) {
        case (.null, false): ["\(key) IS NOT NULL"]
        case (.null, true): []
        case (_, false): ["\(key) > \(value)"]
        case (_, true): isOptional ? ["\(key) < \(value)", "\(key) IS NULL"] : ["\(key) < \(value)"]
        }
    }
}
