extension DatasourceReader {
    /// A question as people type it: `price<10 name~tea (tag=green or tag=white) not shop=old`, in the grammar of
    /// ``PlainWordsReader``, but for `last week` and `5 MB`, which fields of others do not say.
    ///
    /// Of a field of which nobody said what it holds, a value that is written as a number is one, `true` and `false` are such, and
    /// all else, and what stands in quotation marks, is a text.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(words: String) throws(CatalogueFault) -> DatasourceQuestion {
        guard words.utf8.count <= CatalogueLimits.text else {
            throw CatalogueFault("This is longer than \(CatalogueLimits.text) bytes.", at: CatalogueLimits.text)
        }
        var parser = DatasourceWordsParser(words, fields)
        return try parser.whole()
    }
}

/// One reading of one text.
private struct DatasourceWordsParser {
    private var letters: PlainWordsLetters
    private let fields: DatasourceFields
    private var words: [(text: String, offset: Int)] = []

    init(_ text: String, _ fields: DatasourceFields) {
        letters = PlainWordsLetters(text)
        self.fields = fields
    }

    mutating func whole() throws(CatalogueFault) -> DatasourceQuestion {
        let filter = try question(depth: 0)
        guard letters.isAtEnd else { throw letters.fault("There is a ) without a (.") }
        do {
            return try DatasourceQuestion(
                filter, search: words.isEmpty ? nil : words.map(\.text).joined(separator: " "))
        } catch {
            throw error.located(words.first?.offset ?? 0, "")
        }
    }

    private mutating func question(depth: Int) throws(CatalogueFault) -> DatasourceFilter {
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: letters.offset) }
        var groups = [try group(depth: depth)]
        while letters.skip(word: "or") {
            groups.append(try group(depth: depth + 1))
            if let word = words.first { throw Self.misplaced(word.offset) }
        }
        return groups.count == 1 ? groups[0] : .or(groups)
    }

    private static func misplaced(_ offset: Int) -> CatalogueFault {
        CatalogueFault(
            "Words that are looked for stand beside all conditions, not within or, not or brackets: say name~word.",
            at: offset)
    }

    private mutating func group(depth: Int) throws(CatalogueFault) -> DatasourceFilter {
        var parts: [DatasourceFilter] = []
        var isEmpty = true
        while !letters.isAtEnd, !letters.isAt(")"), !letters.isAt(word: "or") {
            isEmpty = false
            if letters.skip(word: "and"), letters.isAtEnd || letters.isAt(")") || letters.isAt(word: "or") {
                throw letters.fault("After and there comes a condition.")
            }
            if let part = try part(depth: depth) { parts.append(part) }
        }
        guard !isEmpty || depth == 0 && letters.isAtEnd else { throw letters.fault("Here a condition is missing.") }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// `nil`: a word that is looked for.
    private mutating func part(depth: Int) throws(CatalogueFault) -> DatasourceFilter? {
        let start = letters.offset
        if letters.skip(word: "not") {
            guard depth < CatalogueLimits.depth else { throw .tooDeep(at: start) }
            guard !letters.isAtEnd, let part = try part(depth: depth + 1) else {
                throw words.first.map { Self.misplaced($0.offset) }
                    ?? letters.fault("After not there comes a condition.")
            }
            return .nor([part])
        }
        if letters.skip("(") {
            let known = words.count
            let inner = try question(depth: depth + 1)
            if words.count > known { throw Self.misplaced(words[known].offset) }
            guard letters.skip(")") else { throw letters.fault("There is a ( without a ).") }
            return inner
        }
        if let isThere = letters.skip(word: "has") ? true : letters.skip(word: "no") ? false : nil {
            let offset = letters.offset
            let name = letters.name()
            guard !name.isEmpty else {
                throw letters.fault("After \(isThere ? "has" : "no") there comes the name of a field.")
            }
            return .condition(try fields.condition(name, .exists, .truth(isThere), offset, ""))
        }
        if let name = letters.nameBeforeOperator() { return .condition(try condition(name, start)) }
        if let sign = letters.strayOperator() {
            throw letters.fault("Before \(sign) there comes the name of a field.")
        }
        words.append((try letters.value().text, start))
        return nil
    }

    private mutating func condition(_ name: String, _ start: Int) throws(CatalogueFault) -> DatasourceCondition {
        let kind = try fields.kind(of: name, start, "")
        let sign = letters.operatorSign()
        func made(_ test: DatasourceTest, _ value: RecordValue) throws(CatalogueFault) -> DatasourceCondition {
            try fields.condition(name, test, value, start, "")
        }
        if kind == .place {
            guard sign == "=" else { throw CatalogueFault("A place is asked for as near=53.55,9.99,5km.", at: start) }
            return try made(.near, try letters.nearness().record)
        }
        switch sign {
        case "=", "!=":
            var values = [try value(kind)]
            if letters.skip("..") {
                guard sign == "=" else { throw letters.fault("Not between is asked as not \(name)=….") }
                return try made(.between, .list([values[0], try value(kind)]))
            }
            while letters.skip(",") {
                guard values.count < CatalogueLimits.list else { throw .longList(at: letters.offset) }
                values.append(try value(kind))
            }
            let isOne = values.count == 1
            return try made(
                sign == "=" ? (isOne ? .eq : .inq) : (isOne ? .neq : .nin), isOne ? values[0] : .list(values))
        case ">": return try made(.gt, try value(kind))
        case ">=": return try made(.gte, try value(kind))
        case "<": return try made(.lt, try value(kind))
        case "<=": return try made(.lte, try value(kind))
        case "~": return try made(.ilike, .text(ContainedText.pattern(try letters.value().text)))
        case "!~": return try made(.nilike, .text(ContainedText.pattern(try letters.value().text)))
        default: return try made(sign == "=~" ? .ilike : .nilike, .text(try letters.value().text))
        }
    }

    private mutating func value(_ kind: CatalogueFieldType?) throws(CatalogueFault) -> RecordValue {
        let isQuoted = letters.isAt("\"")
        let (text, _) = try letters.value()
        guard !isQuoted else { return .text(text) }
        let isTruth: Bool? = ["true": true, "false": false, "yes": true, "no": false][text]
        switch kind {
        case .number, nil:
            // As JSON writes it: what only looks like one, such as 007, is a text.
            if let json = try? PositionedJSON.read(text), case .number(let digits) = json.content {
                return .number(digits)
            }
            if kind == nil, let isTruth, text.count > 3 { return .truth(isTruth) }
            return .text(text)
        case .truth: return isTruth.map(RecordValue.truth) ?? .text(text)
        case .text, .texts, .digest, .time, .place: return .text(text)
        }
    }
}
