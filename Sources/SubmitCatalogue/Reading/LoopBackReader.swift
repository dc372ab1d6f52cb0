/// Reads questions as LoopBack's clients ask them: `{"where": {"tags": "harbour", "captured": {"gte": "2026"}}, "limit": 20}`.
///
/// Strict where LoopBack is silent: what is unknown, of another kind, empty or too much is a fault with its place, and never a
/// wider answer. Several operators in one object hold together.
public struct LoopBackReader: Sendable {
    /// Whether `regexp` may be asked: it looks at every picture that the other conditions leave.
    public var offersExpressions: Bool
    private let values: ValueReader

    /// - Parameters:
    ///   - clock: by which dates without a zone are read; `nil`: in UTC.
    ///   - offersExpressions: whether `regexp` may be asked.
    public init(clock: AskersClock? = nil, offersExpressions: Bool = false) {
        values = ValueReader(clock: clock ?? .utc(now: 0))
        self.offersExpressions = offersExpressions
    }

    /// A whole question: `where`, `order`, `skip` or `offset`, `limit`, `fields`, and our own `search` and `next`.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func query(_ json: String) throws(CatalogueFault) -> CatalogueQuery {
        try query(PositionedJSON.read(json))
    }

    /// A question from the parameters of an address, without the `?`: `filter={…}`, or `filter[where][size][gt]=5`, where everything
    /// is written as text and read by its field.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func query(parameters: String) throws(CatalogueFault) -> CatalogueQuery {
        guard let json = try LoopBackParameters.read(parameters) else { return try CatalogueQuery() }
        return try query(json)
    }

    /// What stands in `where` alone.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func filter(_ json: String) throws(CatalogueFault) -> CatalogueFilter {
        try filter(PositionedJSON.read(json), "where")
    }

    func query(_ json: PositionedJSON) throws(CatalogueFault) -> CatalogueQuery {
        var query = try CatalogueQuery()
        var skips: [String] = []
        for member in try members(json, "") {
            let (value, name) = (member.value, member.name)
            switch name {
            case "where": query.filter = try filter(value, name)
            case "order": query.order = try order(value)
            case "limit":
                guard let limit = wholeNumber(value), (1...CatalogueLimits.page).contains(limit) else {
                    throw .wrongLimit(at: value.offset, name)
                }
                query.limit = limit
            case "skip", "offset":
                skips.append(name)
                guard let skip = wholeNumber(value), skip >= 0 else { throw .wrongSkip(at: value.offset, name) }
                guard skips.count == 1 else {
                    throw CatalogueFault("skip and offset are the same: one is enough.", at: member.offset)
                }
                query.skip = skip
            case "fields": query.fields = try fields(value)
            case "search":
                query.search = try located(value, name) { text throws(CatalogueFault) in try SearchWords(text) }
            case "next": query.mark = try located(value, name) { text throws(CatalogueFault) in try PageMark(text) }
            case "include":
                throw CatalogueFault(
                    "Pictures come with all that belongs to them: there is no include.", at: member.offset)
            default:
                throw CatalogueFault(
                    "A filter has no \(name.forPeople).", at: member.offset, stranger: name,
                    known: ["where", "order", "limit", "skip", "fields", "search", "next"])
            }
        }
        if query.skip > 0, query.mark != nil {
            throw CatalogueFault(
                "A page goes on where the last one ended, or after so many: not both.", at: json.offset)
        }
        return query
    }

    private func members(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> [PositionedJSON.NamedValue] {
        guard case .object(let members) = json.content else {
            throw CatalogueFault("Here stands \(json.told), and an object should.", at: json.offset, path: path)
        }
        return members
    }

    private func text(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> String {
        switch json.content {
        case .text(let text), .written(let text): return text
        default: throw CatalogueFault("Here stands \(json.told), and a text should.", at: json.offset, path: path)
        }
    }

    private func list(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> [PositionedJSON] {
        guard case .list(let values) = json.content else {
            throw CatalogueFault("Here stands \(json.told), and a list should.", at: json.offset, path: path)
        }
        return values
    }

    private func truth(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> Bool {
        switch json.content {
        case .truth(let isTrue): return isTrue
        case .written("true"): return true
        case .written("false"): return false
        default:
            throw CatalogueFault("Here stands \(json.told), and true or false should.", at: json.offset, path: path)
        }
    }

    private func wholeNumber(_ json: PositionedJSON) -> Int? {
        switch json.content {
        case .number(let text): Int(text)
        case .written(let text): text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
        default: nil
        }
    }

    private func located<Value>(
        _ json: PositionedJSON, _ path: String, _ read: (String) throws(CatalogueFault) -> Value
    ) throws(CatalogueFault) -> Value {
        let text = try text(json, path)
        do {
            return try read(text)
        } catch {
            var fault = error
            fault.offset = json.offset
            fault.path = path
            throw fault
        }
    }

    // MARK: where

    private func filter(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> CatalogueFilter {
        var terms = 0
        var bound = 0
        let members = try members(json, path)
        return members.isEmpty ? .everything : try filter(json, path, depth: 0, &terms, &bound)
    }

    private func filter(
        _ json: PositionedJSON, _ path: String, depth: Int, _ terms: inout Int, _ bound: inout Int
    ) throws(CatalogueFault) -> CatalogueFilter {
        let members = try members(json, path)
        guard !members.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: json.offset, path: path)
        }
        let isJoined = members.count > 1
        let depth = depth + (isJoined ? 1 : 0)
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: json.offset, path) }
        var parts: [CatalogueFilter] = []
        for member in members {
            let path = "\(path).\(member.name)"
            switch member.name {
            case "and", "or", "nor":
                let values = try list(member.value, path)
                guard !values.isEmpty else {
                    throw CatalogueFault(
                        "\(member.name) of nothing is no condition.", at: member.value.offset, path: path)
                }
                guard depth < CatalogueLimits.depth else { throw .tooDeep(at: member.offset, path) }
                var inner: [CatalogueFilter] = []
                for (number, value) in values.enumerated() {
                    inner.append(try filter(value, "\(path)[\(number)]", depth: depth + 1, &terms, &bound))
                }
                parts.append(member.name == "and" ? .and(inner) : member.name == "or" ? .or(inner) : .nor(inner))
            default:
                let field = try ValueReader.field(member.name, member.offset, path)
                for condition in try conditions(field, member.value, path) {
                    terms += 1
                    bound += condition.test.valueCount
                    guard terms <= CatalogueLimits.terms else { throw .tooManyTerms(at: member.offset, path) }
                    guard bound <= CatalogueLimits.values else { throw .tooManyValues(at: member.offset, path) }
                    parts.append(.condition(condition))
                }
            }
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private func conditions(
        _ field: CatalogueField, _ json: PositionedJSON, _ path: String
    ) throws(CatalogueFault) -> [CatalogueCondition] {
        guard case .object(let members) = json.content else {
            if case .list = json.content {
                throw CatalogueFault("One of several values is asked for with inq.", at: json.offset, path: path)
            }
            return [try condition(field, "eq", json.offset, json, path)]
        }
        guard !members.isEmpty else {
            throw CatalogueFault("Here stands an empty condition.", at: json.offset, path: path)
        }
        if field.holds == .place, members.contains(where: { $0.name == "near" }) {
            return [try nearness(field, members, path)]
        }
        var conditions: [CatalogueCondition] = []
        for member in members {
            conditions.append(
                try condition(field, member.name, member.offset, member.value, "\(path).\(member.name)"))
        }
        return conditions
    }

    private func condition(
        _ field: CatalogueField, _ name: String, _ offset: Int, _ json: PositionedJSON, _ path: String
    ) throws(CatalogueFault) -> CatalogueCondition {
        guard field.holds.operators.contains(name), name != "near" else {
            throw .wrongOperator(name.forPeople, of: field, at: offset, path, stranger: name)
        }
        do {
            return try CatalogueCondition(field, try test(field, name, json, path))
        } catch {
            throw error.located(json.offset, path)
        }
    }

    private func test(
        _ field: CatalogueField, _ name: String, _ json: PositionedJSON, _ path: String
    ) throws(CatalogueFault) -> CatalogueTest {
        func value() throws(CatalogueFault) -> CatalogueValue { try values.value(json, of: field, path) }
        func several() throws(CatalogueFault) -> [CatalogueValue] {
            let members = try list(json, path)
            guard members.count <= CatalogueLimits.list else { throw .longList(at: json.offset, path) }
            var read: [CatalogueValue] = []
            for (number, member) in members.enumerated() {
                read.append(try values.value(member, of: field, "\(path)[\(number)]"))
            }
            return read
        }
        func pattern(_ isFolded: Bool) throws(CatalogueFault) -> LikePattern {
            try values.pattern(text(json, path), isFolded: isFolded, json.offset, path)
        }
        switch name {
        case "eq": return .equals(json.content == .null ? nil : try value())
        case "neq": return .differs(json.content == .null ? nil : try value())
        case "gt": return .above(try value())
        case "gte": return .atLeast(try value())
        case "lt": return .below(try value())
        case "lte": return .atMost(try value())
        case "between":
            let both = try several()
            guard both.count == 2 else {
                throw CatalogueFault("between has the first and the last value.", at: json.offset, path: path)
            }
            return .between(both[0], both[1])
        case "inq": return .oneOf(try several())
        case "nin": return .noneOf(try several())
        case "like": return .like(try pattern(false))
        case "ilike": return .like(try pattern(true))
        case "nlike": return .unlike(try pattern(false))
        case "nilike": return .unlike(try pattern(true))
        case "regexp": return .matches(try expression(json, path))
        default: return .exists(try truth(json, path))
        }
    }

    /// `^a`, or `/^a/i`.
    private func expression(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> LinearExpression {
        guard offersExpressions else {
            throw CatalogueFault("regexp is not offered here: like and ilike are.", at: json.offset, path: path)
        }
        return try located(json, path) { text throws(CatalogueFault) in
            // By scalars: an accent behind a / makes another character of it.
            let scalars = text.unicodeScalars
            guard scalars.first == "/", let end = scalars.lastIndex(of: "/"), end > scalars.startIndex else {
                return try LinearExpression(text)
            }
            let flags = String(scalars[scalars.index(after: end)...])
            guard ["", "i"].contains(flags) else {
                throw CatalogueFault("Of an expression's flags there is i only.", at: nil)
            }
            return try LinearExpression(
                String(scalars[scalars.index(after: scalars.startIndex)..<end]), isCaseless: flags == "i")
        }
    }

    // MARK: near

    private static let units: [String: Double] = [
        "meters": 1, "kilometers": 1000, "miles": 1609.344, "feet": 0.3048, "radians": CataloguePlace.radius,
        "degrees": CataloguePlace.radius * .pi / 180,
    ]

    private func nearness(
        _ field: CatalogueField, _ members: [PositionedJSON.NamedValue], _ path: String
    ) throws(CatalogueFault) -> CatalogueCondition {
        var (place, least, most, unit): (CataloguePlace?, Double, Double?, Double) = (nil, 0, nil, 1609.344)
        func distance(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> Double {
            guard let number = Self.real(try self.values.value(json, of: .latitude, path)), number >= 0 else {
                throw CatalogueFault("Here a distance should stand.", at: json.offset, path: path)
            }
            return number
        }
        for member in members {
            let (value, path) = (member.value, "\(path).\(member.name)")
            switch member.name {
            case "near": place = try point(value, path)
            case "maxDistance": most = try distance(value, path)
            case "minDistance": least = try distance(value, path)
            case "unit":
                let name = try text(value, path)
                guard let size = Self.units[name] else {
                    throw CatalogueFault(
                        "There is no unit \(name.forPeople).", at: value.offset, path: path, stranger: name,
                        known: Self.units.keys.sorted())
                }
                unit = size
            default:
                throw CatalogueFault(
                    "Beside near there is no \(member.name.forPeople).", at: member.offset, path: path,
                    stranger: member.name, known: ["maxDistance", "minDistance", "unit"])
            }
        }
        guard let place, let nearness = Nearness(place, atLeast: least * unit, within: most.map { $0 * unit }) else {
            throw CatalogueFault("This is too far.", at: members.first?.offset, path: path)
        }
        return try CatalogueCondition(field, .near(nearness))
    }

    private static func real(_ value: CatalogueValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// `"53.5,10"`, `[53.5, 10]` or `{"lat": 53.5, "lng": 10}`.
    private func point(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> CataloguePlace {
        var degrees: [Double?] = []
        switch json.content {
        case .text(let text), .written(let text):
            degrees = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.degrees)
        case .list(let values):
            for value in values { degrees.append(Self.real(try self.values.value(value, of: .latitude, path))) }
        case .object(let members):
            let named = members.reduce(into: [:]) { $0[$1.name] = $1.value }
            guard named.count == 2, let lat = named["lat"], let lng = named["lng"] else { break }
            for value in [lat, lng] { degrees.append(Self.real(try values.value(value, of: .latitude, path))) }
        default: break
        }
        guard degrees.count == 2, let latitude = degrees[0], let longitude = degrees[1],
            let place = CataloguePlace(latitude: latitude, longitude: longitude)
        else {
            throw CatalogueFault(
                "A place is “latitude,longitude” in degrees, such as “53.55,9.99”.", at: json.offset, path: path)
        }
        return place
    }

    static func degrees(_ text: some StringProtocol) -> Double? {
        let digits = text.drop { $0 == " " }
        return digits.utf8.allSatisfy { "0123456789.-".utf8.contains($0) } ? Double(digits) : nil
    }

    // MARK: order and fields

    private func order(_ json: PositionedJSON) throws(CatalogueFault) -> [CatalogueOrder] {
        var order: [CatalogueOrder] = []
        let parts: [PositionedJSON]
        if case .list(let values) = json.content { parts = values } else { parts = [json] }
        for part in parts {
            for text in try text(part, "order").split(separator: ",", omittingEmptySubsequences: false) {
                let words = text.split(separator: " ")
                guard let name = words.first, words.count <= 2 else {
                    throw CatalogueFault(
                        "An order is a field's name, and ASC or DESC after it.", at: part.offset, path: "order")
                }
                let direction = words.count == 2 ? words[1].uppercased() : "ASC"
                guard ["ASC", "DESC"].contains(direction) else {
                    throw CatalogueFault(
                        "The direction is ASC or DESC, not \(String(words[1]).forPeople).", at: part.offset,
                        path: "order")
                }
                let field = try ValueReader.field(String(name), part.offset, "order")
                do {
                    order.append(try CatalogueOrder(field, isDescending: direction == "DESC"))
                } catch {
                    throw error.located(part.offset, "order")
                }
            }
        }
        guard order.count <= CatalogueLimits.order else { throw .longOrder(at: json.offset, "order") }
        return order
    }

    private func fields(_ json: PositionedJSON) throws(CatalogueFault) -> [CatalogueField] {
        var fields: [CatalogueField] = []
        switch json.content {
        case .list(let values):
            for value in values { fields.append(try ValueReader.field(text(value, "fields"), value.offset, "fields")) }
        case .object(let members):
            var isWanted: [CatalogueField: Bool] = [:]
            for member in members {
                let field = try ValueReader.field(member.name, member.offset, "fields")
                isWanted[field] = try truth(member.value, "fields.\(member.name)")
            }
            guard Set(isWanted.values).count <= 1 else {
                throw CatalogueFault(
                    "Fields are wanted or left out: not both in one map.", at: json.offset, path: "fields")
            }
            let isAllBut = isWanted.values.contains(false)
            fields = CatalogueField.allCases.filter { (isWanted[$0] != nil) != isAllBut }
        default:
            throw CatalogueFault(
                "Fields are a list of names, or a map of them to true or false.", at: json.offset, path: "fields")
        }
        guard !fields.isEmpty else {
            throw CatalogueFault("There is no field left.", at: json.offset, path: "fields")
        }
        return fields
    }
}
