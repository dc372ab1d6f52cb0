/// A condition on one field of a picture, reduced to comparisons that every database engine offers.
///
/// Spans of time and kinds of values are already resolved.
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
    /// The place is so far away. It stands alone.
    case near(Nearness)
    /// It is so of every value, null too, or of none.
    case constant(Bool)

    /// Whether it holds of a value that is not null.
    package func holds(of key: CatalogueKey, folded: () -> String) -> Bool {
        switch self {
        case .isNull, .near: false
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

/// How far away.
package struct Nearness: Sendable, Hashable {
    /// From where.
    package let place: CataloguePlace
    /// Metres at least.
    package let least: Double
    /// Metres at most; `nil`: however far.
    package let most: Double?

    /// `nil` unless both are distances.
    package init?(_ place: CataloguePlace, atLeast least: Double = 0, within most: Double? = nil) {
        guard least >= 0, least.isFinite, (most ?? 0) >= 0, (most ?? 0).isFinite else { return nil }
        (self.place, self.least, self.most) = (place, least, most)
    }

    /// As LoopBack has it.
    var record: RecordValue {
        var members = [RecordMember("near", place.record)]
        if let most { members.append(RecordMember("maxDistance", .real(most))) }
        if least > 0 { members.append(RecordMember("minDistance", .real(least))) }
        return .object(members + [RecordMember("unit", .text("meters"))])
    }
}
