internal import Submit

extension CatalogueFilter {
    /// The same by the fields' names, as ``LoopBackReader`` reads it: what is written down or sent to another catalogue.
    ///
    /// Spans of time become bounds at their ends, as others know instants only. Of a pattern its comparable form is written.
    ///
    /// - Throws: where a pattern is longer than ``CatalogueLimits`` allow: ask for a shorter one.
    public func datasourceFilter() throws(CatalogueFault) -> DatasourceFilter {
        self == .everything ? .everything : try written()
    }

    private func written() throws(CatalogueFault) -> DatasourceFilter {
        func parts(_ filters: [CatalogueFilter]) throws(CatalogueFault) -> [DatasourceFilter] {
            var parts: [DatasourceFilter] = []
            for filter in filters { parts.append(try filter.written()) }
            return parts
        }
        switch self {
        case .and(let filters):
            return filters.isEmpty ? try Self.constant(true) : .and(try parts(filters))
        case .or(let filters):
            return filters.isEmpty ? try Self.constant(false) : .or(try parts(filters))
        case .nor(let filters):
            return filters.isEmpty ? try Self.constant(true) : .nor(try parts(filters))
        case .condition(let condition): return try condition.written()
        }
    }

    /// Every picture, or none: an empty list within another is not read.
    private static func constant(_ isTrue: Bool) throws(CatalogueFault) -> DatasourceFilter {
        .condition(try DatasourceCondition(CatalogueField.id.rawValue, isTrue ? .nin : .inq, .list([])))
    }
}

extension CatalogueCondition {
    fileprivate func written() throws(CatalogueFault) -> DatasourceFilter {
        switch test {
        case .equals(nil): return try one(.eq, .null)
        case .differs(nil): return try one(.neq, .null)
        case .equals(.time(let span)?): return try lies(in: span)
        case .differs(.time(let span)?): return .nor([try lies(in: span)])
        case .above(.time(let span)): return try one(.gte, instant(after: span))
        case .atLeast(.time(let span)): return try one(.gte, instant(span))
        case .below(.time(let span)): return try one(.lt, instant(span))
        case .atMost(.time(let span)): return try one(.lt, instant(after: span))
        case .between(.time(let first), .time(let last)):
            return .and([try one(.gte, instant(first)), try one(.lt, instant(after: last))])
        case .oneOf(let values) where field.holds == .time:
            return values.isEmpty ? try one(.inq, .list([])) : .or(try spans(values))
        case .noneOf(let values) where field.holds == .time:
            return values.isEmpty ? try one(.nin, .list([])) : .nor(try spans(values))
        case .equals(let value?): return try one(.eq, value.record)
        case .differs(let value?): return try one(.neq, value.record)
        case .above(let value): return try one(.gt, value.record)
        case .atLeast(let value): return try one(.gte, value.record)
        case .below(let value): return try one(.lt, value.record)
        case .atMost(let value): return try one(.lte, value.record)
        case .between(let first, let last): return try one(.between, .list([first.record, last.record]))
        case .oneOf(let values): return try one(.inq, .list(values.map(\.record)))
        case .noneOf(let values): return try one(.nin, .list(values.map(\.record)))
        case .like(let pattern): return try one(pattern.isFolded ? .ilike : .like, .text(pattern.text))
        case .unlike(let pattern): return try one(pattern.isFolded ? .nilike : .nlike, .text(pattern.text))
        case .matches(let expression):
            return try one(.regexp, .text("/\(expression.pattern)/\(expression.isCaseless ? "i" : "")"))
        case .exists(let isThere): return try one(.exists, .truth(isThere))
        case .near(let nearness): return try one(.near, nearness.record)
        }
    }

    private func one(_ test: DatasourceTest, _ value: RecordValue) throws(CatalogueFault) -> DatasourceFilter {
        .condition(try DatasourceCondition(field.rawValue, test, value))
    }

    private func spans(_ values: [CatalogueValue]) throws(CatalogueFault) -> [DatasourceFilter] {
        var spans: [DatasourceFilter] = []
        for case .time(let span) in values { spans.append(try lies(in: span)) }
        return spans
    }

    private func lies(in span: SpanOfTime) throws(CatalogueFault) -> DatasourceFilter {
        .and([try one(.gte, instant(span)), try one(.lt, instant(after: span))])
    }

    private func instant(_ span: SpanOfTime) -> RecordValue { instant(span.first) }

    private func instant(after span: SpanOfTime) -> RecordValue { instant(span.last == .max ? .max : span.last + 1) }

    /// What is read starts at its first nanosecond, and that is what counts in `gte` and `lt`.
    private func instant(_ nanoseconds: Int64) -> RecordValue {
        // At the ends of what can be counted nothing was taken, and there the reader would count too far.
        let second = Int64(1_000_000_000)
        let within = min(max(nanoseconds, .min + second), .max - second)
        return .text(WrittenTime(nanosecondsSince1970: within).text + "Z")
    }
}

extension CatalogueValue {
    fileprivate var record: RecordValue {
        switch self {
        case .composed(let text): .text(text)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .digest(let bytes): .text(Hexadecimal.text(of: bytes))
        case .truth(let isTrue): .truth(isTrue)
        case .time(let span): .text(WrittenTime(nanosecondsSince1970: span.first).text + "Z")
        }
    }
}

extension Nearness {
    /// As LoopBack has it.
    var record: RecordValue {
        var members = [
            RecordMember(
                "near",
                .object([
                    RecordMember("lat", .real(place.latitude)), RecordMember("lng", .real(place.longitude)),
                ]))
        ]
        if let most { members.append(RecordMember("maxDistance", .real(most))) }
        if least > 0 { members.append(RecordMember("minDistance", .real(least))) }
        return .object(members + [RecordMember("unit", .text("meters"))])
    }
}
