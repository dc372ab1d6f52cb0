extension CatalogueQuery {
    /// Tells questions apart: the same for the same filter, words and order, also in another process.
    var digest: UInt64 {
        var digest = QuestionDigest()
        filter.add(to: &digest)
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

extension CatalogueFilter {
    fileprivate func add(to digest: inout QuestionDigest) {
        func add(_ name: String, _ parts: [CatalogueFilter]) {
            digest.add(name)
            digest.add(UInt64(parts.count))
            for part in parts { part.add(to: &digest) }
        }
        switch self {
        case .and(let parts): add("and", parts)
        case .or(let parts): add("or", parts)
        case .nor(let parts): add("nor", parts)
        case .condition(let condition):
            digest.add(condition.field.rawValue)
            condition.test.add(to: &digest)
        }
    }
}

extension CatalogueTest {
    fileprivate func add(to digest: inout QuestionDigest) {
        digest.add(name)
        digest.add(UInt64(values.count))
        for value in values { value.add(to: &digest) }
        switch self {
        case .like(let pattern), .unlike(let pattern): digest.add(pattern.text)
        case .matches(let expression): digest.add(expression.pattern + (expression.isCaseless ? "/i" : ""))
        case .exists(let isThere): digest.add(isThere ? 1 : 0)
        case .near(let nearness):
            digest.add(nearness.place)
            digest.add(nearness.least.bitPattern)
            digest.add((nearness.most ?? .infinity).bitPattern)
        default: break
        }
    }
}

extension CatalogueValue {
    fileprivate func add(to digest: inout QuestionDigest) {
        switch self {
        case .composed(let text): digest.add(text)
        case .integer(let number): digest.add(UInt64(bitPattern: number))
        case .real(let number): digest.add(number.bitPattern)
        case .digest(let bytes): for byte in bytes { digest.add(UInt64(byte)) }
        case .truth(let isTrue): digest.add(isTrue ? 1 : 0)
        case .time(let span):
            digest.add(UInt64(bitPattern: span.first))
            digest.add(UInt64(bitPattern: span.last))
        }
    }
}
