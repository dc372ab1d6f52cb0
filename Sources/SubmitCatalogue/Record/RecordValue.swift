/// A value of JSON, as it came (RFC 8259): numbers as they are written, so that none loses its digits, and members in their order.
public enum RecordValue: Sendable, Hashable {
    /// Nothing.
    case null
    /// True or false.
    case truth(Bool)
    /// As JSON writes it: `9.90`, `1e3`.
    case number(String)
    /// Any text.
    case text(String)
    /// In their order.
    case list([RecordValue])
    /// In the order in which they came; no name stands twice.
    case object([RecordMember])

    /// A whole number.
    public static func integer(_ number: Int64) -> RecordValue { .number(String(number)) }

    /// A finite number; another one is null, as JSON has none.
    public static func real(_ number: Double) -> RecordValue { number.isFinite ? .number("\(number)") : .null }

    /// As a number is computed with; `nil` where it is none.
    public var double: Double? {
        if case .number(let digits) = self { Double(digits) } else { nil }
    }

    /// The member of this name, or the value of a list that this number counts from 0.
    public subscript(name: String) -> RecordValue? {
        switch self {
        case .object(let members): members.first { $0.name.isSame(as: name) }?.value
        case .list(let values): Int(name).flatMap { values.indices.contains($0) ? values[$0] : nil }
        case .null, .truth, .number, .text: nil
        }
    }
}

/// A name and what stands behind it.
public struct RecordMember: Sendable, Hashable {
    /// As it is written.
    public var name: String
    /// What stands behind it.
    public var value: RecordValue

    /// A name and what stands behind it.
    public init(_ name: String, _ value: RecordValue) { (self.name, self.value) = (name, value) }
}

extension RecordValue {
    /// Reads JSON that others wrote. Half a character in a text, which JavaScript's may have, becomes U+FFFD.
    ///
    /// - Parameter limit: bytes that it may have.
    /// - Throws: where it is no JSON, is longer, has more than ``CatalogueLimits/jsonValues`` values, or more than
    ///   ``CatalogueLimits/jsonDepth`` lists and objects stand in one another.
    public init(json bytes: [UInt8], limit: Int) throws(CatalogueFault) {
        self.init(try PositionedJSON.read(foreign: bytes, limit: limit))
    }

    init(_ json: PositionedJSON) {
        switch json.content {
        case .null: self = .null
        case .truth(let isTrue): self = .truth(isTrue)
        case .number(let digits): self = .number(digits)
        case .text(let text), .written(let text): self = .text(text)
        case .list(let values): self = .list(values.map(RecordValue.init))
        case .object(let members): self = .object(members.map { RecordMember($0.name, RecordValue($0.value)) })
        }
    }

    /// As if it had been read from somewhere.
    var positioned: PositionedJSON {
        let content: PositionedJSON.JSONForm =
            switch self {
            case .null: .null
            case .truth(let isTrue): .truth(isTrue)
            case .number(let digits): .number(digits)
            case .text(let text): .text(text)
            case .list(let values): .list(values.map(\.positioned))
            case .object(let members):
                .object(
                    members.map { PositionedJSON.NamedValue(name: $0.name, offset: 0, value: $0.value.positioned) })
            }
        return PositionedJSON(content: content, offset: 0)
    }
}
