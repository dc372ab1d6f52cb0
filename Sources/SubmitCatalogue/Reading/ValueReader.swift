/// Reads what fields are compared with.
struct ValueReader: Sendable {
    var clock: AskersClock

    /// - Throws: where it is no value of this field, with its place.
    func value(_ json: PositionedJSON, of field: CatalogueField, _ path: String) throws(CatalogueFault)
        -> CatalogueValue
    {
        func wrong() -> CatalogueFault {
            CatalogueFault(
                "\(field.rawValue) holds \(field.holds.told), and this is \(json.told).", at: json.offset, path: path)
        }
        switch (field.holds.valueType, json.content) {
        case (.text, .text(let text)), (.text, .written(let text)):
            if let known = field.known, !known.contains(text) {
                throw CatalogueFault(
                    "\(field.rawValue) is never \(text.forPeople).", at: json.offset, path: path, stranger: text,
                    known: known)
            }
            return .text(text)
        case (.number, .number(let text)): return try number(text, json.offset, path)
        case (.number, .written(let text)):
            guard let read = try? PositionedJSON.read(text), case .number(let digits) = read.content else {
                throw wrong()
            }
            return try number(digits, json.offset, path)
        case (.truth, .truth(let isTrue)): return .truth(isTrue)
        case (.truth, .written(let text)) where ["true", "false"].contains(text): return .truth(text == "true")
        case (.digest, .text(let text)), (.digest, .written(let text)):
            guard let bytes = Self.digest(text) else {
                throw CatalogueFault(
                    "\(field.rawValue) is a digest of 64 hexadecimal digits, and \(text.forPeople) is none.",
                    at: json.offset, path: path)
            }
            return .digest(bytes)
        case (.time, .text(let text)), (.time, .written(let text)):
            return .time(try span(text, field, json.offset, path))
        default: throw wrong()
        }
    }

    /// - Parameter text: as JSON has it.
    func number(_ text: String, _ offset: Int, _ path: String) throws(CatalogueFault) -> CatalogueValue {
        if let integer = Int64(text) { return .integer(integer) }
        guard let real = Double(text), real.isFinite else {
            throw CatalogueFault("\(text.forPeople) is too large for a number.", at: offset, path: path)
        }
        return .real(real)
    }

    func span(
        _ text: String, _ field: CatalogueField, _ offset: Int, _ path: String
    ) throws(CatalogueFault) -> SpanOfTime {
        guard let date = DateText(text) else {
            throw CatalogueFault(
                "\(text.forPeople) is no time such as 2026, 2026-01, 2026-01-05 or 2026-01-05T18:30:07.", at: offset,
                path: path)
        }
        // JavaScript writes every date in UTC; that is taken as the date that is meant.
        if field == .captured, (date.offset ?? 0) != 0 {
            throw CatalogueFault(
                "\(field.rawValue) is what the camera's clock showed: leave the offset away.", at: offset, path: path)
        }
        guard let span = SpanOfTime(from: date.first, to: date.end, offset: date.offset, of: field, clock) else {
            throw CatalogueFault("\(text.forPeople) is before 1678 or after 2261.", at: offset, path: path)
        }
        return span
    }

    private static func digest(_ text: String) -> [UInt8]? {
        let digits = text.unicodeScalars.compactMap { $0.isASCII ? Character($0).hexDigitValue : nil }
        guard digits.count == 64, text.unicodeScalars.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// What `like` and others look for.
    func pattern(_ text: String, isFolded: Bool, _ offset: Int, _ path: String) throws(CatalogueFault) -> LikePattern {
        guard text.unicodeScalars.count <= CatalogueLimits.pattern else { throw Self.longPattern(offset, path) }
        guard let pattern = LikePattern(text, isFolded: isFolded) else {
            throw CatalogueFault(
                "The pattern ends with a \\, which takes the meaning from nothing.", at: offset, path: path)
        }
        return try limited(pattern, offset, path)
    }

    /// As it is compared and written down it may be longer than it was typed.
    func limited(_ pattern: LikePattern, _ offset: Int, _ path: String) throws(CatalogueFault) -> LikePattern {
        guard pattern.text.unicodeScalars.count <= CatalogueLimits.pattern else {
            throw Self.longPattern(offset, path)
        }
        return pattern
    }

    private static func longPattern(_ offset: Int, _ path: String) -> CatalogueFault {
        CatalogueFault("The pattern is longer than \(CatalogueLimits.pattern) characters.", at: offset, path: path)
    }

    /// Which field is meant.
    static func field(_ name: String, _ offset: Int, _ path: String) throws(CatalogueFault) -> CatalogueField {
        guard let field = CatalogueField(named: name) else {
            throw CatalogueFault(
                "There is no field \(name.forPeople).", at: offset, path: path, stranger: name,
                known: CatalogueField.names)
        }
        return field
    }
}

extension CatalogueFault {
    /// The same at a place, unless it has one.
    func located(_ offset: Int, _ path: String) -> CatalogueFault {
        var fault = self
        fault.offset = fault.offset ?? offset
        if fault.path.isEmpty { fault.path = path }
        return fault
    }
}
