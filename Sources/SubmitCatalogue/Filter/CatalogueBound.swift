/// What a test comes to once spans of time and kinds of values are resolved: conditions of one comparable value, which every
/// engine has by itself.
package enum CatalogueBound: Sendable, Hashable {
    case isNull
    case isNotNull
    case equals(CatalogueKey)
    case above(CatalogueKey)
    case atLeast(CatalogueKey)
    case below(CatalogueKey)
    case atMost(CatalogueKey)
    /// All of them hold of one value.
    case all([CatalogueBound])
    /// One of them holds.
    case any([CatalogueBound])
    /// It is one of these.
    case oneOf([CatalogueKey])
    /// It is not so, or it is null.
    indirect case not(CatalogueBound)
    case like(LikePattern)
    case matches(LinearExpression)
    /// It is so of every value, null too, or of none.
    case constant(Bool)

    /// Whether it holds of a value that is not null.
    package func holds(of key: CatalogueKey, folded: () -> String) -> Bool {
        switch self {
        case .isNull: false
        case .isNotNull: true
        case .equals(let wanted): !key.isBefore(wanted) && !wanted.isBefore(key)
        case .above(let wanted): wanted.isBefore(key)
        case .atLeast(let wanted): !key.isBefore(wanted)
        case .below(let wanted): key.isBefore(wanted)
        case .atMost(let wanted): !wanted.isBefore(key)
        case .all(let parts): parts.allSatisfy { $0.holds(of: key, folded: folded) }
        case .any(let parts): parts.contains { $0.holds(of: key, folded: folded) }
        case .oneOf(let wanted): wanted.contains { !key.isBefore($0) && !$0.isBefore(key) }
        case .not(let part): !part.holds(of: key, folded: folded)
        case .like(let pattern):
            if case .text(let text) = key { pattern.matches(pattern.isFolded ? folded() : text) } else { false }
        case .matches(let expression): if case .text(let text) = key { expression.isFound(in: text) } else { false }
        case .constant(let isTrue): isTrue
        }
    }
}

extension CatalogueCondition {
    /// `nil` where it is about distances.
    package var bound: CatalogueBound? {
        switch test {
        case .equals(nil), .exists(false): .isNull
        case .differs(nil), .exists(true): .isNotNull
        case .equals(let value?): equals(value)
        case .differs(let value?): .not(equals(value))
        case .above(let value): .above(key(value, isEnd: true))
        case .atLeast(let value): .atLeast(key(value, isEnd: false))
        case .below(let value): .below(key(value, isEnd: false))
        case .atMost(let value): .atMost(key(value, isEnd: true))
        case .between(let first, let last): .all([.atLeast(key(first, isEnd: false)), .atMost(key(last, isEnd: true))])
        case .oneOf(let values): oneOf(values)
        case .noneOf(let values): .not(oneOf(values))
        case .like(let pattern): .like(pattern)
        case .unlike(let pattern): .not(.like(pattern))
        case .matches(let expression): .matches(expression)
        case .near: nil
        }
    }

    private func oneOf(_ values: [CatalogueValue]) -> CatalogueBound {
        if values.isEmpty { return .constant(false) }
        return field.holds == .time ? .any(values.map(equals)) : .oneOf(values.map { key($0, isEnd: false) })
    }

    private func equals(_ value: CatalogueValue) -> CatalogueBound {
        guard case .time = value else { return .equals(key(value, isEnd: false)) }
        return .all([.atLeast(key(value, isEnd: false)), .atMost(key(value, isEnd: true))])
    }

    /// - Parameter isEnd: of a span of time the last moment counts, not the first.
    private func key(_ value: CatalogueValue, isEnd: Bool) -> CatalogueKey {
        switch value {
        case .composed(let text): .text(text)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .digest(let bytes): .bytes(bytes)
        case .truth(let isTrue): .integer(isTrue ? 1 : 0)
        case .time(let span): .integer(moment(span, isEnd: isEnd))
        }
    }

    /// Cameras tell seconds. One lies in a span where its beginning does.
    private func moment(_ span: SpanOfTime, isEnd: Bool) -> Int64 {
        let nanoseconds = isEnd ? span.last : span.first
        guard field == .captured else { return nanoseconds }
        let second = Int64(1_000_000_000)
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: second)
        if isEnd { return rest < 0 ? whole - 1 : whole }
        return rest > 0 ? whole + 1 : whole
    }
}
