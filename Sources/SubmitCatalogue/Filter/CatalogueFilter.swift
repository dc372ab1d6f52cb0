/// A filter for the records of a source: conditions, and how they are joined.
///
/// It means the same as LoopBack's `where`, but other sources may interpret it differently. For pictures, a condition is true
/// or false, never unknown, so `nor` is the exact opposite of `or`. If a field is null, `neq`, `nin`, `nlike` and `nilike` are
/// true, and all other comparisons with a value are false. If a field holds several texts, a condition is true if it is true
/// for any of them. Those four are true if their opposite is true for none.
public indirect enum CatalogueFilter: Sendable, Hashable {
    /// All hold. An empty list matches every record.
    case and([CatalogueFilter])
    /// At least one holds. An empty list matches no record.
    case or([CatalogueFilter])
    /// None holds.
    case nor([CatalogueFilter])
    /// One condition.
    case condition(CatalogueCondition)

    /// Every record.
    public static let everything = CatalogueFilter.and([])

    /// Both hold.
    public func and(_ other: CatalogueFilter) -> CatalogueFilter {
        if self == .everything { return other }
        return other == .everything ? self : .and([self, other])
    }

    /// All conditions, in their order.
    package var conditions: [CatalogueCondition] {
        switch self {
        case .and(let parts), .or(let parts), .nor(let parts): parts.flatMap(\.conditions)
        case .condition(let condition): [condition]
        }
    }

    /// The fields that it looks at.
    public var fields: Set<String> { Set(conditions.map(\.field)) }

    /// Conditions that every matching record meets: the filter's own condition, or those that `and` joins.
    package var required: [CatalogueCondition] {
        switch self {
        case .condition(let condition): [condition]
        case .and(let parts): parts.flatMap(\.required)
        case .or(let parts): parts.count == 1 ? parts[0].required : []
        case .nor: []
        }
    }

    /// - Throws: if it goes beyond ``CatalogueLimits``, or joins nothing.
    public func check() throws(CatalogueFault) {
        try checkDepth(0)
        let conditions = conditions
        guard conditions.count <= CatalogueLimits.terms else {
            throw CatalogueFault("There are more than \(CatalogueLimits.terms) conditions.", at: nil)
        }
        guard conditions.reduce(0, { $0 + $1.valueCount }) <= CatalogueLimits.values else {
            throw CatalogueFault("There are more than \(CatalogueLimits.values) values in all conditions.", at: nil)
        }
    }

    private func checkDepth(_ depth: Int) throws(CatalogueFault) {
        switch self {
        case .and(let parts), .or(let parts), .nor(let parts):
            guard depth < CatalogueLimits.depth else { throw .tooDeep(at: nil) }
            for part in parts { try part.checkDepth(depth + 1) }
            guard !parts.isEmpty || depth == 0 && self == .everything else {
                throw CatalogueFault("All, one or none of nothing is no condition.", at: nil)
            }
        case .condition: break
        }
    }

    /// The same with other conditions.
    func map(
        _ change: (CatalogueCondition) throws(CatalogueFault) -> CatalogueCondition
    ) throws(CatalogueFault) -> CatalogueFilter {
        func all(_ parts: [CatalogueFilter]) throws(CatalogueFault) -> [CatalogueFilter] {
            var changed: [CatalogueFilter] = []
            for part in parts { changed.append(try part.map(change)) }
            return changed
        }
        switch self {
        case .and(let parts): return .and(try all(parts))
        case .or(let parts): return .or(try all(parts))
        case .nor(let parts): return .nor(try all(parts))
        case .condition(let condition): return .condition(try change(condition))
        }
    }

    /// LoopBack's `where`; `nil`: every record.
    ///
    /// No object has two operators, of which LoopBack's own stores would honour one.
    public var json: RecordValue? { self == .everything ? nil : object }

    private var object: RecordValue {
        switch self {
        case .and(let parts): .object([RecordMember("and", .list(parts.map(\.object)))])
        case .or(let parts): .object([RecordMember("or", .list(parts.map(\.object)))])
        case .nor(let parts): .object([RecordMember("nor", .list(parts.map(\.object)))])
        case .condition(let condition): .object([RecordMember(condition.field, condition.json)])
        }
    }

    /// The same filter without `nor` and `exists`, which LoopBack's own stores drop or answer with nothing.
    ///
    /// Each negated condition becomes its opposite. If a condition is false for null, its opposite is true for null.
    ///
    /// - Throws: if a negated condition has no opposite, as with `regexp` and `near`.
    public func withoutNor() throws(CatalogueFault) -> CatalogueFilter { try plain(isNot: false) }

    private func plain(isNot: Bool) throws(CatalogueFault) -> CatalogueFilter {
        func joined(_ filters: [CatalogueFilter], isNot: Bool, isAnd: Bool) throws(CatalogueFault) -> CatalogueFilter {
            var parts: [CatalogueFilter] = []
            for filter in filters { parts.append(try filter.plain(isNot: isNot)) }
            return parts.count == 1 ? parts[0] : isAnd ? .and(parts) : .or(parts)
        }
        switch self {
        case .and(let filters): return try joined(filters, isNot: isNot, isAnd: !isNot)
        case .or(let filters): return try joined(filters, isNot: isNot, isAnd: isNot)
        case .nor(let filters): return try joined(filters, isNot: !isNot, isAnd: !isNot)
        case .condition(let condition): return try Self.plain(condition, isNot: isNot)
        }
    }

    private static func plain(
        _ condition: CatalogueCondition, isNot: Bool
    ) throws(CatalogueFault) -> CatalogueFilter {
        let (field, test, value) = (condition.field, condition.test, condition.value)
        func other(_ test: CatalogueTest, _ other: RecordValue? = nil) throws(CatalogueFault) -> CatalogueFilter {
            .condition(try CatalogueCondition(field, test, other ?? value))
        }
        if test == .exists { return try other((value == .truth(true)) == isNot ? .eq : .neq, .null) }
        guard isNot else { return .condition(condition) }
        switch test {
        case .eq: return try other(.neq)
        case .neq: return try other(.eq)
        case .inq: return try other(.nin)
        case .nin: return try other(.inq)
        case .like: return try other(.nlike)
        case .nlike: return try other(.like)
        case .ilike: return try other(.nilike)
        case .nilike: return try other(.ilike)
        case .gt: return .or([try other(.lte), try other(.eq, .null)])
        case .gte: return .or([try other(.lt), try other(.eq, .null)])
        case .lt: return .or([try other(.gte), try other(.eq, .null)])
        case .lte: return .or([try other(.gt), try other(.eq, .null)])
        case .between:
            guard let first = value["0"], let last = value["1"] else { break }
            return .or([try other(.lt, first), try other(.gt, last), try other(.eq, .null)])
        case .regexp, .near, .exists: break
        }
        throw CatalogueFault(
            "The opposite of \(test.rawValue) cannot be asked of this source: ask without nor and not.", at: nil,
            path: field)
    }
}

extension CatalogueCondition {
    fileprivate var json: RecordValue {
        switch test {
        case .eq, .near: value
        default: .object([RecordMember(test.rawValue, value)])
        }
    }
}

extension CatalogueFault {
    static func tooDeep(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("More than \(CatalogueLimits.depth) conditions stand in one another.", at: offset, path: path)
    }
}
