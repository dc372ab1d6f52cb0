extension DatasourceFilter {
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

    /// The same without `nor` and `exists`, which LoopBack's own stores drop or answer with nothing: each condition turned to its
    /// opposite, which is true of null where the condition is not.
    ///
    /// - Throws: where there is no opposite, as of `regexp` and `near`.
    public func withoutNor() throws(CatalogueFault) -> DatasourceFilter { try plain(isNot: false) }

    private func plain(isNot: Bool) throws(CatalogueFault) -> DatasourceFilter {
        func joined(_ filters: [DatasourceFilter], isNot: Bool, isAnd: Bool) throws(CatalogueFault) -> DatasourceFilter
        {
            var parts: [DatasourceFilter] = []
            for filter in filters { parts.append(try filter.plain(isNot: isNot)) }
            return parts.count == 1 ? parts[0] : isAnd ? .and(parts) : .or(parts)
        }
        switch self {
        case .and(let filters): return try joined(filters, isNot: isNot, isAnd: !isNot)
        case .or(let filters): return try joined(filters, isNot: isNot, isAnd: isNot)
        case .nor(let filters): return try joined(filters, isNot: !isNot, isAnd: !isNot)
        case .condition(let condition): return try condition.plain(isNot: isNot)
        }
    }
}

extension DatasourceCondition {
    fileprivate var json: RecordValue {
        switch test {
        case .eq, .near: value
        default: .object([RecordMember(test.rawValue, value)])
        }
    }

    fileprivate func plain(isNot: Bool) throws(CatalogueFault) -> DatasourceFilter {
        func other(_ test: DatasourceTest, _ value: RecordValue? = nil) throws(CatalogueFault) -> DatasourceFilter {
            .condition(try DatasourceCondition(field, test, value ?? self.value))
        }
        if test == .exists { return try other((value == .truth(true)) == isNot ? .eq : .neq, .null) }
        guard isNot else { return .condition(self) }
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
