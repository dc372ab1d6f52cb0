extension CatalogueQuery {
    /// Tells questions apart: the same for the same filter, words and order, also in another process.
    var digest: UInt64 {
        var digest = QuestionDigest()
        digest.add(filter.json?.json ?? "")
        for word in search?.words ?? [] { digest.add(word) }
        digest.add(search.map { $0.includesPlace ? "place" : "search" } ?? "")
        for order in wholeOrder {
            switch order.key {
            case .field(let field): digest.add(field.rawValue)
            case .distance(let place): digest.add(place)
            }
            digest.add(order.isDescending ? "DESC" : "ASC")
        }
        return digest.value
    }
}

/// FNV-1a of all that is added. It guards against mistakes, not against people.
private struct QuestionDigest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    private mutating func add(byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }

    mutating func add(_ number: UInt64) {
        for shift in 0..<8 { add(byte: UInt8(truncatingIfNeeded: number >> (shift * 8))) }
    }

    mutating func add(_ text: String) {
        add(UInt64(text.utf8.count))
        for byte in text.utf8 { add(byte: byte) }
    }

    mutating func add(_ place: CataloguePlace) {
        add(place.latitude.bitPattern)
        add(place.longitude.bitPattern)
    }
}
