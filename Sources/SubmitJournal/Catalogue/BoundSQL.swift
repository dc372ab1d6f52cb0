internal import SubmitCatalogue

/// SQL whose values are bound. What is put into a literal of it is another piece of it, or a value: no text gets into SQL.
struct BoundSQL: ExpressibleByStringInterpolation {
    private(set) var text: String
    private(set) var values: [CatalogueKey]

    struct StringInterpolation: StringInterpolationProtocol {
        typealias StringLiteralType = StaticString

        fileprivate var text = ""
        fileprivate var values: [CatalogueKey] = []

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: StaticString) { text += "\(literal)" }

        mutating func appendInterpolation(_ part: BoundSQL) {
            text += part.text
            values += part.values
        }

        mutating func appendInterpolation(_ value: CatalogueKey) {
            text += "?"
            values.append(value)
        }
    }

    init(stringLiteral literal: StaticString) { (text, values) = ("\(literal)", []) }

    /// The column of `picture` for a field that holds one value.
    init(columnOf field: CatalogueField) {
        let others: [CatalogueField: String] = [.item: "sha256", .placeShown: "place_shown"]
        (text, values) = ("picture.\(others[field] ?? field.rawValue)", [])
    }

    init(stringInterpolation: StringInterpolation) {
        (text, values) = (stringInterpolation.text, stringInterpolation.values)
    }
}

extension [BoundSQL] {
    func joined(by separator: BoundSQL) -> BoundSQL {
        guard var whole = first else { return "" }
        for part in dropFirst() { whole = "\(whole)\(separator)\(part)" }
        return whole
    }
}
