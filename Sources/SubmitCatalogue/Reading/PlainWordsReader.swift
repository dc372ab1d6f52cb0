/// Reads questions as people type them: `tag=harbour captured>2026-01 place~"Hamburg" taken last week`.
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
/// quotation marks. The fields are those of ``CatalogueField``.
public struct PlainWordsReader: Sendable {
    /// What was asked for.
    public struct TypedQuestion: Sendable, Hashable {
        /// The conditions.
        public var filter: CatalogueFilter
        /// The words.
        public var search: SearchWords?
    }

    private let clock: AskersClock

    /// - Parameter clock: by which days begin and end.
    public init(clock: AskersClock = .own) { self.clock = clock }

    /// - Throws: where it is no question, with its place.
    public func question(_ text: String) throws(CatalogueFault) -> TypedQuestion {
        var grammar = try PlainWordsGrammar(text, PictureWords(values: ValueReader(clock: clock)))
        let filter = try grammar.whole()
        do {
            try filter.check()
        } catch {
            throw error.located(0, "")
        }
        guard let first = grammar.words.first else { return TypedQuestion(filter: filter, search: nil) }
        do {
            let words = grammar.words.map(\.text).joined(separator: " ")
            return TypedQuestion(filter: filter, search: try SearchWords(words))
        } catch {
            throw CatalogueFault(error.sentence, at: first.offset)
        }
    }
}

/// Conditions of pictures.
private struct PictureWords: WordConditions {
    let values: ValueReader
    private var terms = 0
    private var bound = 0

    init(values: ValueReader) { self.values = values }

    static func and(_ filters: [CatalogueFilter]) -> CatalogueFilter { .and(filters) }
    static func or(_ filters: [CatalogueFilter]) -> CatalogueFilter { .or(filters) }
    static func nor(_ filters: [CatalogueFilter]) -> CatalogueFilter { .nor(filters) }
    static var example: String { "caption~word" }

    func isField(_ name: String) -> Bool { CatalogueField(named: name) != nil }

    mutating func exists(_ name: String, _ isThere: Bool, _ start: Int) throws(CatalogueFault) -> CatalogueFilter {
        try made(try ValueReader.field(name, start, ""), .exists(isThere), start)
    }

    mutating func condition(
        _ name: String, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueFilter {
        try condition(try ValueReader.field(name, start, ""), start, &letters)
    }

    mutating func time(_ start: Int, _ letters: inout PlainWordsLetters) throws(CatalogueFault) -> CatalogueFilter? {
        guard let name = letters.timeField(), let field = CatalogueField(named: name) else { return nil }
        return try made(field, try when(field, &letters), start)
    }

    private mutating func made(
        _ field: CatalogueField, _ test: CatalogueTest, _ offset: Int
    ) throws(CatalogueFault) -> CatalogueFilter {
        terms += 1
        bound += test.valueCount
        guard terms <= CatalogueLimits.terms else { throw .tooManyTerms(at: offset) }
        guard bound <= CatalogueLimits.values else { throw .tooManyValues(at: offset) }
        do {
            return .condition(try CatalogueCondition(field, test))
        } catch {
            throw error.located(offset, "")
        }
    }

    // MARK: Conditions

    private mutating func condition(
        _ field: CatalogueField, _ start: Int, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueFilter {
        let sign = letters.operatorSign()
        if field.holds == .place {
            guard sign == "=" else { throw CatalogueFault("A place is asked for as near=53.55,9.99,5km.", at: start) }
            return try made(field, .near(try letters.nearness()), start)
        }
        let test: CatalogueTest
        switch sign {
        case "=": test = try several(field, isNot: false, &letters)
        case "!=": test = try several(field, isNot: true, &letters)
        case ">": test = .above(try value(field, &letters))
        case ">=": test = .atLeast(try value(field, &letters))
        case "<": test = .below(try value(field, &letters))
        case "<=": test = .atMost(try value(field, &letters))
        case "~", "!~":
            let (text, offset) = try letters.value()
            let pattern = try values.limited(LikePattern(containing: text, isFolded: true), offset, "")
            test = sign == "~" ? .like(pattern) : .unlike(pattern)
        default:
            let (text, offset) = try letters.value()
            let pattern = try values.pattern(text, isFolded: true, offset, "")
            test = sign == "=~" ? .like(pattern) : .unlike(pattern)
        }
        return try made(field, test, start)
    }

    private func several(
        _ field: CatalogueField, isNot: Bool, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueTest {
        var read = [try value(field, &letters)]
        if letters.skip("..") || field.holds == .time && letters.skip(word: "to") {
            let last = try value(field, &letters)
            guard !isNot else { throw letters.fault("Not between is asked as not \(field.rawValue)=….") }
            return .between(read[0], last)
        }
        while letters.skip(",") {
            guard read.count < CatalogueLimits.list else { throw .longList(at: letters.offset) }
            read.append(try value(field, &letters))
        }
        if read.count == 1 { return isNot ? .differs(read[0]) : .equals(read[0]) }
        return isNot ? .noneOf(read) : .oneOf(read)
    }

    private func value(
        _ field: CatalogueField, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueValue {
        let (text, offset) = try letters.value()
        if field == .size, let (number, unit) = Self.sized(text) {
            guard let size = Double(number), (size * unit).magnitude < 0x1p62 else {
                throw CatalogueFault("\(text.forPeople) is too large for a number.", at: offset)
            }
            return .integer(Int64((size * unit).rounded()))
        }
        if field.holds == .truth, let isTrue = ["yes": true, "no": false, "true": true, "false": false][text] {
            return .truth(isTrue)
        }
        return try values.value(PositionedJSON(content: .written(text), offset: offset), of: field, "")
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

    private func when(
        _ field: CatalogueField, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> CatalogueTest {
        if let span = try named(field, &letters) { return .equals(.time(span)) }
        for (word, test) in Self.directions where letters.skip(word: word) {
            if let span = try named(field, &letters) { return test(.time(span)) }
            return test(try value(field, &letters))
        }
        _ = letters.skip(word: "in") || letters.skip(word: "on")
        return try several(field, isNot: false, &letters)
    }

    /// Days that are called otherwise than by a date; `nil`: it is a date.
    private func named(
        _ field: CatalogueField, _ letters: inout PlainWordsLetters
    ) throws(CatalogueFault) -> SpanOfTime? {
        let today = values.clock.today
        if letters.skip(word: "today") { return try days(field, today, today.adding(1), letters) }
        if letters.skip(word: "yesterday") { return try days(field, today.adding(-1), today, letters) }
        let monday = today.adding(1 - today.weekday)
        if letters.skip(word: "this") {
            if letters.skip(word: "week") { return try days(field, monday, monday.adding(7), letters) }
            if letters.skip(word: "month") { return try days(field, today.firstOfMonth, today.nextMonth, letters) }
            if letters.skip(word: "year") { return try days(field, today.firstOfYear, today.nextYear, letters) }
            throw letters.fault("After this there comes week, month or year.")
        }
        guard letters.skip(word: "last") else { return nil }
        if letters.skip(word: "week") { return try days(field, monday.adding(-7), monday, letters) }
        if letters.skip(word: "month") { return try days(field, today.lastMonth, today.firstOfMonth, letters) }
        if letters.skip(word: "year") { return try days(field, today.lastYear, today.firstOfYear, letters) }
        return try days(field, try start(today, &letters), today.adding(1), letters)
    }

    private static let directions: [(String, @Sendable (CatalogueValue) -> CatalogueTest)] = [
        ("before", { .below($0) }), ("after", { .above($0) }), ("since", { .atLeast($0) }), ("until", { .atMost($0) }),
    ]

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

    private func days(
        _ field: CatalogueField, _ first: CalendarDate, _ end: CalendarDate, _ letters: PlainWordsLetters
    ) throws(CatalogueFault) -> SpanOfTime {
        func midnight(_ date: CalendarDate) -> WrittenTime { WrittenTime(seconds: date.days * 86400, nanoseconds: 0) }
        guard let span = SpanOfTime(from: midnight(first), to: midnight(end), offset: nil, of: field, values.clock)
        else {
            throw letters.fault("This is before 1678 or after 2261.")
        }
        return span
    }
}
