internal import SubmitCatalogue

/// Finds the values of a field at a service that has no question for it, without going through all records: in the order of the
/// field, and after each page on with what comes after its last value, however many records have that one.
struct DistinctSearch {
    /// A place of several values has no order by which it could go on: there pages are gone through, and not for ever.
    private enum Way {
        case byValue(after: RecordValue?)
        case byPages(skip: Int)
    }

    private let field: String
    private let limit: Int
    private var way = Way.byValue(after: nil)
    private var requests = 0
    private var values: [RecordValue] = []
    private var known: Set<RecordValue> = []
    /// All values are known.
    private(set) var isOver = false
    /// It goes on nowhere.
    private var isStuck = false

    /// How often a service is asked, at most, for one field's values.
    static let mostRequests = 50
    /// How many records are asked for at a time.
    static let pageSize = 100

    init(_ field: String, limit: Int) { (self.field, self.limit) = (field, limit) }

    var wantsMore: Bool { !isOver && !isStuck && values.count <= limit && requests < Self.mostRequests }

    func found(isCut: Bool) -> DistinctValues {
        DistinctValues(Array(values.prefix(max(0, limit))), isCut: isCut || values.count > limit)
    }

    /// The next page that is to be asked for.
    mutating func next(_ question: DatasourceQuestion) throws(CatalogueFault) -> DatasourceQuestion {
        requests += 1
        var asked = question
        asked.skip = 0
        asked.pageSize = Self.pageSize
        // LoopBack knows fields of the first level.
        asked.fields = [field.split(separator: ".").first.map(String.init) ?? field]
        switch way {
        case .byValue(let last):
            let test: CatalogueCondition =
                if let last {
                    try CatalogueCondition(field, .gt, last)
                } else {
                    try CatalogueCondition(field, .neq, .null)
                }
            asked.filter = asked.filter.and(.condition(test))
            asked.order = [DatasourceOrder(field)]
        case .byPages(let skip):
            asked.skip = skip
            asked.order = []
        }
        return asked
    }

    /// What a page has.
    mutating func add(_ records: [DatasourceRecord]) {
        guard let last = records.last else {
            isOver = true
            return
        }
        let page = records.map { $0[field] ?? .null }
        let isPlain = page.allSatisfy { value in
            switch value {
            case .list, .object: false
            default: true
            }
        }
        switch way {
        case .byValue where !isPlain: way = .byPages(skip: 0)
        case .byValue(let before):
            let value = last[field] ?? .null
            add(page)
            // It does not heed what was asked.
            isStuck = value == .null || value == before
            way = .byValue(after: value)
        case .byPages(let skip):
            add(page)
            way = .byPages(skip: skip + records.count)
        }
    }

    /// What a service says itself.
    mutating func add(_ found: [RecordValue]) {
        for value in found {
            if case .list(let several) = value {
                add(several)
            } else if value != .null, known.insert(value).inserted {
                values.append(value)
            }
        }
    }
}
