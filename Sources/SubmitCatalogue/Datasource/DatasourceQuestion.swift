/// A question to a source: which records, in which order, and how many at a time.
public struct DatasourceQuestion: Sendable, Hashable {
    /// Which records.
    public var filter: CatalogueFilter
    /// Words that are looked for in what the source searches; `nil`: none.
    public var search: String?
    /// By what they are ordered; empty: as the source does by itself.
    public var order: [DatasourceOrder]
    /// How many are left out at the beginning.
    public var skip: Int
    /// How many one page has at most.
    public var pageSize: Int
    /// What is wanted of each; `nil`: all.
    public var fields: [String]?

    /// How many records a page has, where nobody says so.
    public static let usualPageSize = 20

    /// - Throws: where it goes beyond ``CatalogueLimits``.
    public init(
        _ filter: CatalogueFilter = .everything, search: String? = nil, order: [DatasourceOrder] = [], skip: Int = 0,
        pageSize: Int = usualPageSize, fields: [String]? = nil
    ) throws(CatalogueFault) {
        (self.filter, self.search, self.order, self.skip) = (filter, search, order, skip)
        (self.pageSize, self.fields) = (pageSize, fields)
        try check()
    }

    /// - Throws: where it goes beyond ``CatalogueLimits``: ask for less.
    public func check() throws(CatalogueFault) {
        try filter.check()
        do throws(CatalogueFault) {
            if let search { _ = try SearchWords(search) }
        } catch {
            throw CatalogueFault(error.sentence, at: nil)
        }
        guard (1...CatalogueLimits.page).contains(pageSize) else { throw .wrongLimit(at: nil) }
        guard skip >= 0 else { throw .wrongSkip(at: nil) }
        guard order.count <= CatalogueLimits.order else { throw .longOrder(at: nil) }
        for part in order {
            // LoopBack takes an order apart at commas and blanks.
            guard !part.field.isEmpty, !part.field.contains(where: { $0.isWhitespace || $0 == "," }) else {
                throw CatalogueFault("Records cannot be ordered by \(part.field.forPeople).", at: nil, path: "order")
            }
        }
        guard let fields else { return }
        guard !fields.isEmpty, !fields.contains(""), fields.count <= CatalogueLimits.list else {
            throw CatalogueFault("There is no field left.", at: nil, path: "fields")
        }
    }

    /// LoopBack's filter: `{"where": …, "order": […], "skip": 20, "limit": 20, "fields": […]}`, and our own `search`.
    public var json: RecordValue {
        var members: [RecordMember] = []
        if let filter = filter.json { members.append(RecordMember("where", filter)) }
        if let search { members.append(RecordMember("search", .text(search))) }
        if !order.isEmpty {
            let parts = order.map { RecordValue.text("\($0.field) \($0.isDescending ? "DESC" : "ASC")") }
            members.append(RecordMember("order", .list(parts)))
        }
        if skip > 0 { members.append(RecordMember("skip", .integer(Int64(skip)))) }
        members.append(RecordMember("limit", .integer(Int64(pageSize))))
        if let fields { members.append(RecordMember("fields", .list(fields.map(RecordValue.text)))) }
        return .object(members)
    }
}

/// By what records are ordered.
public struct DatasourceOrder: Sendable, Hashable {
    /// A name, or names with dots between them.
    public var field: String
    /// From the greatest to the least.
    public var isDescending: Bool

    /// By a field, from the least to the greatest unless said otherwise.
    public init(_ field: String, isDescending: Bool = false) {
        (self.field, self.isDescending) = (field, isDescending)
    }
}
