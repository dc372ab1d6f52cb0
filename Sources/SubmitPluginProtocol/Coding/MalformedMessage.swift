/// A line that is no message, with what is wrong with it.
///
/// It tells nothing of the line's values: they may be secrets.
public struct MalformedMessage: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a few words: `“id” is missing`.
    public let complaint: String

    public init(_ complaint: String) {
        self.complaint = complaint
    }

    public var description: String { complaint }
}

extension MalformedMessage {
    init(_ error: any Error) {
        switch error {
        case let error as MalformedMessage:
            self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init("\(Self.place(context.codingPath + [key])) is missing")
        case DecodingError.valueNotFound(_, let context):
            self.init("\(Self.place(context.codingPath)) is missing")
        case DecodingError.typeMismatch(_, let context):
            self.init("\(Self.place(context.codingPath)) has the wrong type")
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init("\(Self.place(context.codingPath)) cannot be read")
        default:
            self.init("it is no JSON")
        }
    }

    /// The innermost field whose name the protocol knows: other names are not ours to repeat.
    private static func place(_ path: [any CodingKey]) -> String {
        path.last { MessageField(rawValue: $0.stringValue) != nil && $0.intValue == nil }.map { "“\($0.stringValue)”" }
            ?? "the message"
    }
}
