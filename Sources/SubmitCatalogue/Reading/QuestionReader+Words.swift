extension QuestionReader {
    /// Reads a question as people type it: `tag=harbour captured>2026-01 place~"Hamburg" taken last week`.
    ///
    /// ```
    /// question   = group { "or" group }
    /// group      = part { ["and"] part }
    /// part       = "not" part | "(" question ")" | condition | word
    /// condition  = field "=" values | field "!=" values         one of some: tag=harbour,night; first and last: size=1MB..5MB
    ///            | field ("<" | "<=" | ">" | ">=") value
    ///            | field ("~" | "!~") value                     it has this text in it, case aside
    ///            | field ("=~" | "!=~") value                   like: % for any characters, _ for one, case aside
    ///            | "has" field | "no" field                     there is one, there is none
    ///            | "near" "=" latitude "," longitude ["," distance]       near=53.55,9.99,5km; m, km or mi
    ///            | ("taken" | "captured" | "uploaded" | "accepted") when
    /// when       = "today" | "yesterday" | ("this" | "last") ("week" | "month" | "year")
    ///            | "last" number ("days" | "weeks" | "months" | "years")  up to today
    ///            | ["in" | "on"] date | "before" date | "after" date | "since" date | "until" date
    /// date       = 2026 | 2026-01 | 2026-01-05 | 2026-01-05T18:30 | 2026-01-05T18:30:07
    /// value      = letters up to a blank, a comma, ".." or a bracket | '"' letters, with \" and \\ '"'
    /// word       = a value that is looked for in all that people say of pictures; not within "or", "not" or brackets
    /// ```
    /// A date is all the time that is called so: `captured>2026-01` is after that January, `captured>=2026-01` from its beginning.
    /// A week begins on Monday, and the last one is the one before this. Words such as `or` are meant as such unless they stand in
    /// quotation marks.
    ///
    /// Fields of other sources don't support `last week` and `5 MB`. If the kind of such a field is unknown, an unquoted number
    /// is read as a number, and unquoted `true` and `false` as truth values. Everything else is a text.
    ///
    /// - Throws: one sentence on what is no question, with its place in the text: correct that.
    public func question(words: String) throws(CatalogueFault) -> DatasourceQuestion {
        var grammar = try PlainWordsGrammar(words, WordConditions(reader: conditions))
        let filter = try grammar.whole()
        do {
            return try DatasourceQuestion(
                filter, search: grammar.words.isEmpty ? nil : grammar.words.map(\.text).joined(separator: " "))
        } catch {
            throw error.located(grammar.words.first?.offset ?? 0, "")
        }
    }
}

/// Reads the conditions of a typed question.
struct WordConditions {
    let reader: ConditionReader

    /// How a word is asked for if it cannot stand alone.
    var example: String { reader.fields.areOfPictures ? "caption~word" : "name~word" }

    /// Whether there is a field of this name, as far as that is known.
    func isField(_ name: String) -> Bool { reader.fields.kinds?[name] != nil }

    /// There is something in a field, or not.
    func exists(_ name: String, _ isThere: Bool, _ start: Int) throws(CatalogueFault) -> CatalogueFilter {
        try made(reader.fields.field(name, start, ""), .exists, PositionedJSON(content: .truth(isThere), offset: start))
    }

    private func made(
        _ field: NamedField, _ test: CatalogueTest, _ value: PositionedJSON, at start: Int? = nil
    ) throws(CatalogueFault) -> CatalogueFilter {
        try reader.condition(field, test, value, at: start ?? value.offset, "")
    }

    /// An operator and a value that stand after the name of a field.
    func condition(
        _ name: String, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueFilter {
        let field = try reader.fields.field(name, start, "")
        let sign = letters.operatorSign()
        if field.kind == .place {
            guard sign == "=" else { throw CatalogueFault("A place is asked for as near=53.55,9.99,5km.", at: start) }
            return try made(field, .near, try letters.nearness().record.positioned, at: start)
        }
        let tests: [String: CatalogueTest] = [
            ">": .gt, ">=": .gte, "<": .lt, "<=": .lte, "~": .ilike, "=~": .ilike, "!~": .nilike, "!=~": .nilike,
        ]
        guard let test = tests[sign] else { return try several(field, isNot: sign == "!=", start, &letters) }
        guard sign.contains("~") else { return try made(field, test, try value(field, &letters), at: start) }
        let (text, offset) = try letters.value()
        // Only for our own catalogue is it known which characters have a meaning in a pattern.
        let contained =
            reader.fields.areOfPictures
            ? LikePattern(containing: text, isFolded: true).text : ContainedText.pattern(text)
        let pattern = sign.contains("=") ? text : contained
        return try made(field, test, PositionedJSON(content: .text(pattern), offset: offset), at: start)
    }

    private func several(
        _ field: NamedField, isNot: Bool, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueFilter {
        var read = [try value(field, &letters)]
        if letters.skip("..") || field.kind == .time && letters.skip(word: "to") {
            read.append(try value(field, &letters))
            guard !isNot else { throw letters.fault("Not between is asked as not \(field.name)=….") }
            return try made(field, .between, PositionedJSON(content: .list(read), offset: start))
        }
        while letters.skip(",") {
            guard read.count < CatalogueLimits.list else { throw .longList(at: letters.offset) }
            read.append(try value(field, &letters))
        }
        if read.count == 1 { return try made(field, isNot ? .neq : .eq, read[0], at: start) }
        return try made(field, isNot ? .nin : .inq, PositionedJSON(content: .list(read), offset: start))
    }

    private func value(
        _ field: NamedField, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> PositionedJSON {
        let isQuoted = letters.isAt("\"")
        let (text, offset) = try letters.value()
        if field.picture == .size, let (number, unit) = Self.sized(text) {
            guard let size = Double(number), (size * unit).magnitude < 0x1p62 else {
                throw CatalogueFault("\(text.forPeople) is too large for a number.", at: offset)
            }
            return PositionedJSON(content: .number(String(Int64((size * unit).rounded()))), offset: offset)
        }
        return PositionedJSON(content: isQuoted && field.kind == nil ? .text(text) : .written(text), offset: offset)
    }

    private static let sizes: [(String, Double)] = [
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9),
        ("k", 1e3), ("K", 1e3), ("M", 1e6), ("G", 1e9), ("B", 1),
    ]

    private static func sized(_ text: String) -> (Substring, Double)? {
        for (unit, size) in sizes where text.hasSuffix(unit) {
            let digits = text.dropLast(unit.count)
            let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { "0123456789.".utf8.contains($0) }
            return isNumber ? (digits, size) : nil
        }
        return nil
    }

    // MARK: When

    /// Reads `taken last week`; `nil` if no such words follow. Only questions about pictures can have them.
    func time(_ start: Int, _ letters: inout PlainWordsLetters) throws(CatalogueFault) -> CatalogueFilter? {
        guard reader.fields.areOfPictures, let name = letters.timeField() else { return nil }
        let field = try reader.fields.field(name, start, "")
        func json(_ date: String) -> PositionedJSON { PositionedJSON(content: .text(date), offset: start) }
        if let days = try named(&letters) {
            if days.first == days.last { return try made(field, .eq, json(days.first)) }
            let both = PositionedJSON.JSONForm.list([json(days.first), json(days.last)])
            return try made(field, .between, PositionedJSON(content: both, offset: start))
        }
        let directions: [(String, CatalogueTest)] = [("before", .lt), ("after", .gt), ("since", .gte), ("until", .lte)]
        for (word, test) in directions where letters.skip(word: word) {
            guard let days = try named(&letters) else {
                return try made(field, test, try value(field, &letters), at: start)
            }
            return try made(field, test, json([.lt, .gte].contains(test) ? days.first : days.last))
        }
        _ = letters.skip(word: "in") || letters.skip(word: "on")
        return try several(field, isNot: false, start, &letters)
    }

    /// Reads days with a name, such as `last week`, as dates; `nil` if no name follows.
    private func named(
        _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> (first: String, last: String)? {
        let today = reader.values.clock.today
        func days(_ first: CalendarDate, _ last: CalendarDate) -> (String, String) { (first.text, last.text) }
        func called(_ text: some StringProtocol) -> (String, String) { (String(text), String(text)) }
        if letters.skip(word: "today") { return days(today, today) }
        if letters.skip(word: "yesterday") { return days(today.adding(-1), today.adding(-1)) }
        let monday = today.adding(1 - today.weekday)
        if letters.skip(word: "this") {
            if letters.skip(word: "week") { return days(monday, monday.adding(6)) }
            if letters.skip(word: "month") { return called(today.text.prefix(7)) }
            if letters.skip(word: "year") { return called(today.text.prefix(4)) }
            throw letters.fault("After this there comes week, month or year.")
        }
        guard letters.skip(word: "last") else { return nil }
        if letters.skip(word: "week") { return days(monday.adding(-7), monday.adding(-1)) }
        if letters.skip(word: "month") { return called(today.lastMonth.text.prefix(7)) }
        if letters.skip(word: "year") { return called(today.lastYear.text.prefix(4)) }
        return days(try start(today, &letters), today)
    }

    /// Of `last 3 weeks`, what stands after `last`.
    private func start(
        _ today: CalendarDate, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CalendarDate {
        let fault = letters.fault(
            "After last there comes week, month, year or a number of days, weeks, months or years.")
        guard let count = Int(letters.name()), (1...5000).contains(count) else { throw fault }
        func skip(_ unit: String) -> Bool { letters.skip(word: unit + "s") || letters.skip(word: unit) }
        if skip("day") { return today.adding(1 - count) }
        if skip("week") { return today.adding(1 - 7 * count) }
        let isYears = skip("year")
        guard isYears || skip("month") else { throw fault }
        let months = today.year * 12 + today.month - 1 - count * (isYears ? 12 : 1)
        guard months >= 12 else { throw fault }
        // Of a shorter month the last day.
        for day in stride(from: today.day, through: 1, by: -1) {
            if let date = CalendarDate(year: months / 12, month: months % 12 + 1, day: day) { return date.adding(1) }
        }
        throw fault
    }
}
