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

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let truth = try? value.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? value.decode(Decimal.self) {
                self = .number(number)
            } else if let text = try? value.decode(String.self) {
                self = .text(text)
            } else if let list = try? value.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try value.decode([String: Value].self))
            }
        }
    }

    private let members: [String: Value]

    init(from decoder: any Decoder) throws {
        // docs.couchdb.org, “Document field names”: these are reserved.
        members = try decoder.singleValueContainer().decode([String: Value].self).filter { !$0.key.hasPrefix("_") }
    }

    /// `nil` where the body of a document is none.
    init?(_ document: CatalogueDocument) {
        guard let content = try? JSONDecoder().decode(DocumentContent.self, from: Data(document.body.utf8)) else {
            return nil
        }
        self = content
    }
}
