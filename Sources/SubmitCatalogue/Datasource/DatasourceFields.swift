/// The fields of a source: those of pictures, or those that somebody wrote down, or any.
public struct DatasourceFields: Sendable, Hashable {
    /// What each holds, by name; `nil`: nobody said, and any name may be one.
    public let kinds: [String: CatalogueFieldType]?
    /// They are those of ``CatalogueField``.
    let areOfPictures: Bool

    /// Any name may be a field, and what stands in quotation marks is a text.
    public static let any = DatasourceFields(kinds: nil)

    /// Those of our own catalogue, with the other names that they have.
    public static let pictures = DatasourceFields(
        kinds: CatalogueField.byName.mapValues(\.holds), areOfPictures: true)

    private init(kinds: [String: CatalogueFieldType]?, areOfPictures: Bool = false) {
        (self.kinds, self.areOfPictures) = (kinds, areOfPictures)
    }

    /// These and no others.
    public init(_ kinds: [String: CatalogueFieldType]) { self.init(kinds: kinds) }

    /// As it stands in a configuration: `name: text`, `price: number`, `tags: texts`, `added: time`, `shop: place`, `new: truth`,
    /// `sum: digest`.
    ///
    /// - Throws: if there is no such kind of field, with those that there are.
    public init(written fields: [String: String]) throws(CatalogueFault) {
        let known = CatalogueFieldType.allCases.map(\.word)
        var kinds: [String: CatalogueFieldType] = [:]
        for (name, word) in fields {
            guard let kind = CatalogueFieldType.allCases.first(where: { $0.word == word }) else {
                throw CatalogueFault(
                    "\(name.forPeople) cannot hold \(word.forPeople).", at: nil, stranger: word, known: known)
            }
            kinds[name] = kind
        }
        self.init(kinds: kinds)
    }

    /// - Throws: if there is no field of this name, and no field inside it. The fault lists the fields.
    public func check(_ name: String) throws(CatalogueFault) {
        if kinds?.keys.contains(where: { $0.hasPrefix(name + ".") }) ?? false { return }
        _ = try field(name, nil, "")
    }

    /// - Throws: if there is no field of this name.
    func field(_ name: String, _ offset: Int?, _ path: String) throws(CatalogueFault) -> NamedField {
        guard let kinds else { return NamedField(name: name, kind: nil) }
        if areOfPictures, let field = CatalogueField(named: name) { return NamedField(field) }
        if let kind = kinds[name] { return NamedField(name: name, kind: kind) }
        // The degrees of a place are fields as well.
        if [".lat", ".lng"].contains(where: name.hasSuffix), kinds[String(name.dropLast(4))] == .place {
            return NamedField(name: name, kind: .number)
        }
        throw CatalogueFault(
            "There is no field \(name.forPeople).", at: offset, path: path, stranger: name,
            known: areOfPictures ? CatalogueField.names : kinds.keys.sorted())
    }
}

/// A field as a question names it.
struct NamedField: Sendable, Hashable {
    let name: String
    /// The kind of its values; `nil` if unknown.
    let kind: CatalogueFieldType?
    /// The field of our own catalogue; `nil` if it belongs to another source.
    let picture: CatalogueField?

    init(_ field: CatalogueField) { (name, kind, picture) = (field.rawValue, field.holds, field) }

    init(name: String, kind: CatalogueFieldType?) { (self.name, self.kind, picture) = (name, kind, nil) }

    /// - Throws: if fields of this kind don't support the test.
    func check(_ test: CatalogueTest, at offset: Int?, _ path: String) throws(CatalogueFault) {
        if let kind, !kind.operators.contains(test.rawValue) { throw wrongOperator(test.rawValue, at: offset, path) }
    }

    func wrongOperator(_ name: String, at offset: Int?, _ path: String) -> CatalogueFault {
        CatalogueFault(
            kind.map { "\(self.name) holds \($0.told), of which \(name.forPeople) cannot be asked." }
                ?? "\(name.forPeople) cannot be asked of a field.", at: offset, path: path, stranger: name,
            known: kind?.operators ?? CatalogueTest.allCases.map(\.rawValue))
    }
}

extension CatalogueFieldType {
    /// In a configuration.
    fileprivate var word: String { self == .truth ? "truth" : rawValue }

    /// That of values which it is compared with.
    var valueType: CatalogueFieldType { self == .texts ? .text : self }

    /// For people: `a text`.
    var told: String {
        switch self {
        case .text: "a text"
        case .texts: "texts"
        case .number: "a number"
        case .digest: "a digest of 64 hexadecimal digits"
        case .time: "a time"
        case .truth: "true or false"
        case .place: "a place on Earth"
        case .objects: "values with parts"
        }
    }
}
