/// One reading of one text in the grammar of ``QuestionReader/question(words:)``: how conditions and words stand together.
struct PlainWordsGrammar {
    private var letters: PlainWordsLetters
    private let conditions: WordConditions
    /// Those that are looked for in all that is said.
    private(set) var words: [(text: String, offset: Int)] = []

    init(_ text: String, _ conditions: WordConditions) throws(CatalogueFault) {
        guard text.utf8.count <= CatalogueLimits.text else {
            throw CatalogueFault("This is longer than \(CatalogueLimits.text) bytes.", at: CatalogueLimits.text)
        }
        letters = PlainWordsLetters(text)
        self.conditions = conditions
    }

    mutating func whole() throws(CatalogueFault) -> CatalogueFilter {
        let filter = try question(depth: 0)
        guard letters.isAtEnd else { throw letters.fault("There is a ) without a (.") }
        return filter
    }

    private mutating func question(depth: Int) throws(CatalogueFault) -> CatalogueFilter {
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: letters.offset) }
        var groups = [try group(depth: depth)]
        while letters.skip(word: "or") {
            if let word = words.first { throw misplaced(word.offset) }
            groups.append(try group(depth: depth + 1))
            if let word = words.first { throw misplaced(word.offset) }
        }
        return groups.count == 1 ? groups[0] : .or(groups)
    }

    private func misplaced(_ offset: Int) -> CatalogueFault {
        CatalogueFault(
            "Words that are looked for stand beside all conditions, not within or, not or brackets: say "
                + "\(conditions.example).", at: offset)
    }

    private mutating func group(depth: Int) throws(CatalogueFault) -> CatalogueFilter {
        var parts: [CatalogueFilter] = []
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
    private mutating func part(depth: Int) throws(CatalogueFault) -> CatalogueFilter? {
        let start = letters.offset
        if letters.skip(word: "not") {
            guard depth < CatalogueLimits.depth else { throw .tooDeep(at: start) }
            guard !letters.isAtEnd, let part = try part(depth: depth + 1) else {
                throw words.first.map { misplaced($0.offset) } ?? letters.fault("After not there comes a condition.")
            }
            return .nor([part])
        }
        if letters.skip("(") {
            let known = words.count
            let inner = try question(depth: depth + 1)
            if words.count > known { throw misplaced(words[known].offset) }
            guard letters.skip(")") else { throw letters.fault("There is a ( without a ).") }
            return inner
        }
        if let isThere = letters.skip(word: "has") ? true : letters.skip(word: "no") ? false : nil {
            let offset = letters.offset
            let name = letters.name()
            guard !name.isEmpty else {
                throw letters.fault("After \(isThere ? "has" : "no") there comes the name of a field.")
            }
            return try conditions.exists(name, isThere, offset)
        }
        if let name = letters.nameBeforeOperator() { return try conditions.condition(name, start, &letters) }
        if let time = try conditions.time(start, &letters) { return time }
        if let sign = letters.strayOperator() {
            throw letters.fault("Before \(sign) there comes the name of a field.")
        }
        words.append((try word(start), start))
        return nil
    }

    /// What others write for a condition is none of the words that are looked for: it would be found nowhere, and nobody told why.
    private mutating func word(_ start: Int) throws(CatalogueFault) -> String {
        let isQuoted = letters.isAt("\"")
        let text = try letters.value().text
        if isQuoted { return text }
        if text.hasPrefix("!"), text.dropFirst().contains(where: "=~<>".contains) {
            throw CatalogueFault("To exclude pictures, write not name=….", at: start)
        }
        if text.hasPrefix("#"), conditions.isField("tag") {
            throw CatalogueFault("To search for a tag, write tag=….", at: start)
        }
        let name = text.prefix { $0 != ":" }
        if name.count < text.count, conditions.isField(String(name)) {
            throw CatalogueFault("To search a field, use = and not a colon: \(name)=….", at: start)
        }
        return text
    }
}
