/// What one field has to be. It fits the field: nothing else can be made.
public struct CatalogueCondition: Sendable, Hashable {
    /// Of what.
    public let field: CatalogueField
    /// What is asked.
    public let test: CatalogueTest

    /// - Throws: where a field of its kind cannot be asked so, or not with such a value.
    public init(_ field: CatalogueField, _ test: CatalogueTest) throws(CatalogueFault) {
        guard field.holds.operators.contains(test.name) else {
            throw .wrongOperator(test.name, of: field, at: nil)
        }
        for value in test.values where value.type != field.holds.valueType {
            throw CatalogueFault("\(field.rawValue) holds \(field.holds.told): that is no such value.", at: nil)
        }
        for case .real(let number) in test.values where !number.isFinite {
            throw CatalogueFault("\(number) is no number to compare with.", at: nil)
        }
        if case .oneOf(let values) = test, values.count > CatalogueLimits.list { throw .longList(at: nil) }
        if case .noneOf(let values) = test, values.count > CatalogueLimits.list { throw .longList(at: nil) }
        (self.field, self.test) = (field, test)
    }
}

/// What is asked of a field.
public enum CatalogueTest: Sendable, Hashable {
    /// `eq`: it is this; `nil`: it is null.
    case equals(CatalogueValue?)
    /// `neq`: it is not this, or it is null; `nil`: it is not null.
    case differs(CatalogueValue?)
    /// `gt`
    case above(CatalogueValue)
    /// `gte`
    case atLeast(CatalogueValue)
    /// `lt`
    case below(CatalogueValue)
    /// `lte`
    case atMost(CatalogueValue)
    /// `between`, both included.
    case between(CatalogueValue, CatalogueValue)
    /// `inq`. Of none: false.
    case oneOf([CatalogueValue])
    /// `nin`. Of none: true.
    case noneOf([CatalogueValue])
    /// `like` and `ilike`.
    case like(LikePattern)
    /// `nlike` and `nilike`.
    case unlike(LikePattern)
    /// `regexp`: found anywhere.
    case matches(LinearExpression)
    /// `exists`: it is not null; `false`: it is.
    case exists(Bool)
    /// `near`
    case near(Nearness)

    /// LoopBack's word for it.
    var name: String {
        switch self {
        case .equals: "eq"
        case .differs: "neq"
        case .above: "gt"
        case .atLeast: "gte"
        case .below: "lt"
        case .atMost: "lte"
        case .between: "between"
        case .oneOf: "inq"
        case .noneOf: "nin"
        case .like(let pattern): pattern.isFolded ? "ilike" : "like"
        case .unlike(let pattern): pattern.isFolded ? "nilike" : "nlike"
        case .matches: "regexp"
        case .exists: "exists"
        case .near: "near"
        }
    }

    var values: [CatalogueValue] {
        switch self {
        case .equals(let value), .differs(let value): value.map { [$0] } ?? []
        case .above(let value), .atLeast(let value), .below(let value), .atMost(let value): [value]
        case .between(let first, let last): [first, last]
        case .oneOf(let values), .noneOf(let values): values
        case .like, .unlike, .matches, .exists, .near: []
        }
    }

    var valueCount: Int { max(1, values.count) }
}

/// How far away.
public struct Nearness: Sendable, Hashable {
    /// From where.
    public let place: CataloguePlace
    /// Metres at least.
    public let least: Double
    /// Metres at most; `nil`: however far.
    public let most: Double?

    /// `nil` unless both are distances.
    public init?(_ place: CataloguePlace, atLeast least: Double = 0, within most: Double? = nil) {
        guard least >= 0, least.isFinite, (most ?? 0) >= 0, (most ?? 0).isFinite else { return nil }
        (self.place, self.least, self.most) = (place, least, most)
    }
}

extension CatalogueFault {
    static func wrongOperator(
        _ name: String, of field: CatalogueField, at offset: Int?, _ path: String = "", stranger: String? = nil
    ) -> CatalogueFault {
        CatalogueFault(
            "\(field.rawValue) holds \(field.holds.told), of which \(name) cannot be asked.", at: offset, path: path,
            stranger: stranger ?? name, known: field.holds.operators)
    }

    static func longList(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("The list is longer than \(CatalogueLimits.list) values.", at: offset, path: path)
    }
}
