extension DatasourceReader {
    /// A question as people type it: `price<10 name~tea (tag=green or tag=white) not shop=old`, in the grammar of
    /// ``PlainWordsReader``, but for `last week` and `5 MB`, which fields of others do not say.
    ///
    /// Of a field of which nobody said what it holds, a value that is written as a number is one, `true` and `false` are such, and
    /// all else, and what stands in quotation marks, is a text.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(words: String) throws(CatalogueFault) -> DatasourceQuestion {
        var grammar = try PlainWordsGrammar(words, DatasourceWords(fields: fields))
        let filter = try grammar.whole()
        do {
            return try DatasourceQuestion(
                filter, search: grammar.words.isEmpty ? nil : grammar.words.map(\.text).joined(separator: " "))
        } catch {
            throw error.located(grammar.words.first?.offset ?? 0, "")
        }
    }
}

private struct DatasourceWords: WordConditions {
    let fields: DatasourceFields

    static func and(_ filters: [DatasourceFilter]) -> DatasourceFilter { .and(filters) }
    static func or(_ filters: [DatasourceFilter]) -> DatasourceFilter { .or(filters) }
    static func nor(_ filters: [DatasourceFilter]) -> DatasourceFilter { .nor(filters) }
    static var example: String { "name~word" }

    func isField(_ name: String) -> Bool { fields.kinds?[name] != nil }

    func exists(_ name: String, _ isThere: Bool, _ start: Int) throws(CatalogueFault) -> DatasourceFilter {
        .condition(try fields.condition(name, .exists, .truth(isThere), start, ""))
    }

    /// Which fields of others tell times is not known.
    func time(_ start: Int, _ letters: inout PlainWordsLetters) throws(CatalogueFault) -> DatasourceFilter? { nil }

    func condition(
        _ name: String, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> DatasourceFilter {
        .condition(try test(name, start, &letters))
    }

    private func test(
        _ name: String, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> DatasourceCondition {
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
            var values = [try value(kind, &letters)]
            if letters.skip("..") {
                guard sign == "=" else { throw letters.fault("Not between is asked as not \(name)=….") }
                return try made(.between, .list([values[0], try value(kind, &letters)]))
            }
            while letters.skip(",") {
                guard values.count < CatalogueLimits.list else { throw .longList(at: letters.offset) }
                values.append(try value(kind, &letters))
            }
            let isOne = values.count == 1
            return try made(
                sign == "=" ? (isOne ? .eq : .inq) : (isOne ? .neq : .nin), isOne ? values[0] : .list(values))
        case ">": return try made(.gt, try value(kind, &letters))
        case ">=": return try made(.gte, try value(kind, &letters))
        case "<": return try made(.lt, try value(kind, &letters))
        case "<=": return try made(.lte, try value(kind, &letters))
        case "~": return try made(.ilike, .text(ContainedText.pattern(try letters.value().text)))
        case "!~": return try made(.nilike, .text(ContainedText.pattern(try letters.value().text)))
        default: return try made(sign == "=~" ? .ilike : .nilike, .text(try letters.value().text))
        }
    }

    private func value(
        _ kind: CatalogueFieldType?, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> RecordValue {
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
        case .text, .texts, .digest, .time, .place, .objects: return .text(text)
        }
    }
}
