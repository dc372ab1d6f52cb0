/// What a field of one picture holds, as it is compared and ordered.
package enum CatalogueKey: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    /// The order of all fields: null comes first, numbers by what they are, texts by their bytes.
    package func isBefore(_ other: CatalogueKey) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.integer(let one), .integer(let two)): one < two
        case (.real(let one), .real(let two)): one < two
        case (.integer(let one), .real(let two)): Self.compare(one, two) < 0
        case (.real(let one), .integer(let two)): Self.compare(two, one) > 0
        case (.text(let one), .text(let two)): one.isBefore(two)
        case (.bytes(let one), .bytes(let two)): one.lexicographicallyPrecedes(two)
        // Of one field never: as SQLite orders what is of different kinds.
        default: rank < other.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .bytes: 3
        }
    }

    /// As the numbers are, and not as they become when one is made the other's kind. Below 0 where the first is less.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        if real >= 0x1p63 { return -1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let rest = real - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}

extension CataloguePicture {
    /// What a field holds; of several texts and of a place nothing, as neither has an order.
    package func key(_ field: CatalogueField) -> CatalogueKey {
        switch field {
        case .id: .integer(id)
        case .item: .bytes(digest)
        case .size: .integer(size)
        case .width: width.map(CatalogueKey.integer) ?? .null
        case .height: height.map(CatalogueKey.integer) ?? .null
        case .latitude: place.map { .real($0.latitude) } ?? .null
        case .longitude: place.map { .real($0.longitude) } ?? .null
        case .placeShown: .integer(isPlaceShown ? 1 : 0)
        case .captured: captured.map { .integer($0.seconds) } ?? .null
        case .accepted: .integer(accepted)
        case .name, .title, .caption, .kind, .type, .place, .owner: text(field).map(CatalogueKey.text) ?? .null
        case .tags, .albums, .destinations, .proven, .evidence, .urls, .location, .copies: .null
        }
    }

    /// The text of a field that holds one.
    package func text(_ field: CatalogueField) -> String? {
        switch field {
        case .name: name
        case .title: title
        case .caption: caption
        case .kind: kind
        case .type: type
        case .place: placeName
        case .owner: owner
        default: nil
        }
    }

    /// The texts of a field that holds several.
    package func texts(_ field: CatalogueField) -> [String] {
        switch field {
        case .tags: tags
        case .albums: albums
        case .destinations: copies.map(\.destination)
        case .proven: copies.filter { $0.evidence == CatalogueCopy.proof }.map(\.destination)
        case .evidence: copies.map(\.evidence)
        case .urls: copies.compactMap(\.url)
        default: []
        }
    }
}
