internal import FoundationEssentials
internal import SubmitRecipes

/// JSON as values.
enum JSONText {
    /// Reads a document; `nil` for what is none. Whole numbers that 64 bits do not hold, and others, become texts.
    static func read(_ bytes: [UInt8]) -> RecipeValue? {
        (try? JSONDecoder().decode(Document.self, from: Data(bytes)))?.value
    }

    /// Writes a value that holds no bytes; members in the order of their keys.
    static func write(_ value: RecipeValue) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(Document(value: value))).map { [UInt8]($0) } ?? []
    }

    /// A value as JSON has it.
    struct Document: Codable {
        let value: RecipeValue

        init(value: RecipeValue) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                value = .text(text)
            } else if let members = try? container.decode([String: Document].self) {
                value = .map(members.mapValues(\.value))
            } else if let elements = try? container.decode([Document].self) {
                value = .list(elements.map(\.value))
            } else if container.decodeNil() {
                value = .null
            } else if let flag = try? container.decode(Bool.self) {
                value = .bool(flag)
            } else if let number = try? container.decode(Int64.self) {
                value = .integer(number)
            } else if let number = try? container.decode(UInt64.self) {
                value = .text(String(number))
            } else {
                value = .text(String(try container.decode(Double.self)))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .null, .bytes: try container.encodeNil()
            case .bool(let flag): try container.encode(flag)
            case .integer(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            case .list(let elements): try container.encode(elements.map { Document(value: $0) })
            case .map(let members): try container.encode(members.mapValues { Document(value: $0) })
            }
        }
    }
}

extension RecipeValue {
    /// What stands at a place as expressions name it: a pointer, or the name of a member.
    func at(named name: String) -> RecipeValue {
        (JSONPointer(name) ?? JSONPointer("/" + name)).map { at($0) } ?? .null
    }

    /// What stands at a place of JSON (RFC 6901, section 4); nothing where there is none.
    func at(_ pointer: JSONPointer) -> RecipeValue {
        pointer.tokens.reduce(self) { value, token in
            switch value {
            case .map(let members): return members[token] ?? .null
            case .list(let elements):
                guard token == "0" || token.first != "0", let index = Int(token), elements.indices.contains(index),
                    token.utf8.allSatisfy({ (48...57).contains($0) })
                else { return .null }
                return elements[index]
            default: return .null
            }
        }
    }
}
