/// A question to the catalogue: which pictures, in which order, and which part of them.
public struct CatalogueQuery: Sendable, Hashable {
    /// Which pictures.
    public var filter: CatalogueFilter
    /// The words that are looked for in them as well.
    public var search: SearchWords?
    /// By what they are ordered. After all that stands here by their number, so that no two of them are equal.
    public var order: [CatalogueOrder]
    /// How many are left out at the beginning. Others may come and go meanwhile: pages go on at a mark instead.
    public var skip: Int
    /// How many at most.
    public var limit: Int
    /// What is wanted of each; `nil`: all.
    public var fields: [CatalogueField]?
    /// Where the page before ended; `nil`: at the beginning.
    public var mark: PageMark?

    /// - Throws: where it goes beyond ``CatalogueLimits``.
    public init(
        _ filter: CatalogueFilter = .everything, search: SearchWords? = nil, order: [CatalogueOrder] = [],
        skip: Int = 0, limit: Int = CatalogueLimits.usualPage, fields: [CatalogueField]? = nil, mark: PageMark? = nil
    ) throws(CatalogueFault) {
        try filter.check()
        guard (1...CatalogueLimits.page).contains(limit) else { throw .wrongLimit(at: nil) }
        guard skip >= 0 else { throw .wrongSkip(at: nil) }
        guard order.count <= CatalogueLimits.order else { throw .longOrder(at: nil) }
        guard skip == 0 || mark == nil else {
            throw CatalogueFault("A page goes on where the last one ended, or after so many: not both.", at: nil)
        }
        (self.filter, self.search, self.order, self.skip) = (filter, search, order, skip)
        (self.limit, self.fields, self.mark) = (limit, fields, mark)
    }

    /// Translates a question to a source into a query of pictures.
    ///
    /// - Throws: if pictures have no such field, or the field doesn't support the test.
    public init(_ question: DatasourceQuestion) throws(CatalogueFault) {
        try question.check()
        func picture(_ name: String, _ path: String) throws(CatalogueFault) -> CatalogueField? {
            try DatasourceFields.pictures.field(name, nil, path).picture
        }
        var (order, fields): ([CatalogueOrder], [CatalogueField]?) = ([], question.fields == nil ? nil : [])
        for part in question.order {
            guard let field = try picture(part.field, "order") else { continue }
            order.append(try CatalogueOrder(field, isDescending: part.isDescending))
        }
        for name in question.fields ?? [] { fields? += try picture(name, "fields").map { [$0] } ?? [] }
        let filter = try question.filter.map { condition throws(CatalogueFault) in try condition.ofPictures() }
        var search: SearchWords?
        if let words = question.search { search = try SearchWords(words) }
        try self.init(
            filter, search: search, order: order, skip: question.skip, limit: question.pageSize, fields: fields)
    }

    /// The whole order: what was asked for, or else by distance where one is asked for, or else by acceptance; at its end what
    /// tells all pictures apart, in the direction of what stands before it.
    package var wholeOrder: [CatalogueOrder] {
        var order = order
        if order.isEmpty, let near { order = [.nearest(to: near)] }
        var whole: [CatalogueOrder] = []
        for part in order where !whole.contains(where: { $0.key == part.key }) {
            whole.append(part)
            if part.isUnique { return whole }
        }
        return whole + [(order.last?.isDescending ?? false) ? .newest : .oldest]
    }

    /// Whether its answer tells where pictures were taken, be it only by which ones it is: what others may ask only of pictures
    /// whose owner shows it.
    public var tellsPlace: Bool {
        let isOrdered = order.contains { order in
            switch order.key {
            case .field(let field): field.tellsPlace
            case .distance: true
            }
        }
        return isOrdered || filter.conditions.contains { $0.meaning?.field.tellsPlace ?? false }
            || search?.includesPlace ?? false
            || fields?.contains(where: \.tellsPlace) ?? true
    }

    /// The first place that all pictures have to be near to.
    private var near: CataloguePlace? {
        filter.required.lazy.compactMap { condition in
            if case .near(let nearness)? = condition.meaning?.bound { nearness.place } else { nil }
        }.first
    }

    /// The mark after a picture, from which the next page goes on.
    package func mark(after picture: CataloguePicture) -> PageMark {
        PageMark(question: digest, values: wholeOrder.map { $0.value(of: picture) })
    }

    /// The values of ``wholeOrder`` that the next picture comes after; `nil`: it begins at the beginning.
    ///
    /// - Throws: where the mark is of another question.
    package func start() throws(CatalogueFault) -> [CatalogueKey]? {
        guard let mark else { return nil }
        guard mark.question == digest, mark.values.count == wholeOrder.count else {
            throw CatalogueFault("The mark of the next page is of another question: ask from the beginning.", at: nil)
        }
        return mark.values
    }

    /// What it answers of some pictures: the same that a store does.
    package func answer(_ pictures: [CataloguePicture]) throws(CatalogueFault) -> CataloguePage {
        let (order, start) = (wholeOrder, try start())
        let chosen = pictures.filter { picture in
            guard filter.matches(picture), search?.matches(picture) ?? true else { return false }
            return start.map { order.isAfter($0, picture) } ?? true
        }
        .sorted(by: order.isBefore).dropFirst(skip)
        let page = Array(chosen.prefix(limit))
        return CataloguePage(pictures: page, next: chosen.count > limit ? page.last.map(mark) : nil)
    }
}

/// A part of an answer.
public struct CataloguePage: Sendable, Hashable {
    /// In order.
    public let pictures: [CataloguePicture]
    /// From where the next page goes on; `nil`: there is none.
    public let next: PageMark?

    package init(pictures: [CataloguePicture], next: PageMark?) {
        (self.pictures, self.next) = (pictures, next)
    }
}

extension [CatalogueOrder] {
    /// Whether a picture comes after values of this order.
    fileprivate func isAfter(_ values: [CatalogueKey], _ picture: CataloguePicture) -> Bool {
        for (order, value) in zip(self, values) {
            let own = order.value(of: picture)
            if value.isBefore(own) { return !order.isDescending }
            if own.isBefore(value) { return order.isDescending }
        }
        return false
    }
}

extension CatalogueFault {
    static func wrongLimit(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("A page has 1 to \(CatalogueLimits.page) pictures.", at: offset, path: path)
    }

    static func wrongSkip(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("As many are left out as a whole number from 0 says.", at: offset, path: path)
    }

    static func longOrder(at offset: Int?, _ path: String = "") -> CatalogueFault {
        CatalogueFault("Pictures are ordered by at most \(CatalogueLimits.order) fields.", at: offset, path: path)
    }
}
