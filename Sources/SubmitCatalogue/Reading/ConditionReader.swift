/// Reads conditions of fields.
struct ConditionReader: Sendable {
    let fields: DatasourceFields
    let values: ValueReader

    /// The conditions that stand behind the name of a field.
    func all(
        _ member: PositionedJSON.NamedValue, _ path: String
    ) throws(CatalogueFault) -> [CatalogueFilter] {
        let value = member.value
        let field = try fields.field(member.name, member.offset, path)
        guard case .object(let tests) = value.content else {
            if case .list = value.content {
                throw CatalogueFault("One of several values is asked for with inq.", at: value.offset, path: path)
            }
            return [try condition(field, .eq, value, at: value.offset, path)]
        }
        guard !tests.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: value.offset, path: path)
        }
        if let near = tests.first(where: { $0.name == CatalogueTest.near.rawValue }) {
            return [try condition(field, .near, value, at: near.offset, path)]
        }
        var conditions: [CatalogueFilter] = []
        for asked in tests {
            let path = "\(path).\(asked.name)"
            guard let test = CatalogueTest(rawValue: asked.name) else {
                throw field.wrongOperator(asked.name, at: asked.offset, path)
            }
            conditions.append(try condition(field, test, asked.value, at: asked.offset, path))
        }
        return conditions
    }

    /// - Parameter offset: where the test stands.
    func condition(
        _ field: NamedField, _ test: CatalogueTest, _ json: PositionedJSON, at offset: Int, _ path: String
    ) throws(CatalogueFault) -> CatalogueFilter {
        try field.check(test, at: offset, path)
        let json = test.value(in: json, of: field.kind)
        do throws(CatalogueFault) {
            var value = RecordValue(json)
            var meaning: PictureCondition?
            if let picture = field.picture {
                let bound = try values.bound(picture, test, json, path)
                // A place can be written in several ways.
                if case .near(let nearness) = bound { value = nearness.record }
                meaning = PictureCondition(field: picture, bound: bound)
            } else if field.kind != nil, test.compares {
                let compared = if case .list(let values) = json.content { values } else { [json] }
                for value in compared where value.content != .null { _ = try values.ends(value, of: field, path) }
            }
            return .condition(try CatalogueCondition(field.name, test, value, meaning: meaning))
        } catch {
            throw error.located(json.offset, path)
        }
    }
}

extension CatalogueTest {
    /// The value as the test takes it, if everything there is written as text.
    ///
    /// - Parameter kind: the kind of the field's values; `nil` if unknown.
    fileprivate func value(in json: PositionedJSON, of kind: CatalogueFieldType?) -> PositionedJSON {
        switch self {
        case .near: json
        case .exists: json.read(as: .truth)
        case .like, .nlike, .ilike, .nilike, .regexp: json.read(as: .text)
        case .eq, .neq, .gt, .gte, .lt, .lte, .between, .inq, .nin: json.read(as: kind)
        }
    }
}
