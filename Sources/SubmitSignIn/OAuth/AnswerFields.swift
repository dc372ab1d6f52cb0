internal import FoundationEssentials
internal import SubmitHTTP

/// The fields of an answer of an OAuth service, read by what the body is and not by what the service calls it: JSON or
/// a form. Nothing that prints it shows a value.
struct AnswerFields: Sendable {
    /// Numbers and truth values as texts; of other values only objects, as their own fields.
    private(set) var texts: [String: String] = [:]
    private(set) var objects: [String: [String: String]] = [:]

    /// - Returns: `nil` where it is neither.
    init?(_ body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{feff}" }
        if text.first == "{" {
            guard let object = try? JSONDecoder().decode([String: Field].self, from: Data(text.utf8)) else {
                return nil
            }
            for (name, field) in object {
                switch field {
                case .text(let text): texts[name] = text
                case .object(let object): objects[name] = object
                case .other: break
                }
            }
        } else {
            let trimmed = text.prefix { !$0.isNewline }
            guard trimmed.contains("="), !trimmed.contains("<"), !trimmed.contains(" ") else { return nil }
            for (name, value) in WebForm.decode(trimmed) where texts[name] == nil { texts[name] = value }
        }
    }

    subscript(name: String) -> String? { texts[name].flatMap { $0.isEmpty ? nil : $0 } }

    private enum Field: Decodable {
        case text(String)
        case object([String: String])
        case other

        init(from decoder: any Decoder) throws {
            if let text = try? Scalar(from: decoder) {
                self = .text(text.text)
            } else if let object = try? [String: Loose](from: decoder) {
                self = .object(object.compactMapValues(\.text))
            } else {
                self = .other
            }
        }
    }

    private struct Loose: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = (try? Scalar(from: decoder))?.text
        }
    }

    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self.text = text
            } else if let flag = try? container.decode(Bool.self) {
                text = String(flag)
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else {
                text = String(try container.decode(Double.self))
            }
        }
    }
}

extension AnswerFields: CustomStringConvertible, CustomReflectable {
    var description: String { "answer(\(texts.keys.sorted().joined(separator: ", ")))" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
