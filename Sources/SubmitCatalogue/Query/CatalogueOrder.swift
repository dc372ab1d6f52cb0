/// By what pictures are ordered: null comes first, and last where the direction is turned.
public struct CatalogueOrder: Sendable, Hashable {
    /// A value that each picture has, or null.
    public enum OrderMeasure: Sendable, Hashable {
        /// What a field holds.
        case field(CatalogueField)
        /// How far away it was taken.
        case distance(CataloguePlace)
    }

    /// By what.
    public let key: OrderMeasure
    /// From the greatest to the least.
    public let isDescending: Bool

    /// - Throws: where the field has no order.
    public init(_ field: CatalogueField, isDescending: Bool = false) throws(CatalogueFault) {
        guard field.isOrdered else {
            let known = CatalogueField.allCases.filter(\.isOrdered).map(\.rawValue)
            throw CatalogueFault(
                "Pictures cannot be ordered by \(field.rawValue), which holds \(field.holds.told).", at: nil,
                stranger: field.rawValue, known: known)
        }
        self.init(.field(field), isDescending: isDescending)
    }

    init(_ key: OrderMeasure, isDescending: Bool) { (self.key, self.isDescending) = (key, isDescending) }

    /// The nearest first; what has no place comes before.
    public static func nearest(to place: CataloguePlace) -> CatalogueOrder {
        CatalogueOrder(.distance(place), isDescending: false)
    }

    /// In the order of acceptance.
    public static let oldest = CatalogueOrder(.field(.id), isDescending: false)
    /// The feed.
    public static let newest = CatalogueOrder(.field(.id), isDescending: true)

    /// Whether two pictures can have the same.
    package var isUnique: Bool { key == .field(.id) }

    /// Whether there are pictures of which it is null.
    package var isOptional: Bool {
        switch key {
        case .field(let field): field.isOptional
        case .distance: true
        }
    }

    /// What it is of a picture.
    package func value(of picture: CataloguePicture) -> CatalogueKey {
        switch key {
        case .field(let field): picture.key(field)
        case .distance(let place): picture.place.map { .real(place.distance(to: $0)) } ?? .null
        }
    }
}

extension [CatalogueOrder] {
    /// Whether a picture comes before another one.
    package func isBefore(_ one: CataloguePicture, _ other: CataloguePicture) -> Bool {
        for order in self {
            let (first, second) = (order.value(of: one), order.value(of: other))
            if first.isBefore(second) { return !order.isDescending }
            if second.isBefore(first) { return order.isDescending }
        }
        return false
    }
}
