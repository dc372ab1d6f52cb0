internal import SubmitStore

/// An object whose members are texts, numbers, flags, and lists and objects of them.
struct JSONObject: Encodable {
    let members: [String: Any]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, member) in members {
            let key = Key(stringValue: name)
            switch member {
            // What there is most of, without a search for what it conforms to.
            case let text as String: try container.encode(text, forKey: key)
            case let number as Int64: try container.encode(number, forKey: key)
            case let number as Int: try container.encode(number, forKey: key)
            case let number as BatchID: try container.encode(number.rawValue, forKey: key)
            case let number as SubmissionID: try container.encode(number.rawValue, forKey: key)
            case let object as [String: Any]: try container.encode(JSONObject(members: object), forKey: key)
            case let objects as [[String: Any]]:
                try container.encode(objects.map { JSONObject(members: $0) }, forKey: key)
            case let other as any Encodable: try container.encode(other, forKey: key)
            default:
                throw EncodingError.invalidValue(
                    member, EncodingError.Context(codingPath: container.codingPath + [key], debugDescription: "no JSON")
                )
            }
        }
    }
}
