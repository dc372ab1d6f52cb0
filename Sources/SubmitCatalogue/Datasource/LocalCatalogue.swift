internal import Submit

/// What keeps pictures, and answers the catalogue's questions as ``CatalogueFilter/matches(_:)`` says.
public protocol PictureStore: Sendable {
    /// A part of the answer, in order.
    ///
    /// - Throws: ``DatasourceFault``.
    func page(_ query: CatalogueQuery) async throws(DatasourceFault) -> CataloguePage

    /// How many there are.
    ///
    /// - Throws: ``DatasourceFault``.
    func count(_ filter: CatalogueFilter, _ search: SearchWords?) async throws(DatasourceFault) -> Int

    /// The values of a field in some pictures, each once, in order, as ``CataloguePicture/record(_:revealsPlace:)`` has them.
    ///
    /// - Throws: ``DatasourceFault``.
    func distinct(
        _ field: CatalogueField, _ filter: CatalogueFilter, _ search: SearchWords?, limit: Int
    ) async throws(DatasourceFault) -> [RecordValue]
}

/// The catalogue of this machine as a source.
public struct LocalCatalogue: Datasource {
    private let store: any PictureStore
    private let base: CatalogueFilter
    private let revealsPlaces: Bool
    private let reader: QuestionReader

    /// - Parameters:
    ///   - base: what always holds, whatever is asked.
    ///   - revealsPlaces: whoever asks learns all places, as the owner does. Otherwise those that the owner does not show are in no
    ///     record, and nothing can be found by them.
    ///   - clock: by which days begin and end.
    ///   - offersExpressions: whether `regexp` may be asked.
    public init(
        _ store: any PictureStore, base: CatalogueFilter = .everything, revealsPlaces: Bool, clock: AskersClock = .own,
        offersExpressions: Bool = true
    ) {
        (self.store, self.base, self.revealsPlaces) = (store, base, revealsPlaces)
        reader = QuestionReader(.pictures, clock: clock, offersExpressions: offersExpressions)
    }

    public func question(words: String) throws(CatalogueFault) -> DatasourceQuestion {
        try reader.question(words: words)
    }

    public func question(json: String) throws(CatalogueFault) -> DatasourceQuestion {
        try reader.question(json: json)
    }

    public func page(
        _ question: DatasourceQuestion, after mark: DatasourceMark?
    ) async throws(DatasourceFault) -> DatasourcePage {
        let query = try query(question, after: mark)
        let page = try await store.page(query)
        return DatasourcePage(
            page.pictures.map { $0.record(query.fields, revealsPlace: revealsPlaces) },
            next: page.next.map { DatasourceMark($0.text) })
    }

    public func distinct(
        _ field: String, of question: DatasourceQuestion, limit: Int
    ) async throws(DatasourceFault) -> DistinctValues {
        guard limit > 0 else { return DistinctValues([], isCut: true) }
        var question = question
        (question.fields, question.order) = ([field], [])
        let query = try query(question, after: nil)
        guard let field = query.fields?.first, ![.place, .objects].contains(field.holds) else {
            throw .question(CatalogueFault("\(field) has no values that could be told one by one.", at: nil))
        }
        var filter = query.filter
        if field.tellsPlace, !revealsPlaces { filter = filter.and(Self.shown) }
        // One more tells whether there are others.
        let values = try await store.distinct(field, filter, query.search, limit: limit == .max ? limit : limit + 1)
        return DistinctValues(Array(values.prefix(limit)), isCut: values.count > limit)
    }

    public func count(of question: DatasourceQuestion) async throws(DatasourceFault) -> Int {
        var question = question
        question.fields = [CatalogueField.id.rawValue]
        let query = try query(question, after: nil)
        return try await store.count(query.filter, query.search)
    }

    public func single(_ id: String) async throws(DatasourceFault) -> DatasourceRecord? {
        guard let number = Int64(id) else { return nil }
        let question = try DatasourceFault.asking { () throws(CatalogueFault) in
            try DatasourceQuestion(.condition(CatalogueCondition(.id, .eq, .integer(number))), pageSize: 1)
        }
        return try await page(question, after: nil).records.first
    }

    private static let shown: CatalogueFilter = {
        // Of a field that holds true or false this can always be asked.
        (try? CatalogueCondition(.placeShown, .eq, .truth(true))).map(CatalogueFilter.condition) ?? .or([])
    }()

    private func query(
        _ question: DatasourceQuestion, after mark: DatasourceMark?
    ) throws(DatasourceFault) -> CatalogueQuery {
        try DatasourceFault.asking { () throws(CatalogueFault) in
            var query = try CatalogueQuery(question)
            if let mark {
                query.skip = 0
                query.mark = try PageMark(mark.text)
            }
            query.filter = base.and(query.filter)
            if !revealsPlaces {
                query.search?.includesPlace = false
                var asked = query
                asked.fields = [.id]
                if asked.tellsPlace { query.filter = query.filter.and(Self.shown) }
            }
            return query
        }
    }
}
