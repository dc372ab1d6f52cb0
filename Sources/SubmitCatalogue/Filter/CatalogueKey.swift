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
