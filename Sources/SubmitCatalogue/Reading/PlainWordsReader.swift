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
        guard text.utf8.count <= CatalogueLimits.text else {
            throw CatalogueFault("This is longer than \(CatalogueLimits.text) bytes.", at: CatalogueLimits.text)
        }
        var parser = PlainWordsParser(text, ValueReader(clock: clock))
        return try parser.whole()
    }
}

/// One reading of one text.
struct PlainWordsParser {
    var letters: PlainWordsLetters
    let values: ValueReader
    private var words: [(text: String, offset: Int)] = []
    private var terms = 0
    private var bound = 0

    init(_ text: String, _ values: ValueReader) {
        letters = PlainWordsLetters(text)
        self.values = values
    }

    mutating func whole() throws(CatalogueFault) -> PlainWordsReader.TypedQuestion {
        let filter = try question(depth: 0)
        guard letters.isAtEnd else { throw letters.fault("There is a ) without a (.") }
        do {
            try filter.check()
        } catch {
            throw error.located(0, "")
        }
        guard let first = words.first else { return PlainWordsReader.TypedQuestion(filter: filter, search: nil) }
        do {
            let text = words.map(\.text).joined(separator: " ")
            return PlainWordsReader.TypedQuestion(filter: filter, search: try SearchWords(text))
        } catch {
            throw CatalogueFault(error.sentence, at: first.offset)
        }
    }

    private mutating func question(depth: Int) throws(CatalogueFault) -> CatalogueFilter {
        guard depth <= CatalogueLimits.depth else { throw .tooDeep(at: letters.offset) }
        var groups = [try group(depth: depth)]
        while letters.skip(word: "or") {
            if let word = words.first { throw Self.misplaced(word.offset) }
            groups.append(try group(depth: depth + 1))
            if let word = words.first { throw Self.misplaced(word.offset) }
        }
        return groups.count == 1 ? groups[0] : .or(groups)
    }

    private static func misplaced(_ offset: Int) -> CatalogueFault {
        CatalogueFault(
            "Words that are looked for stand beside all conditions, not within or, not or brackets: say caption~word.",
            at: offset)
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
            return try made(try ValueReader.field(name, offset, ""), .exists(isThere), offset)
        }
        if let name = letters.nameBeforeOperator() {
            return try condition(try ValueReader.field(name, start, ""), start)
        }
        if let name = letters.timeField(), let field = CatalogueField(named: name) {
            return try made(field, try when(field), start)
        }
        if let sign = letters.strayOperator() {
            throw letters.fault("Before \(sign) there comes the name of a field.")
        }
        words.append((try letters.value().text, start))
        return nil
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

    private mutating func condition(_ field: CatalogueField, _ start: Int) throws(CatalogueFault) -> CatalogueFilter {
        let sign = letters.operatorSign()
        if field.holds == .place {
            guard sign == "=" else { throw CatalogueFault("A place is asked for as near=53.55,9.99,5km.", at: start) }
            return try made(field, .near(try letters.nearness()), start)
        }
        let test: CatalogueTest
        switch sign {
        case "=": test = try several(field, isNot: false)
        case "!=": test = try several(field, isNot: true)
        case ">": test = .above(try value(field))
        case ">=": test = .atLeast(try value(field))
        case "<": test = .below(try value(field))
        case "<=": test = .atMost(try value(field))
        case "~", "!~":
            let (text, offset) = try letters.value()
            guard text.unicodeScalars.count <= CatalogueLimits.pattern else {
                throw CatalogueFault("The pattern is longer than \(CatalogueLimits.pattern) characters.", at: offset)
            }
            let pattern = LikePattern(containing: text, isFolded: true)
            test = sign == "~" ? .like(pattern) : .unlike(pattern)
        default:
            let (text, offset) = try letters.value()
            let pattern = try values.pattern(text, isFolded: true, offset, "")
            test = sign == "=~" ? .like(pattern) : .unlike(pattern)
        }
        return try made(field, test, start)
    }

    private mutating func several(_ field: CatalogueField, isNot: Bool) throws(CatalogueFault) -> CatalogueTest {
        var read = [try value(field)]
        if letters.skip("..") {
            let last = try value(field)
            guard !isNot else { throw letters.fault("Not between is asked as not \(field.rawValue)=….") }
            return .between(read[0], last)
        }
        while letters.skip(",") {
            guard read.count < CatalogueLimits.list else { throw .longList(at: letters.offset) }
            read.append(try value(field))
        }
        if read.count == 1 { return isNot ? .differs(read[0]) : .equals(read[0]) }
        return isNot ? .noneOf(read) : .oneOf(read)
    }

    private mutating func value(_ field: CatalogueField) throws(CatalogueFault) -> CatalogueValue {
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

    private mutating func when(_ field: CatalogueField) throws(CatalogueFault) -> CatalogueTest {
        let today = values.clock.today
        if letters.skip(word: "today") { return try days(field, today, today.adding(1)) }
        if letters.skip(word: "yesterday") { return try days(field, today.adding(-1), today) }
        let monday = today.adding(1 - today.weekday)
        if letters.skip(word: "this") {
            if letters.skip(word: "week") { return try days(field, monday, monday.adding(7)) }
            if letters.skip(word: "month") { return try days(field, today.firstOfMonth, today.nextMonth) }
            if letters.skip(word: "year") { return try days(field, today.firstOfYear, today.nextYear) }
            throw letters.fault("After this there comes week, month or year.")
        }
        if letters.skip(word: "last") {
            if letters.skip(word: "week") { return try days(field, monday.adding(-7), monday) }
            if letters.skip(word: "month") { return try days(field, today.lastMonth, today.firstOfMonth) }
            if letters.skip(word: "year") { return try days(field, today.lastYear, today.firstOfYear) }
            return try days(field, try start(today), today.adding(1))
        }
        for (word, test) in Self.directions where letters.skip(word: word) { return test(try value(field)) }
        _ = letters.skip(word: "in") || letters.skip(word: "on")
        return try several(field, isNot: false)
    }

    private static let directions: [(String, @Sendable (CatalogueValue) -> CatalogueTest)] = [
        ("before", { .below($0) }), ("after", { .above($0) }), ("since", { .atLeast($0) }), ("until", { .atMost($0) }),
    ]

    /// Of `last 3 weeks`, what stands after `last`.
    private mutating func start(_ today: CalendarDate) throws(CatalogueFault) -> CalendarDate {
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
        _ field: CatalogueField, _ first: CalendarDate, _ end: CalendarDate
    ) throws(CatalogueFault) -> CatalogueTest {
        func midnight(_ date: CalendarDate) -> WrittenTime { WrittenTime(seconds: date.days * 86400, nanoseconds: 0) }
        guard let span = SpanOfTime(from: midnight(first), to: midnight(end), offset: nil, of: field, values.clock)
        else {
            throw letters.fault("This is before 1678 or after 2261.")
        }
        return .equals(.time(span))
    }
}
