/// Which records of a source: conditions by the names of its own fields, and how they hold together.
///
/// It says what LoopBack's `where` says, and means what the source takes that for.
public indirect enum DatasourceFilter: Sendable, Hashable {
    /// All hold. Of none: every record.
    case and([DatasourceFilter])
    /// One holds.
    case or([DatasourceFilter])
    /// None holds.
    case nor([DatasourceFilter])
    /// One condition.
    case condition(DatasourceCondition)

    /// Every record.
    public static let everything = DatasourceFilter.and([])

    /// Both hold.
    public func and(_ other: DatasourceFilter) -> DatasourceFilter {
        if self == .everything { return other }
        return other == .everything ? self : .and([self, other])
    }

    /// The fields that it looks at.
    public var fields: Set<String> {
        switch self {
        case .and(let parts), .or(let parts), .nor(let parts): parts.reduce(into: []) { $0.formUnion($1.fields) }
        case .condition(let condition): [condition.field]
        }
    }

    /// - Throws: where it goes beyond ``CatalogueLimits``, or joins nothing.
    public func check() throws(CatalogueFault) {
        var (terms, values) = (0, 0)
        func count(_ filter: DatasourceFilter, depth: Int) throws(CatalogueFault) {
            switch filter {
            case .and(let parts), .or(let parts), .nor(let parts):
                guard depth < CatalogueLimits.depth else { throw .tooDeep(at: nil) }
                for part in parts { try count(part, depth: depth + 1) }
                guard !parts.isEmpty || depth == 0 && filter == .everything else {
                    throw CatalogueFault("All, one or none of nothing is no condition.", at: nil)
                }
            case .condition(let condition):
                terms += 1
                if case .list(let list) = condition.value { values += max(1, list.count) } else { values += 1 }
            }
        }
        try count(self, depth: 0)
        guard terms <= CatalogueLimits.terms else { throw .tooManyTerms(at: nil) }
        guard values <= CatalogueLimits.values else { throw .tooManyValues(at: nil) }
    }
}

/// What one field has to be. It is well formed: nothing else can be made.
public struct DatasourceCondition: Sendable, Hashable {
    /// A name, or names with dots between them.
    public let field: String
    /// What is asked.
    public let test: DatasourceTest
    /// What with: of `between` a list of two, of `inq` and `nin` a list, of `exists` true or false, of `near` an object, and
    /// else a text, a number, true, false, or null of `eq` and `neq`.
    public let value: RecordValue

    /// - Throws: where the field has no name, or such a value cannot be asked so.
    public init(_ field: String, _ test: DatasourceTest, _ value: RecordValue) throws(CatalogueFault) {
        guard !field.isEmpty, field.utf8.count <= CatalogueLimits.fieldBytes, !DatasourceFilter.words.contains(field)
        else { throw CatalogueFault("\(field.forPeople) is no name of a field.", at: nil) }
        guard let expected = test.misfit(value) else {
            (self.field, self.test, self.value) = (field, test, value)
            return
        }
        throw CatalogueFault("\(test.rawValue) has \(expected), and this is \(value.positioned.told).", at: nil)
    }
}

extension DatasourceFilter {
    /// Those that are no fields.
    static let words = ["and", "or", "nor"]
}

/// What can be asked of a field, in LoopBack's words.
public enum DatasourceTest: String, Sendable, Hashable, CaseIterable {
    /// It is this.
    case eq
    /// It is not.
    case neq
    /// It is above.
    case gt
    /// Above, or the same.
    case gte
    /// Below.
    case lt
    /// Below, or the same.
    case lte
    /// One of two, or what lies between.
    case between
    /// One of these.
    case inq
    /// None of these.
    case nin
    /// It is like this pattern.
    case like
    /// It is not.
    case nlike
    /// Like it, case aside.
    case ilike
    /// It is not.
    case nilike
    /// A regular expression is found in it.
    case regexp
    /// There is one.
    case exists
    /// It is near a place.
    case near

    /// What it should have instead; `nil` where the value is fine.
    fileprivate func misfit(_ value: RecordValue) -> String? {
        func isPlain(_ value: RecordValue) -> Bool {
            switch value {
            case .text, .truth: true
            case .number(let digits): Double(digits)?.isFinite ?? false
            case .null, .list, .object: false
            }
        }
        switch (self, value) {
        case (.eq, .null), (.neq, .null), (.exists, .truth): return nil
        case (.exists, _): return "true or false"
        case (.between, .list(let both)): return both.count == 2 && both.allSatisfy(isPlain) ? nil : "two values"
        case (.between, _): return "two values"
        case (.inq, .list(let list)), (.nin, .list(let list)):
            return list.count <= CatalogueLimits.list && list.allSatisfy(isPlain)
                ? nil : "a list of at most \(CatalogueLimits.list) values"
        case (.inq, _), (.nin, _): return "a list of values"
        case (.like, .text(let text)), (.nlike, .text(let text)), (.ilike, .text(let text)),
            (.nilike, .text(let text)), (.regexp, .text(let text)):
            // One more by each that has to be escaped.
            return text.unicodeScalars.count <= 2 * CatalogueLimits.pattern + 2 ? nil : "a shorter pattern"
        case (.like, _), (.nlike, _), (.ilike, _), (.nilike, _), (.regexp, _): return "a text"
        case (.near, .object): return value["near"] == nil ? "a place" : nil
        case (.near, _): return "a place"
        case (.eq, _), (.neq, _), (.gt, _), (.gte, _), (.lt, _), (.lte, _):
            return isPlain(value) ? nil : "one value"
        }
    }
}
