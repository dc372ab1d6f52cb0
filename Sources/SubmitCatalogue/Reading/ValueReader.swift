/// Reads what fields are compared with.
struct ValueReader: Sendable {
    /// By which dates without a zone are read.
    var clock = AskersClock.utc(now: 0)
    /// Whether `regexp` may be asked: it looks at every picture that the other conditions leave.
    var offersExpressions = true

    /// Reads a test of a picture's field.
    ///
    /// - Throws: if the test can't take the value. The fault has the value's offset.
    func bound(
        _ field: CatalogueField, _ test: CatalogueTest, _ json: PositionedJSON, _ path: String
    ) throws(CatalogueFault) -> CatalogueBound {
        let named = NamedField(field)
        func ends() throws(CatalogueFault) -> ValueEnds { try self.ends(json, of: named, path) }
        func several() throws(CatalogueFault) -> [ValueEnds] {
            let values = try json.list(path)
            guard values.count <= CatalogueLimits.list else { throw .longList(at: json.offset, path) }
            var read: [ValueEnds] = []
            for (number, value) in values.enumerated() {
                read.append(try self.ends(value, of: named, "\(path)[\(number)]"))
            }
            return read
        }
        func equals(_ value: ValueEnds) -> CatalogueBound {
            field.holds == .time ? .all([.atLeast(value.first), .atMost(value.last)]) : .equals(value.first)
        }
        func oneOf(_ values: [ValueEnds]) -> CatalogueBound {
            if values.isEmpty { return .constant(false) }
            return field.holds == .time ? .any(values.map(equals)) : .oneOf(values.map(\.first))
        }
        func like(isFolded: Bool) throws(CatalogueFault) -> CatalogueBound {
            .like(try pattern(json.text(path), isFolded: isFolded, json.offset, path))
        }
        switch test {
        case .eq: return json.content == .null ? .isNull : equals(try ends())
        case .neq: return json.content == .null ? .isNotNull : .not(equals(try ends()))
        case .gt: return .above(try ends().last)
        case .gte: return .atLeast(try ends().first)
        case .lt: return .below(try ends().first)
        case .lte: return .atMost(try ends().last)
        case .between:
            let both = try several()
            guard both.count == 2 else {
                throw CatalogueFault("between has the first and the last value.", at: json.offset, path: path)
            }
            return .all([.atLeast(both[0].first), .atMost(both[1].last)])
        case .inq: return oneOf(try several())
        case .nin: return .not(oneOf(try several()))
        case .like, .ilike: return try like(isFolded: test == .ilike)
        case .nlike, .nilike: return .not(try like(isFolded: test == .nilike))
        case .regexp: return .matches(try expression(json, path))
        case .exists: return try json.truth(path) ? .isNotNull : .isNull
        case .near: return .near(try nearness(json, path))
        }
    }

    // MARK: Values

    /// Both ends of a value for comparisons. They differ only for spans of time.
    struct ValueEnds {
        let first: CatalogueKey
        let last: CatalogueKey
    }

    /// - Throws: if the field can't hold the value. The fault has the value's offset.
    func ends(_ json: PositionedJSON, of field: NamedField, _ path: String) throws(CatalogueFault) -> ValueEnds {
        func one(_ key: CatalogueKey) -> ValueEnds { ValueEnds(first: key, last: key) }
        switch (field.kind?.valueType, json.content) {
        case (.text?, .text(let text)):
            if let known = field.picture?.known, !known.contains(text) {
                throw CatalogueFault(
                    "\(field.name) is never \(text.forPeople).", at: json.offset, path: path, stranger: text,
                    known: known)
            }
            return one(.text(TextFolding.composed(text)))
        case (.number?, .number(let digits)): return one(try number(digits, json.offset, path))
        case (.truth?, .truth(let isTrue)): return one(.integer(isTrue ? 1 : 0))
        case (.digest?, .text(let text)):
            let digits = text.unicodeScalars.compactMap { $0.isASCII ? Character($0).hexDigitValue : nil }
            // Others may have digests of other kinds.
            let isOne = digits.count == text.unicodeScalars.count && (field.picture == nil || digits.count == 64)
            guard isOne else {
                throw CatalogueFault(
                    "\(field.name) is a digest of 64 hexadecimal digits, and \(text.forPeople) is none.",
                    at: json.offset, path: path)
            }
            return one(
                .bytes(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }))
        case (.time?, .text(let text)): return try time(text, field, json.offset, path)
        default:
            throw CatalogueFault(
                "\(field.name) holds \(field.kind?.told ?? "another value"), and this is \(json.told).",
                at: json.offset, path: path)
        }
    }

    /// - Parameter text: as JSON has it.
    private func number(_ text: String, _ offset: Int, _ path: String) throws(CatalogueFault) -> CatalogueKey {
        if let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else {
            throw CatalogueFault("\(text.forPeople) is too large for a number.", at: offset, path: path)
        }
        return .real(real)
    }

    private func time(
        _ text: String, _ field: NamedField, _ offset: Int, _ path: String
    ) throws(CatalogueFault) -> ValueEnds {
        guard let date = DateText(text) else {
            throw CatalogueFault(
                "\(text.forPeople) is no time such as 2026, 2026-01, 2026-01-05 or 2026-01-05T18:30:07.", at: offset,
                path: path)
        }
        // Other sources interpret dates themselves.
        guard let picture = field.picture else { return ValueEnds(first: .null, last: .null) }
        let isWallClock = picture == .captured
        // JavaScript writes every date in UTC; that is taken as the date that is meant.
        if isWallClock, (date.offset ?? 0) != 0 {
            throw CatalogueFault(
                "\(field.name) is what the camera's clock showed: leave the offset away.", at: offset, path: path)
        }
        guard let span = clock.span(of: date, isWallClock: isWallClock) else {
            throw CatalogueFault("\(text.forPeople) is before 1678 or after 2261.", at: offset, path: path)
        }
        guard isWallClock else { return ValueEnds(first: .integer(span.lowerBound), last: .integer(span.upperBound)) }
        // Cameras record whole seconds. A second lies in a span if its beginning does.
        func second(_ nanoseconds: Int64, _ rule: FloatingPointRoundingRule) -> CatalogueKey {
            let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            return .integer(rule == .up ? whole + (rest > 0 ? 1 : 0) : whole - (rest < 0 ? 1 : 0))
        }
        return ValueEnds(first: second(span.lowerBound, .up), last: second(span.upperBound, .down))
    }

    // MARK: Patterns

    /// Reads the pattern of `like` and similar tests. Preparing it for the comparison can make it longer.
    private func pattern(
        _ text: String, isFolded: Bool, _ offset: Int, _ path: String
    ) throws(CatalogueFault) -> LikePattern {
        func isLong(_ text: String) -> Bool { text.unicodeScalars.count > CatalogueLimits.pattern }
        let pattern = isLong(text) ? nil : LikePattern(text, isFolded: isFolded)
        guard !isLong(text), !(pattern.map { isLong($0.text) } ?? false) else {
            throw CatalogueFault(
                "The pattern is longer than \(CatalogueLimits.pattern) characters.", at: offset, path: path)
        }
        guard let pattern else {
            throw CatalogueFault(
                "The pattern ends with a \\, which takes the meaning from nothing.", at: offset, path: path)
        }
        return pattern
    }

    /// `^a`, or `/^a/i`.
    private func expression(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> LinearExpression {
        guard offersExpressions else {
            throw CatalogueFault("regexp is not offered here: like and ilike are.", at: json.offset, path: path)
        }
        let text = try json.text(path)
        do throws(CatalogueFault) {
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
        } catch {
            throw CatalogueFault(error.sentence, at: json.offset, path: path)
        }
    }

    // MARK: Places

    private static let units: [String: Double] = [
        "meters": 1, "kilometers": 1000, "miles": 1609.344, "feet": 0.3048, "radians": CataloguePlace.radius,
        "degrees": CataloguePlace.radius * .pi / 180,
    ]

    /// `{"near": …, "maxDistance": 5, "minDistance": 1, "unit": "kilometers"}`
    private func nearness(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> Nearness {
        var (place, least, most, unit): (CataloguePlace?, Double, Double?, Double) = (nil, 0, nil, 1609.344)
        func distance(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> Double {
            guard let number = json.read(as: .number).double, number >= 0, number.isFinite else {
                throw CatalogueFault("Here a distance should stand.", at: json.offset, path: path)
            }
            return number
        }
        for member in try json.members(path) {
            let (value, path) = (member.value, "\(path).\(member.name)")
            switch member.name {
            case "near": place = try point(value, path)
            case "maxDistance": most = try distance(value, path)
            case "minDistance": least = try distance(value, path)
            case "unit":
                let name = try value.text(path)
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
            throw CatalogueFault("This distance is too large.", at: json.offset, path: path)
        }
        return nearness
    }

    /// `"53.5,10"`, `[53.5, 10]` or `{"lat": 53.5, "lng": 10}`.
    private func point(_ json: PositionedJSON, _ path: String) throws(CatalogueFault) -> CataloguePlace {
        var degrees: [Double?] = []
        switch json.content {
        case .text(let text), .written(let text):
            degrees = text.split(separator: ",", omittingEmptySubsequences: false).map(CataloguePlace.degrees)
        case .list(let values): degrees = values.map { $0.read(as: .number).double }
        case .object(let members):
            let named = members.reduce(into: [:]) { $0[$1.name] = $1.value }
            guard named.count == 2, let lat = named["lat"], let lng = named["lng"] else { break }
            degrees = [lat, lng].map { $0.read(as: .number).double }
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
}

extension CatalogueFault {
    static func longList(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("The list is longer than \(CatalogueLimits.list) values.", at: offset, path: path)
    }

    /// The same at a place, unless it has one.
    func located(_ offset: Int, _ path: String) -> CatalogueFault {
        var fault = self
        fault.offset = fault.offset ?? offset
        if fault.path.isEmpty { fault.path = path }
        return fault
    }
}
