/// Which pictures: conditions, and how they hold together.
///
/// Each condition of a picture is true or false, never unknown, so that `nor` is the exact opposite of `or`. Of a field that is
/// null `neq`, `nin`, `nlike` and `nilike` are true and all others false. Of a field that holds several texts a condition is true
/// where it is of any of them, and those four where their opposite is of none.
public indirect enum CatalogueFilter: Sendable, Hashable {
    /// All hold. Of none: every picture.
    case and([CatalogueFilter])
    /// One holds. Of none: no picture.
    case or([CatalogueFilter])
    /// None holds.
    case nor([CatalogueFilter])
    /// One condition.
    case condition(CatalogueCondition)

    /// Every picture.
    public static let everything = CatalogueFilter.and([])

    /// The fields that it looks at.
    public var fields: Set<CatalogueField> {
        switch self {
        case .and(let parts), .or(let parts), .nor(let parts): parts.reduce(into: []) { $0.formUnion($1.fields) }
        case .condition(let condition): [condition.field]
        }
    }

    /// What has to hold in any case: its conditions where it is one, or all of some.
    package var required: [CatalogueCondition] {
        switch self {
        case .condition(let condition): [condition]
        case .and(let parts): parts.flatMap(\.required)
        case .or(let parts): parts.count == 1 ? parts[0].required : []
        case .nor: []
        }
    }

    /// - Throws: where it goes beyond ``CatalogueLimits``.
    public func check() throws(CatalogueFault) {
        var (terms, values) = (0, 0)
        func count(_ filter: CatalogueFilter, depth: Int) throws(CatalogueFault) {
            switch filter {
            case .and(let parts), .or(let parts), .nor(let parts):
                guard depth < CatalogueLimits.depth else { throw .tooDeep(at: nil) }
                for part in parts { try count(part, depth: depth + 1) }
            case .condition(let condition):
                terms += 1
                values += condition.test.valueCount
            }
        }
        try count(self, depth: 0)
        guard terms <= CatalogueLimits.terms else { throw .tooManyTerms(at: nil) }
        guard values <= CatalogueLimits.values else { throw .tooManyValues(at: nil) }
    }
}

extension CatalogueFault {
    static func tooDeep(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("More than \(CatalogueLimits.depth) conditions stand in one another.", at: offset, path: path)
    }

    static func tooManyTerms(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("There are more than \(CatalogueLimits.terms) conditions.", at: offset, path: path)
    }

    static func tooManyValues(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault(
            "There are more than \(CatalogueLimits.values) values in all conditions.", at: offset, path: path)
    }
}
