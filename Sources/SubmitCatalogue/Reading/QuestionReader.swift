/// Reads questions: LoopBack's JSON, `{"where": {"tags": "harbour", "captured": {"gte": "2026"}}, "limit": 20}`, an address's
/// parameters, and words that people type.
///
/// It is stricter than LoopBack. Anything unknown, empty, too large or of the wrong kind is a fault with its offset, so a
/// mistake never widens the answer. If an object has several operators, all of them must hold.
public struct QuestionReader: Sendable {
    /// What there is to ask for.
    public var fields: DatasourceFields { conditions.fields }
    let conditions: ConditionReader

    /// - Parameters:
    ///   - fields: the fields that a question may name.
    ///   - clock: for pictures, decides when days begin and end, and the zone of dates that have none.
    ///   - offersExpressions: whether pictures support `regexp`. It reads every picture that the other conditions leave.
    public init(_ fields: DatasourceFields, clock: AskersClock = .own, offersExpressions: Bool = true) {
        conditions = ConditionReader(
            fields: fields, values: ValueReader(clock: clock, offersExpressions: offersExpressions))
    }

    /// A whole question: `where`, `order`, `skip` or `offset`, `limit`, `fields`, and our own `search`.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(json: String) throws(CatalogueFault) -> DatasourceQuestion {
        try question(PositionedJSON.read(json))
    }

    /// A question from the parameters of an address, without the `?`: `filter={…}`, or `filter[where][size][gt]=5`, where everything
    /// is written as text and read by its field.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(parameters: String) throws(CatalogueFault) -> DatasourceQuestion {
        try question(LoopBackParameters.read(parameters) ?? PositionedJSON(content: .object([]), offset: 0))
    }

    /// What stands in `where` alone.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func filter(json: String) throws(CatalogueFault) -> CatalogueFilter {
        let json = try PositionedJSON.read(json)
        let filter = try filter(json)
        do {
            try filter.check()
        } catch {
            throw error.located(json.offset, "where")
        }
        return filter
    }

    private func question(_ json: PositionedJSON) throws(CatalogueFault) -> DatasourceQuestion {
        var question = try DatasourceQuestion()
        // As LoopBack has it.
        if fields.areOfPictures { question.pageSize = CatalogueLimits.usualPage }
        var isSkipped = false
        for member in try json.members("") {
            let (name, value) = (member.name, member.value)
            switch name {
            case "where": question.filter = try filter(value)
            case "order": question.order = try order(value)
            case "limit": question.pageSize = value.wholeNumber ?? 0
            case "skip", "offset":
                guard !isSkipped else {
                    throw CatalogueFault("skip and offset are the same: one is enough.", at: member.offset)
                }
                isSkipped = true
                question.skip = value.wholeNumber ?? -1
            case "fields": question.fields = try names(value)
            case "search": question.search = try value.text(name)
            default:
                throw CatalogueFault(
                    "A filter has no \(name.forPeople).", at: member.offset, stranger: name,
                    known: ["where", "order", "limit", "skip", "fields", "search"])
            }
            do {
                try question.check()
            } catch {
                throw error.located(value.offset, name)
            }
        }
        return question
    }

    // MARK: where

    private func filter(_ json: PositionedJSON) throws(CatalogueFault) -> CatalogueFilter {
        try json.members("where").isEmpty ? .everything : try filter(json, "where", depth: 0)
    }

    private func filter(
        _ json: PositionedJSON, _ path: String, depth: Int
    ) throws(CatalogueFault) -> CatalogueFilter {
        // Before it is gone into: what is too deep is not followed.
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: json.offset, path) }
        let members = try json.members(path)
        guard !members.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: json.offset, path: path)
        }
        var parts: [CatalogueFilter] = []
        for member in members {
            let path = "\(path).\(member.name)"
            guard CatalogueTest.joints.contains(member.name) else {
                parts += try conditions.all(member, path)
                continue
            }
            let values = try member.value.list(path)
            guard !values.isEmpty else {
                throw CatalogueFault(
                    "\(member.name) of nothing is no condition.", at: member.value.offset, path: path)
            }
            var inner: [CatalogueFilter] = []
            for (number, value) in values.enumerated() {
                inner.append(try filter(value, "\(path)[\(number)]", depth: depth + 1))
            }
            parts.append(member.name == "and" ? .and(inner) : member.name == "or" ? .or(inner) : .nor(inner))
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    // MARK: order and fields

    /// `"price DESC, name"`, or a list of such.
    private func order(_ json: PositionedJSON) throws(CatalogueFault) -> [DatasourceOrder] {
        let parts: [PositionedJSON]
        if case .list(let values) = json.content { parts = values } else { parts = [json] }
        var order: [DatasourceOrder] = []
        for part in parts {
            for text in try part.text("order").split(separator: ",", omittingEmptySubsequences: false) {
                let words = text.split(separator: " ")
                let direction = words.count == 2 ? words[1].uppercased() : "ASC"
                guard let name = words.first, words.count <= 2, ["ASC", "DESC"].contains(direction) else {
                    throw CatalogueFault(
                        "An order is a field's name, and ASC or DESC after it.", at: part.offset, path: "order")
                }
                let field = try fields.field(String(name), part.offset, "order")
                do {
                    if let picture = field.picture { _ = try CatalogueOrder(picture) }
                } catch {
                    throw error.located(part.offset, "order")
                }
                order.append(DatasourceOrder(field.name, isDescending: direction == "DESC"))
            }
        }
        return order
    }

    /// Reads a list of names. For pictures, it can also be a map from each name to whether the field is wanted.
    private func names(_ json: PositionedJSON) throws(CatalogueFault) -> [String] {
        func name(_ text: String, _ offset: Int) throws(CatalogueFault) -> String {
            try fields.field(text, offset, "fields").name
        }
        if fields.areOfPictures, case .object(let members) = json.content {
            var isWanted: [String: Bool] = [:]
            for member in members {
                isWanted[try name(member.name, member.offset)] = try member.value.truth("fields.\(member.name)")
            }
            guard Set(isWanted.values).count <= 1 else {
                throw CatalogueFault(
                    "Fields are wanted or left out: not both in one map.", at: json.offset, path: "fields")
            }
            let isAllBut = isWanted.values.contains(false)
            return CatalogueField.names.filter { (isWanted[$0] != nil) != isAllBut }
        }
        var names: [String] = []
        for value in try json.list("fields") { names.append(try name(value.text("fields"), value.offset)) }
        return names
    }
}
