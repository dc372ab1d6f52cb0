internal import FoundationEssentials
internal import Submit

/// What a document says, whoever wrote it: its members without those that are the database's own, in whatever order.
struct DocumentContent: Decodable, Equatable {
    private enum Value: Decodable, Equatable {
        case null
        case truth(Bool)
        case number(Decimal)
        case text(String)
        case list([Value])
        case object([String: Value])

        /// How deep it may be: more than any of ours is.
        private static let deepest = 8

        init(from decoder: any Decoder) throws {
            // Each fault of the decoder names the way to it: by depth, what is tried takes the longer.
            guard decoder.codingPath.count <= Self.deepest else {
                throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "It is too deep."))
            }
            // What is in it is read once, and by what it is: tried as one thing after another, deep values take for ever.
            if let object = try? decoder.container(keyedBy: Name.self) {
                var members: [String: Value] = [:]
                for name in object.allKeys { members[name.stringValue] = try object.decode(Value.self, forKey: name) }
                self = .object(members)
                return
            }
            if var list = try? decoder.unkeyedContainer() {
                var values: [Value] = []
                while !list.isAtEnd { values.append(try list.decode(Value.self)) }
                self = .list(values)
                return
            }
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let truth = try? value.decode(Bool.self) {
                self = .truth(truth)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else {
                self = .number(try value.decode(Decimal.self))
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private var members: [String: Value] = [:]

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Name.self)
        // docs.couchdb.org, “Document field names”: these are reserved.
        for name in object.allKeys where !name.stringValue.hasPrefix("_") {
            members[name.stringValue] = try object.decode(Value.self, forKey: name)
        }
    }

    /// `nil` where the body of a document is none.
    init?(_ document: CatalogueDocument) {
        guard let content = try? JSONDecoder().decode(DocumentContent.self, from: Data(document.body.utf8)) else {
            return nil
        }
        self = content
    }
}
