/// What an expression is worth.
package enum RecipeValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case text(String)
    /// Only filters make these; a filter must make text of them again.
    case bytes([UInt8])
    case list([RecipeValue])
    case map([String: RecipeValue])

    /// The longest text that an expression or a template makes, in bytes of UTF-8.
    package static let longestText = 1 << 20

    /// A text, or nothing.
    package init(_ text: String?) {
        self = text.map(RecipeValue.text) ?? .null
    }

    /// Nothing, `false`, `0`, an empty text, list or map are not true.
    package var isTrue: Bool {
        switch self {
        case .null: false
        case .bool(let flag): flag
        case .integer(let number): number != 0
        case .text(let text): !text.isEmpty
        case .bytes(let bytes): !bytes.isEmpty
        case .list(let elements): !elements.isEmpty
        case .map(let members): !members.isEmpty
        }
    }

    /// Nothing, or an empty text: what `??` replaces and what is left out of queries, fields, headers and JSON.
    package var isNothing: Bool { self == .null || self == .text("") }

    /// A whole number, or a text that is one.
    package var asInteger: Int64? {
        switch self {
        case .integer(let number): number
        case .text(let text): text.first == "+" ? nil : Int64(text)
        default: nil
        }
    }

    /// As it stands in a text; `nil` for what is none: nothing, bytes, lists and maps.
    package var asText: String? {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .text(let text): text
        case .null, .bytes, .list, .map: nil
        }
    }

    /// Equal as services mean it: `"1" == 1`, `"true" == true`, `true == 1`.
    package func isLooselyEqual(to other: RecipeValue) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isLooselyEqual(to: $1) }
        case (.map(let a), .map(let b)):
            return a.count == b.count && a.allSatisfy { b[$0.key]?.isLooselyEqual(to: $0.value) ?? false }
        case (.text(let a), .text(let b)): return a == b
        case (.bool(let flag), .text(let text)), (.text(let text), .bool(let flag)):
            return text == (flag ? "true" : "false") || text == (flag ? "1" : "0")
        case (.bool(let flag), .integer(let number)), (.integer(let number), .bool(let flag)):
            return number == (flag ? 1 : 0)
        case (.integer, .text), (.text, .integer):
            guard let a = asInteger, let b = other.asInteger else { return false }
            return a == b
        default: return self == other
        }
    }

    /// For sentences.
    package var kindName: String {
        switch self {
        case .null: "nothing"
        case .bool: "true or false"
        case .integer: "a number"
        case .text: "a text"
        case .bytes: "bytes"
        case .list: "a list"
        case .map: "a map"
        }
    }
}
