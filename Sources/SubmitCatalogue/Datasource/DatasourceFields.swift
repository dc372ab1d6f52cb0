/// The fields of a source, as far as somebody wrote them down.
public struct DatasourceFields: Sendable, Hashable {
    /// What each holds, by name; `nil`: nobody said, and any name may be one.
    public let kinds: [String: CatalogueFieldType]?

    /// Any name may be a field, and what stands in quotation marks is a text.
    public static let any = DatasourceFields(kinds: nil)

    private init(kinds: [String: CatalogueFieldType]?) { self.kinds = kinds }

    /// These and no others.
    public init(_ kinds: [String: CatalogueFieldType]) { self.kinds = kinds }

    /// As it stands in a configuration: `name: text`, `price: number`, `tags: texts`, `added: time`, `shop: place`, `new: truth`,
    /// `sum: digest`.
    ///
    /// - Throws: where there is no such kind of field, with those that there are.
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
        self.kinds = kinds
    }

    /// - Throws: where there is no field of this name and none within one, with those that there are.
    public func check(_ name: String) throws(CatalogueFault) {
        if kinds?.keys.contains(where: { $0.hasPrefix(name + ".") }) ?? false { return }
        _ = try kind(of: name, nil, "")
    }

    /// What a field holds; `nil` where nobody said.
    ///
    /// - Throws: where there is no field of this name.
    func kind(of name: String, _ offset: Int?, _ path: String) throws(CatalogueFault) -> CatalogueFieldType? {
        guard let kinds else { return nil }
        // The degrees of a place are fields as well.
        if let kind = kinds[name] { return kind }
        if [".lat", ".lng"].contains(where: name.hasSuffix), kinds[String(name.dropLast(4))] == .place {
            return .number
        }
        throw CatalogueFault(
            "There is no field \(name.forPeople).", at: offset, path: path, stranger: name, known: kinds.keys.sorted())
    }

    /// - Throws: where a field of this kind cannot be asked so, or not with such a value.
    func condition(
        _ name: String, _ test: DatasourceTest, _ value: RecordValue, _ offset: Int, _ path: String
    ) throws(CatalogueFault) -> DatasourceCondition {
        do throws(CatalogueFault) {
            if let kind = try kind(of: name, offset, path) {
                guard kind.operators.contains(test.rawValue) else {
                    throw CatalogueFault(
                        "\(name) holds \(kind.told), of which \(test.rawValue) cannot be asked.", at: offset,
                        path: path,
                        stranger: test.rawValue, known: kind.operators)
                }
                try kind.check(value, of: test, name)
            }
            return try DatasourceCondition(name, test, value)
        } catch {
            throw error.located(offset, path)
        }
    }
}

extension CatalogueFieldType {
    /// In a configuration.
    fileprivate var word: String { self == .truth ? "truth" : rawValue }

    fileprivate func check(_ value: RecordValue, of test: DatasourceTest, _ name: String) throws(CatalogueFault) {
        switch (test, value) {
        case (.like, _), (.nlike, _), (.ilike, _), (.nilike, _), (.regexp, _), (.exists, _), (.near, _), (_, .null):
            return
        case (.inq, .list(let values)), (.nin, .list(let values)), (.between, .list(let values)):
            for value in values { try check(value, of: .eq, name) }
            return
        default: break
        }
        let fits =
            switch (valueType, value) {
            case (.text, .text), (.number, .number), (.truth, .truth): true
            case (.time, .text(let text)): DateText(text) != nil
            case (.digest, .text(let text)): text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            default: false
            }
        guard fits else {
            throw CatalogueFault("\(name) holds \(told), and this is \(value.positioned.told).", at: nil)
        }
    }
}
