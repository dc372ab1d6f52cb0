/// Reads questions to sources whose fields are not ours, as ``LoopBackReader`` and ``PlainWordsReader`` do of ours: as strictly,
/// by the fields that somebody wrote down, or of any field.
public struct DatasourceReader: Sendable {
    /// What there is to ask for.
    public var fields: DatasourceFields

    /// A reader of questions about these fields.
    public init(_ fields: DatasourceFields) { self.fields = fields }

    /// A whole question: `where`, `order`, `skip` or `offset`, `limit`, `fields`, and our own `search`.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(json: String) throws(CatalogueFault) -> DatasourceQuestion {
        let json = try PositionedJSON.read(json)
        var question = try DatasourceQuestion()
        var isSkipped = false
        for member in try members(json, "") {
            let (name, value) = (member.name, member.value)
            switch name {
            case "where": question.filter = try condition(value)
            case "order": question.order = try order(value)
            case "limit": question.pageSize = whole(value) ?? 0
            case "skip", "offset":
                guard !isSkipped else {
                    throw CatalogueFault("skip and offset are the same: one is enough.", at: member.offset)
                }
                isSkipped = true
                question.skip = whole(value) ?? -1
            case "fields": question.fields = try list(value, name)
            case "search": question.search = try text(value, name)
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

    /// What stands in `where` alone.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func filter(json: String) throws(CatalogueFault) -> DatasourceFilter {
        let json = try PositionedJSON.read(json)
        let filter = try condition(json)
        do {
            try filter.check()
        } catch {
            throw error.located(json.offset, "where")
        }
        return filter
    }

    private func condition(_ json: PositionedJSON) throws(CatalogueFault) -> DatasourceFilter {
        try members(json, "where").isEmpty ? .everything : try filter(json, "where", depth: 0)
    }

    private func filter(
        _ json: PositionedJSON, _ path: String, depth: Int
    ) throws(CatalogueFault) -> DatasourceFilter {
        // Before it is gone into: what is too deep is not followed.
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: json.offset, path) }
        let members = try members(json, path)
        guard !members.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: json.offset, path: path)
        }
        var parts: [DatasourceFilter] = []
        for member in members {
            let path = "\(path).\(member.name)"
            guard DatasourceFilter.words.contains(member.name) else {
                parts += try conditions(member, path)
                continue
            }
            guard case .list(let values) = member.value.content, !values.isEmpty else {
                throw CatalogueFault(
                    "\(member.name) has a list of conditions.", at: member.value.offset, path: path)
            }
            var inner: [DatasourceFilter] = []
            for (number, value) in values.enumerated() {
                inner.append(try filter(value, "\(path)[\(number)]", depth: depth + 1))
            }
            parts.append(member.name == "and" ? .and(inner) : member.name == "or" ? .or(inner) : .nor(inner))
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private func conditions(
        _ member: PositionedJSON.NamedValue, _ path: String
    ) throws(CatalogueFault) -> [DatasourceFilter] {
        let value = member.value
        // A name that is none is told before what stands behind it.
        _ = try fields.kind(of: member.name, member.offset, path)
        guard case .object(let tests) = value.content else {
            return [.condition(try fields.condition(member.name, .eq, RecordValue(value), value.offset, path))]
        }
        if tests.contains(where: { $0.name == DatasourceTest.near.rawValue }) {
            return [.condition(try fields.condition(member.name, .near, RecordValue(value), value.offset, path))]
        }
        guard !tests.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: value.offset, path: path)
        }
        var conditions: [DatasourceFilter] = []
        for asked in tests {
            let path = "\(path).\(asked.name)"
            guard let test = DatasourceTest(rawValue: asked.name) else {
                throw CatalogueFault(
                    "\(asked.name.forPeople) cannot be asked of a field.", at: asked.offset, path: path,
                    stranger: asked.name, known: DatasourceTest.allCases.map(\.rawValue))
            }
            let condition = try fields.condition(
                member.name, test, RecordValue(asked.value), asked.value.offset, path)
            conditions.append(.condition(condition))
        }
        return conditions
    }

    private func members(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> [PositionedJSON.NamedValue] {
        guard case .object(let members) = json.content else {
            throw CatalogueFault("Here stands \(json.told), and an object should.", at: json.offset, path: path)
        }
        return members
    }

    private func whole(_ json: PositionedJSON) -> Int? {
        if case .number(let digits) = json.content { Int(digits) } else { nil }
    }

    private func text(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> String {
        guard case .text(let text) = json.content else {
            throw CatalogueFault("Here stands \(json.told), and a text should.", at: json.offset, path: path)
        }
        return text
    }

    /// Names of fields.
    private func list(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> [String] {
        guard case .list(let values) = json.content else {
            throw CatalogueFault("Here stands \(json.told), and a list should.", at: json.offset, path: path)
        }
        var names: [String] = []
        for value in values {
            let name = try text(value, path)
            _ = try fields.kind(of: name, value.offset, path)
            names.append(name)
        }
        return names
    }

    /// `"price DESC, name"`, or a list of such.
    private func order(_ json: PositionedJSON) throws(CatalogueFault) -> [DatasourceOrder] {
        let parts: [PositionedJSON]
        if case .list(let values) = json.content { parts = values } else { parts = [json] }
        var order: [DatasourceOrder] = []
        for part in parts {
            for text in try text(part, "order").split(separator: ",", omittingEmptySubsequences: false) {
                let words = text.split(separator: " ")
                let direction = words.count == 2 ? words[1].uppercased() : "ASC"
                guard let name = words.first, words.count <= 2, ["ASC", "DESC"].contains(direction) else {
                    throw CatalogueFault(
                        "An order is a field's name, and ASC or DESC after it.", at: part.offset, path: "order")
                }
                _ = try fields.kind(of: String(name), part.offset, "order")
                order.append(DatasourceOrder(String(name), isDescending: direction == "DESC"))
            }
        }
        return order
    }
}
