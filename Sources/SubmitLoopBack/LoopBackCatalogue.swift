internal import Submit
public import SubmitCatalogue
public import SubmitHTTP

/// A service that answers LoopBack's filters, as a source: `GET …?filter={"where": …}`.
///
/// Nothing is ever changed there. A question beyond `CatalogueLimits`, or longer than servers take an address, is a fault before
/// anything is sent. What a condition means is the service's: of what its stores are known to drop or to answer with nothing, `nor`
/// and `exists`, another form is asked that all of them understand. Pages go on after as many records as came; while others write
/// there, some may come twice or not at all.
public struct LoopBackCatalogue: Datasource {
    private let settings: LoopBackSettings
    private let client: LoopBackClient

    /// - Parameter transport: one that follows no redirects itself. The secret goes to the service's own origin alone, and from there
    ///   to no other.
    public init(_ settings: LoopBackSettings, transport: any HTTPTransport) {
        self.settings = settings
        client = LoopBackClient(settings, transport)
    }

    public func question(words: String) throws(CatalogueFault) -> DatasourceQuestion {
        try QuestionReader(settings.fields).question(words: words)
    }

    public func question(json: String) throws(CatalogueFault) -> DatasourceQuestion {
        try QuestionReader(settings.fields).question(json: json)
    }

    public func page(
        _ question: DatasourceQuestion, after mark: DatasourceMark?
    ) async throws(DatasourceFault) -> DatasourcePage {
        let (path, skip) = try DatasourceFault.asking { () throws(CatalogueFault) in
            try question.check()
            var asked = try sent(question)
            if let mark {
                guard let skip = Int(mark.text), skip >= 0 else {
                    throw CatalogueFault(
                        "This is no mark of a next page: give the one that came with the page before, as it is.",
                        at: nil)
                }
                asked.skip = skip
            }
            return ("?" + asked.parameter, asked.skip)
        }
        let answer = try await client.records(path)
        guard answer.records.count <= question.pageSize else {
            throw .source(
                client.failure(
                    .giveUp, "no-pages",
                    "gives \(answer.records.count) records where \(question.pageSize) were asked for",
                    "check that it is a service which takes LoopBack's filters"))
        }
        // Beyond what can be counted there is none.
        let (after, isBeyond) = skip.addingReportingOverflow(answer.records.count)
        let isOver = answer.records.isEmpty || answer.isSingle || isBeyond
        return DatasourcePage(answer.records, next: isOver ? nil : DatasourceMark(String(after)))
    }

    public func single(_ id: String) async throws(DatasourceFault) -> DatasourceRecord? {
        guard !id.isEmpty else { return nil }
        guard settings.base != .everything, let identity = settings.identity else {
            return try await client.record("/" + PercentEncoding.encode(id))
        }
        let question = try DatasourceFault.asking { () throws(CatalogueFault) in
            let isNumber = settings.fields.kinds?[identity] == .number
            let isIt = try CatalogueCondition(identity, .eq, isNumber ? .number(id) : .text(id))
            return try DatasourceQuestion(.condition(isIt), pageSize: 1)
        }
        return try await page(question, after: nil).records.first
    }

    public func distinct(
        _ field: String, of question: DatasourceQuestion, limit: Int
    ) async throws(DatasourceFault) -> DistinctValues {
        try DatasourceFault.asking { () throws(CatalogueFault) in
            if field != settings.identity { try settings.fields.check(field) }
        }
        var search = DistinctSearch(field, limit: limit)
        if let path = settings.distinctPath {
            let target = try DatasourceFault.asking { () throws(CatalogueFault) in
                var asked = try sent(question)
                (asked.order, asked.skip, asked.pageSize, asked.fields) = ([], 0, CatalogueLimits.page, nil)
                return "\(path)?field=\(PercentEncoding.encode(field))&\(asked.parameter)"
            }
            search.add(try await client.values(target))
            return search.found(isCut: false)
        }
        while search.wantsMore {
            let asked = try DatasourceFault.asking { () throws(CatalogueFault) in try search.next(question) }
            search.add(try await page(asked, after: nil).records)
        }
        return search.found(isCut: !search.isOver)
    }

    /// As LoopBack counts: `GET …/count?where={…}` (loopback.io/doc/en/lb4/Model-count.html).
    ///
    /// - Throws: `DatasourceFault`.
    public func count(of question: DatasourceQuestion) async throws(DatasourceFault) -> Int {
        let path = try DatasourceFault.asking { () throws(CatalogueFault) in
            var asked = question
            (asked.order, asked.fields) = ([], nil)
            guard let filter = try sent(asked).filter.json else { return "/count" }
            return "/count?where=" + PercentEncoding.encode(filter.json)
        }
        return try await client.count(path)
    }

    /// The URL of a record's picture; `nil` where it has none.
    public func image(of record: DatasourceRecord) -> String? {
        guard let field = settings.imageField, case .text(let path)? = record[field] else { return nil }
        return PicturePath.url(path, relativeTo: settings.imageBase ?? settings.endpoint.url(""))
    }

    /// What is asked of the service: what has to hold in any case as well, and words as it can look for them.
    private func sent(_ question: DatasourceQuestion) throws(CatalogueFault) -> DatasourceQuestion {
        // Stores drop a name that is none, and answer with more than was asked for.
        let names = question.filter.fields.union(question.order.map(\.field)).union(question.fields ?? [])
        for name in names.sorted() where name != settings.identity { try settings.fields.check(name) }
        var asked = question
        var filter = settings.base.and(question.filter)
        if let search = question.search { filter = filter.and(try conditions(search)) }
        asked.filter = try filter.withoutNor()
        asked.search = nil
        // Records of equal values would change places from one page to the next.
        if let identity = settings.identity, !asked.order.contains(where: { $0.field == identity }) {
            asked.order.append(DatasourceOrder(identity, isDescending: asked.order.last?.isDescending ?? false))
        }
        // What opposites take the place of may be more than was asked for.
        try asked.filter.check()
        return asked
    }

    /// Each word in one of the fields that are searched.
    private func conditions(_ search: String) throws(CatalogueFault) -> CatalogueFilter {
        guard !settings.searchable.isEmpty else {
            throw CatalogueFault(
                "Nobody said in which fields of this source words are looked for: say name~word.", at: nil)
        }
        var words: [CatalogueFilter] = []
        for word in search.split(whereSeparator: \.isWhitespace) {
            var fields: [CatalogueFilter] = []
            for field in settings.searchable {
                fields.append(
                    .condition(
                        try CatalogueCondition(
                            field, settings.searchesCaseless ? .ilike : .like,
                            .text(ContainedText.pattern(String(word))))))
            }
            words.append(fields.count == 1 ? fields[0] : .or(fields))
        }
        return words.count == 1 ? words[0] : .and(words)
    }
}

extension DatasourceQuestion {
    /// Its JSON as one parameter of an address: `filter=%7B…%7D`, in which only unreserved characters stand as they are
    /// (RFC 3986, section 2.3).
    public var parameter: String { "filter=" + PercentEncoding.encode(json.json) }
}
