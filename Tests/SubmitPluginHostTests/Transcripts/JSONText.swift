import Foundation

/// A JSON value, to be compared.
enum JSONText: Hashable, Sendable, Decodable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([JSONText])
    case object([String: JSONText])

    init?(_ text: String) {
        guard let value = try? JSONDecoder().decode(JSONText.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONText].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONText].self))
        }
    }

    subscript(name: String) -> JSONText? {
        get { if case .object(let fields) = self { fields[name] } else { nil } }
        set {
            guard case .object(var fields) = self else { return }
            fields[name] = newValue
            self = .object(fields)
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { Int(number) } else { nil } }

    /// The names of all fields in it, however deep.
    var names: Set<String> {
        switch self {
        case .list(let list): Set(list.flatMap(\.names))
        case .object(let fields): Set(fields.keys).union(fields.values.flatMap(\.names))
        default: []
        }
    }
}
