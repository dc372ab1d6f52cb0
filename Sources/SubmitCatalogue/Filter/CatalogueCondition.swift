/// What one field has to be. It is well formed: nothing else can be made.
public struct CatalogueCondition: Sendable, Hashable {
    /// A name, or names with dots between them.
    public let field: String
    /// What is asked.
    public let test: CatalogueTest
    /// What with: of `between` a list of two, of `inq` and `nin` a list, of `exists` true or false, of `near` an object, and
    /// else a text, a number, true, false, or null of `eq` and `neq`.
    public let value: RecordValue
    /// The condition on pictures of our catalogue; `nil` if it was made for another source's field.
    package let meaning: PictureCondition?

    /// A condition of a source's own field.
    ///
    /// - Throws: if the field's name isn't valid, or the test can't take the value.
    public init(_ field: String, _ test: CatalogueTest, _ value: RecordValue) throws(CatalogueFault) {
        try self.init(field, test, value, meaning: nil)
    }

    /// A condition on a field of pictures. Dates without a zone are in UTC.
    ///
    /// - Throws: if the field doesn't support the test, or the test can't take the value.
    public init(_ field: CatalogueField, _ test: CatalogueTest, _ value: RecordValue) throws(CatalogueFault) {
        try NamedField(field).check(test, at: nil, "")
        let bound = try ValueReader().bound(field, test, value.positioned, "")
        try self.init(field.rawValue, test, value, meaning: PictureCondition(field: field, bound: bound))
    }

    init(
        _ field: String, _ test: CatalogueTest, _ value: RecordValue, meaning: PictureCondition?
    ) throws(CatalogueFault) {
        guard !field.isEmpty, field.utf8.count <= CatalogueLimits.fieldBytes, !CatalogueTest.joints.contains(field)
        else { throw CatalogueFault("\(field.forPeople) is no name of a field.", at: nil) }
        if let expected = test.misfit(value) {
            throw CatalogueFault("\(test.rawValue) has \(expected), and this is \(value.positioned.told).", at: nil)
        }
        (self.field, self.test, self.value, self.meaning) = (field, test, value, meaning)
    }

    var valueCount: Int { if case .list(let list) = value { max(1, list.count) } else { 1 } }

    /// The same condition on pictures of our catalogue.
    ///
    /// - Throws: if pictures have no such field, or the field doesn't support the test or its value.
    func ofPictures() throws(CatalogueFault) -> CatalogueCondition {
        if meaning != nil { return self }
        guard let picture = try DatasourceFields.pictures.field(field, nil, "").picture else { return self }
        return try CatalogueCondition(picture, test, value)
    }
}

/// A condition of pictures, as stores take it.
package struct PictureCondition: Sendable, Hashable {
    package let field: CatalogueField
    package let bound: CatalogueBound
}

/// What can be asked of a field, in LoopBack's words.
public enum CatalogueTest: String, Sendable, Hashable, CaseIterable {
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

    /// Whether its values are compared with what the field holds.
    var compares: Bool { ![.like, .nlike, .ilike, .nilike, .regexp, .exists, .near].contains(self) }

    /// Keys that join conditions. They can't be names of fields.
    static let joints = ["and", "or", "nor"]

    /// A description of the values that the test takes; `nil` if it takes this one.
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
